package dev.semel.bench;

import dev.semel.bench.HttpServer.Level;
import dev.semel.testkit.PrivatePostgres;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One service on several servers: bare, one for each level, and one for each that is written by hand. */
final class HttpTrial implements AutoCloseable {
    private static final String EARLIER = " before";

    private final HttpService service;
    private final Means means;
    private final List<HttpSubject> all = new ArrayList<>();

    /** The plan and the servers of the measurement. */
    record Means(
            HttpServers servers,
            @Nullable HttpServers earlier,
            PrivatePostgres postgres,
            InterleavedRounds rounds,
            Consumer<String> progress) {}

    HttpTrial(HttpService service, Means means) {
        this.service = service;
        this.means = means;
    }

    void run(HttpPlan plan, ReportBuilder findings) {
        HttpPlan.HttpVolume volume = plan.volume();
        int most = volume.callers().stream().mapToInt(Integer::intValue).max().orElse(1);
        start(means.servers, Level.BARE, "", most);
        service.levels().forEach(level -> start(means.servers, level, "", most));
        if (means.earlier == null) {
            service.byHand().forEach(level -> start(means.servers, level, "", most));
        } else {
            service.levels().forEach(level -> start(means.earlier, level, EARLIER, most));
        }
        say("warming up");
        entries(most).forEach(entry -> means.rounds.count(entry.cell, volume.warmUp()));
        Map<String, Object> used = new LinkedHashMap<>();
        for (int callers : volume.callers()) {
            say(callers + " callers");
            List<Timing> timings = timed(plan, entries(callers));
            report(timings, findings);
            used.put(callers + " callers", ProcessorTime.table(timings));
        }
        findings.machine().put(service.label() + "_processor_us_per_request", used);
        if (service == HttpService.ORDERS && means.earlier == null) {
            endurance(all.get(1), volume, findings);
        }
        say("counting effects");
        all.forEach(HttpSubject::verify);
        Map<String, Object> keys = new LinkedHashMap<>();
        all.forEach(subject -> keys.put(subject.server().name(), subject.keys()));
        findings.machine().put(service.label() + "_effects_each_once", keys);
    }

    private void start(HttpServers servers, Level level, String suffix, int callers) {
        say("starting the server, " + level.label() + suffix);
        String database = means.postgres.jdbcUrl(means.postgres.freshDatabase());
        HttpServer server = servers.start(service, level, suffix, database);
        try {
            all.add(new HttpSubject(service, server, database, callers));
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private record Entry(HttpSubject subject, Cell cell) {}

    /**
     * Bare; then for each level the first time and replayed; then what is written by hand, the first time, or the levels of the
     * earlier version like those of the present one.
     */
    private List<Entry> entries(int callers) {
        List<Entry> entries = new ArrayList<>();
        entries.add(new Entry(all.get(0), all.get(0).first("", callers)));
        int filtered = means.earlier == null ? 1 + service.levels().size() : all.size();
        for (HttpSubject subject : all.subList(1, filtered)) {
            entries.add(new Entry(subject, subject.first(" first", callers)));
            entries.add(new Entry(subject, subject.replay(" replay", callers)));
        }
        for (HttpSubject subject : all.subList(filtered, all.size())) {
            entries.add(new Entry(subject, subject.first(" first", callers)));
        }
        return entries;
    }

    private void report(List<Timing> timings, ReportBuilder findings) {
        Timing bare = timings.get(0);
        findings.result(bare);
        timings.stream().skip(1).forEach(timing -> findings.result(timing, bare));
        if (means.earlier != null) {
            int measured = (timings.size() - 1) / 2;
            for (int i = 1; i <= measured; i++) {
                Timing now = timings.get(i);
                findings.atLeast(
                        now.cell().name() + " at " + now.cell().callers() + " callers, of the earlier version",
                        0.9,
                        now.ratioTo(timings.get(i + measured)));
            }
        } else if (service == HttpService.ORDERS) {
            findings.atLeast(target(timings.get(1)), 0.7, timings.get(1).ratioTo(bare));
            findings.atLeast(target(timings.get(3)), 0.6, timings.get(3).ratioTo(bare));
            for (Timing replay : List.of(timings.get(2), timings.get(4))) {
                double ratio = replay.ratioTo(bare);
                findings.target(new Report.Target(target(replay), "> 1", ratio, ratio > 1, null));
            }
        }
    }

    private static String target(Timing timing) {
        return timing.cell().name() + " at " + timing.cell().callers() + " callers, of bare";
    }

    private List<Timing> timed(HttpPlan plan, List<Entry> entries) {
        Map<String, HttpServer> servers = new HashMap<>();
        entries.forEach(entry -> servers.put(entry.cell.name(), entry.subject.server()));
        return means.rounds.run(
                plan.perCell(),
                entries.stream().map(Entry::cell).toList(),
                cell -> ProcessorTime.now(servers.get(cell.name()), means.postgres.dataDirectory()));
    }

    /** The heap in use after collections, after a tenth of the requests and in the end. */
    private void endurance(HttpSubject subject, HttpPlan.HttpVolume volume, ReportBuilder findings) {
        long requests = volume.endurance();
        say(String.format(Locale.ROOT, "%,d requests to see whether memory grows", requests));
        Cell cell = subject.mixed(
                ", one first in " + volume.oneFirstIn(), volume.callers().get(0), volume.oneFirstIn());
        HeapGrowth growth = HeapGrowth.over(requests, cell, subject.server(), means.rounds);
        growth.report(
                "orders span",
                "requests",
                "one in " + volume.oneFirstIn() + " under a new key, the others replays",
                findings);
    }

    private void say(String what) {
        means.progress.accept(service.label() + ": " + what);
    }

    @Override
    public void close() {
        all.forEach(HttpSubject::close);
    }
}
