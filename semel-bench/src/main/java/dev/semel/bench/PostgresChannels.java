package dev.semel.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.Channel;
import dev.semel.bench.BenchMessages.BenchMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Channels on PostgreSQL, beside the same rows without Semel and beside other libraries on pools of the same size. */
final class PostgresChannels {
    private static final Duration NO_BOUND = Duration.ofMinutes(30);
    private static final String SEMEL = "postgresql ";
    private static final String JUDGED = "db-scheduler";
    private static final String MISSING =
            "not measured: the other libraries are not on the class path; ./semel puts them there";

    private final String url;
    private final ChannelPlan plan;
    private final ChannelPlan.ChannelVolume volume;
    private final ReportBuilder findings;
    private final Consumer<String> progress;

    PostgresChannels(String url, ChannelPlan plan, ReportBuilder findings, Consumer<String> progress) {
        this.url = url;
        this.plan = plan;
        this.volume = plan.volume();
        this.findings = findings;
        this.progress = progress;
    }

    void run(List<ComparedLibrary> others) {
        Map<String, Object> set = new LinkedHashMap<>();
        others.forEach(other -> set.put(other.name(), other.setUp()));
        try (PostgresPlace place = new PostgresPlace(url)) {
            findings.machine().put("postgresql", place.settings());
            findings.machine().put("others", set.isEmpty() ? "none on the class path" : set);
            if (plan.parts().contains(ChannelPlan.Part.SENDS)) {
                progress.accept("postgresql: sends");
                new PostgresSends(place, plan, findings).run();
            }
        }
        if (others.isEmpty()) {
            progress.accept("postgresql: the other libraries are not on the class path, so Semel runs without them");
        }
        if (plan.parts().contains(ChannelPlan.Part.DRAINS)) {
            drains(others);
        }
        if (plan.parts().contains(ChannelPlan.Part.END_TO_END)) {
            endToEnd(others);
        }
        if (plan.parts().contains(ChannelPlan.Part.IDLE)) {
            idle(others);
        }
    }

    private void drains(List<ComparedLibrary> others) {
        progress.accept("postgresql: drains of " + volume.backlog());
        int backlog = volume.backlog();
        List<AlternatingRuns.MeasuredRun> runs = new ArrayList<>(List.of(
                raw(backlog, false),
                raw(backlog, true),
                drain(BenchMessages.FREE, 0, backlog),
                drain(BenchMessages.ATOMIC, 0, backlog),
                drain(BenchMessages.IN_LANES, volume.lanes(), backlog),
                drain(BenchMessages.IN_LANES, 1, backlog)));
        int first = runs.size();
        for (ComparedLibrary other : others) {
            ChannelTasks tasks = tasksOf(other);
            Duration bound = plan.perCell().multipliedBy(2);
            runs.add(new AlternatingRuns.MeasuredRun(
                    other.name() + " drain", PostgresPlace.CONNECTIONS, () -> tasks.drain(backlog, bound)));
        }
        List<Timing> small = AlternatingRuns.run(volume.rounds(), runs);
        show(small.subList(0, first));
        List<Timing> rest = small.subList(first, small.size());
        rest.forEach(findings::result);
        rest.forEach(other -> findings.result(small.get(2), other));
        progress.accept("postgresql: drains of " + volume.large());
        List<Timing> large = new ArrayList<>();
        for (AlternatingRuns.MeasuredRun run : List.of(
                raw(volume.large(), true),
                drain(BenchMessages.FREE, 0, volume.large()),
                drain(BenchMessages.IN_LANES, volume.lanes(), volume.large()),
                drain(BenchMessages.IN_LANES, 1, volume.large()))) {
            progress.accept(run.name());
            large.add(AlternatingRuns.once(run));
        }
        findings.result(large.get(0));
        large.subList(1, large.size()).forEach(timing -> findings.result(timing, large.get(0)));
        beside(others, small.get(2), rest, large.get(1));
        judge(small, large);
    }

    /** Raw rows, raw rows with events, and what is compared with the latter; the ways to keep an order with no order. */
    private void show(List<Timing> timings) {
        Timing audited = timings.get(1);
        findings.result(timings.get(0));
        findings.result(audited, timings.get(0));
        Timing free = timings.get(2);
        findings.result(free, audited);
        findings.result(timings.get(3), audited);
        findings.result(timings.get(4), free);
        findings.result(timings.get(5), free);
    }

    /** Of a large backlog the other one works off what it can in a bounded time: its rate is the same all along. */
    private void beside(List<ComparedLibrary> others, Timing few, List<Timing> fewOfOthers, Timing many) {
        String name = "postgresql drain with the audit on, of db-scheduler's";
        for (int i = 0; i < others.size(); i++) {
            ComparedLibrary other = others.get(i);
            if (other.name().startsWith(JUDGED)) {
                String drain = other.name() + " drain, " + volume.large();
                progress.accept(drain);
                Timing manyOfOther = AlternatingRuns.once(new AlternatingRuns.MeasuredRun(
                        drain,
                        PostgresPlace.CONNECTIONS,
                        () -> tasksOf(other)
                                .drain(volume.large(), plan.perCell().multipliedBy(5))));
                findings.result(manyOfOther);
                findings.result(many, manyOfOther);
                lower(name, 6, few.ratioTo(fewOfOthers.get(i)), many.ratioTo(manyOfOther));
                return;
            }
        }
        findings.target(new Report.Target(name, ">= 6", 0, false, MISSING));
    }

    private void judge(List<Timing> small, List<Timing> large) {
        findings.atLeast(
                "postgresql drain of a backlog of " + volume.large() + ", of one of " + volume.backlog(),
                0.8,
                Report.rounded(large.get(1).perSecond() / small.get(2).perSecond(), 3));
        lanes(
                volume.lanes() + " lanes, of no lanes",
                0.4,
                small.get(4).ratioTo(small.get(2)),
                large.get(2).ratioTo(large.get(1)));
        lanes(
                "a single lane, of no lanes",
                0.2,
                small.get(5).ratioTo(small.get(2)),
                large.get(3).ratioTo(large.get(1)));
    }

    private void lanes(String what, double least, double few, double many) {
        lower("postgresql drain of " + what, least, few, many);
    }

    private void lower(String name, double least, double few, double many) {
        findings.atLeast(
                name,
                least,
                Math.min(few, many),
                "the lower of " + few + " with " + volume.backlog() + " waiting and " + many + " with "
                        + volume.large());
    }

    private void endToEnd(List<ComparedLibrary> others) {
        progress.accept("postgresql: end to end");
        List<AlternatingRuns.MeasuredRun> runs = new ArrayList<>();
        runs.add(endToEnd(SEMEL + "end to end, a transaction for each send", this::inTransactions));
        runs.add(endToEnd(SEMEL + "end to end, a transaction of the caller's for each send", this::joined));
        runs.add(endToEnd(SEMEL + "end to end, send by send", handler -> semel(handler, BenchMessages.FREE, 0)));
        others.forEach(other ->
                runs.add(endToEnd(other.name() + " end to end", handler -> OnPlace.open(url, other, handler))));
        List<Timing> timings = AlternatingRuns.run(volume.rounds(), runs);
        List<Timing> rest = timings.subList(3, timings.size());
        Timing best = rest.stream()
                .max(java.util.Comparator.comparingDouble(Timing::perSecond))
                .orElse(null);
        String name = "postgresql end to end with one transaction per send, of the best of the others";
        if (best == null) {
            timings.forEach(findings::result);
            findings.target(new Report.Target(name, ">= 1.5", 0, false, MISSING));
            return;
        }
        rest.forEach(findings::result);
        findings.result(timings.get(0), best);
        findings.result(timings.get(1), best);
        findings.result(timings.get(2), best);
        double strict = timings.get(0).ratioTo(best);
        findings.target(new Report.Target(
                name,
                ">= 1.5",
                strict,
                strict >= 1.5,
                "of " + best.cell().name() + "; " + timings.get(1).ratioTo(best)
                        + " where the application commits, " + timings.get(2).ratioTo(best)
                        + " where Semel brings sends of several callers together"));
    }

    private AlternatingRuns.MeasuredRun endToEnd(String name, ChannelTasks.Opener opener) {
        ChannelTasks tasks = new ChannelTasks(name, opener, 0);
        return new AlternatingRuns.MeasuredRun(
                name, volume.senders(), () -> tasks.endToEnd(volume.senders(), 10 * volume.backlog(), plan.perCell()));
    }

    private void idle(List<ComparedLibrary> others) {
        progress.accept("postgresql: idle");
        ChannelTasks semel = new ChannelTasks(SEMEL + "idle", handler -> semel(handler, BenchMessages.FREE, 0), 0);
        Timing idle = AlternatingRuns.once(
                new AlternatingRuns.MeasuredRun(SEMEL + "idle", 1, () -> semel.idle(volume.samples(), NO_BOUND)));
        findings.result(idle);
        for (ComparedLibrary other : others) {
            ChannelTasks tasks = tasksOf(other);
            Duration bound = plan.perCell().multipliedBy(2);
            findings.result(AlternatingRuns.once(new AlternatingRuns.MeasuredRun(
                    other.name() + " idle", 1, () -> tasks.idle(volume.samples(), bound))));
        }
        findings.below(
                "postgresql idle latency, p50 in ms",
                5,
                Report.rounded(idle.micros(50) / 1e3, 3),
                "from the call of send to the handler; p99 " + Report.rounded(idle.micros(99) / 1e3, 3));
    }

    private AlternatingRuns.MeasuredRun raw(int backlog, boolean audited) {
        String name = "raw claim and finish" + (audited ? " with events, " : ", ") + backlog;
        return new AlternatingRuns.MeasuredRun(name, PostgresQueueRows.CONNECTIONS, () -> {
            try (PostgresPlace place = new PostgresPlace(url)) {
                return new PostgresQueueRows(place, audited).drain(backlog);
            }
        });
    }

    private AlternatingRuns.MeasuredRun drain(Channel<BenchMessage> channel, int lanes, int backlog) {
        String how = channel instanceof Channel.Atomic ? " atomic" : "";
        String among = lanes == 0 ? "" : lanes == 1 ? " in one lane" : " in " + lanes + " lanes";
        String name = SEMEL + "drain" + how + ", " + backlog + among;
        ChannelTasks tasks = new ChannelTasks(name, handler -> semel(handler, channel, lanes), lanes);
        return new AlternatingRuns.MeasuredRun(name, SemelSession.HANDLERS, () -> tasks.drain(backlog, NO_BOUND));
    }

    private ChannelTasks tasksOf(ComparedLibrary other) {
        return new ChannelTasks(other.name(), handler -> OnPlace.open(url, other, handler), 0);
    }

    private ComparedLibrary.Session semel(LongConsumer handler, Channel<BenchMessage> channel, int lanes) {
        PostgresPlace place = new PostgresPlace(url);
        return new OnPlace(
                place, new SemelSession(place.semelUrl(), channel, lanes, handler, SemelSession.Sending.ALONE));
    }

    private ComparedLibrary.Session inTransactions(LongConsumer handler) {
        PostgresPlace place = new PostgresPlace(url);
        return new OnPlace(
                place,
                new SemelSession(
                        place.semelUrl(), BenchMessages.FREE, 0, handler, SemelSession.Sending.IN_TRANSACTION));
    }

    /** The pool's connections are divided between Semel and the application whose transactions they are. */
    private ComparedLibrary.Session joined(LongConsumer handler) {
        PostgresPlace place = new PostgresPlace(url);
        int half = PostgresPlace.CONNECTIONS / 2;
        HikariDataSource application = place.pool(half, false);
        return new OnPlace(
                place,
                application,
                new SemelSession(
                        place.semelUrl(half),
                        BenchMessages.FREE,
                        0,
                        handler,
                        SemelSession.Sending.joined(application)));
    }
}
