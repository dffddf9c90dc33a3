package dev.semel.bench;

import dev.semel.bench.AlternatingRuns.MeasuredRun;
import dev.semel.bench.AlternatingRuns.RoundResult;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** The server on one store, beside the bare Jetty. */
final class IngressTrial implements AutoCloseable {
    private static final String BARE = "bare Jetty";
    private static final String DESTINATION = "destination." + IngressYaml.DELIVERED;
    private static final int SLOWEST_ACKNOWLEDGEMENT_MILLIS = 25;
    private static final int LEAST_PAIRS = 5_000;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final IngressStore store;
    private final Surroundings shared;
    private final IngressPlan plan;
    private final IngressPlan.IngressVolume volume;
    private final HttpServer server;
    private final ConnectionSet toServer;
    private final ConnectionSet toBare;
    private final WebhookCells bare;
    private final WebhookCells stored;
    private final WebhookCells delivered;
    private final WebhookCells chosen;
    private final ReceivedWebhooks sink;
    private final ReceivedWebhooks chosenSink;
    private final GatewayCells orders;
    private final GatewayCells instant;
    private final OperationCells operations;
    private final AtomicLong placed = new AtomicLong();
    private final long placedBefore;

    /**
     * What all trials share.
     *
     * @param api JDBC URL of the database of the API behind the gateway
     */
    record Surroundings(
            IngressServers servers,
            HttpServer bare,
            String api,
            WebhookSink sink,
            InterleavedRounds rounds,
            Consumer<String> progress) {}

    /** @param directory for its configuration */
    IngressTrial(IngressStore store, Path directory, Surroundings shared, IngressPlan plan) {
        this.store = store;
        this.shared = shared;
        this.plan = plan;
        this.volume = plan.volume();
        this.placedBefore = placedOrders();
        say("starting the server");
        store.pause("source." + IngressYaml.STORED);
        String below = "/" + store.label();
        this.server = shared.servers.serve(
                store.label(),
                IngressYaml.write(
                        directory,
                        store.url(),
                        shared.sink.url(below),
                        "http://127.0.0.1:" + shared.bare.port() + "/api"));
        this.toServer = new ConnectionSet(server, volume.connections());
        this.toBare = new ConnectionSet(shared.bare, volume.connections());
        this.bare = new WebhookCells(toBare, IngressYaml.STORED);
        this.stored = new WebhookCells(toServer, IngressYaml.STORED);
        this.delivered = new WebhookCells(toServer, IngressYaml.DELIVERED);
        this.chosen = new WebhookCells(toServer, IngressYaml.CHOSEN);
        this.sink = shared.sink.at(below + "/" + IngressYaml.DELIVERED);
        this.chosenSink = shared.sink.at(below + "/" + IngressYaml.CHOSEN);
        GatewayCells.Ways ways = new GatewayCells.Ways(toBare, toServer);
        this.orders = new GatewayCells(ways, "/orders", placed);
        this.instant = new GatewayCells(ways, "/instant", new AtomicLong());
        this.operations = new OperationCells(toServer, toBare);
    }

    void run(ReportBuilder findings) {
        Map<String, Object> used = new LinkedHashMap<>();
        webhooks(findings, used);
        deliveries(findings);
        gateway(findings, used);
        operations(findings, used);
        if (isJudgedForMemory()) {
            endurance(findings);
        }
        findings.machine().put(store.label() + "_processor_us_per_request", used);
        verify(findings);
    }

    /** Those of the store that several nodes share. */
    private boolean isJudgedForMemory() {
        return store.label().equals("postgresql");
    }

    private void webhooks(ReportBuilder findings, Map<String, Object> used) {
        List<Cell> cells = List.of(
                webhooks(bare, BARE),
                webhooks(stored, store.label() + " acknowledged"),
                webhooks(delivered, store.label() + " acknowledged while delivering"));
        warmUp("webhooks", cells);
        store.demandRecords("source." + IngressYaml.STORED, stored.acknowledged());
        say("webhooks");
        List<Timing> timings = timed(cells, used);
        Timing plain = timings.get(0);
        findings.result(plain);
        for (Timing timing : timings.subList(1, 3)) {
            findings.result(timing, plain);
        }
        findings.atLeast(
                named(timings.get(1), "of the bare Jetty"),
                store.least(),
                timings.get(1).ratioTo(plain),
                "while delivering: " + timings.get(2).ratioTo(plain));
        say("webhooks at half load");
        Timing reference = halfLoad(cells.get(0), timings.get(1));
        findings.result(reference);
        for (int i = 1; i <= 2; i++) {
            Timing half = halfLoad(cells.get(i), timings.get(i));
            findings.result(half);
            findings.below(
                    named(half, "p99 in ms"),
                    SLOWEST_ACKNOWLEDGEMENT_MILLIS,
                    Report.rounded(half.micros(99) / 1e3, 2),
                    String.format(
                            Locale.ROOT,
                            "%,.0f webhooks a second; the bare Jetty %.2f at %,.0f a second",
                            half.perSecond(),
                            reference.micros(99) / 1e3,
                            reference.perSecond()));
        }
    }

    private Cell webhooks(WebhookCells source, String name) {
        return source.cell(name, volume.perRound(), any -> sink.await(delivered.acknowledged()));
    }

    private Timing halfLoad(Cell cell, Timing full) {
        Cell named =
                new Cell(cell.name() + " at half load", cell.callers(), 1, cell.atMost(), cell.before(), cell.body());
        return PacedLoad.run(named, full.perSecond() / 2, plan.perCell());
    }

    /** From the first delivery of a backlog to the last. */
    private void deliveries(ReportBuilder findings) {
        say("deliveries");
        findings.result(
                AlternatingRuns.once(new MeasuredRun(store.label() + " delivered", volume.connections(), this::drain)));
    }

    private RoundResult drain() throws InterruptedException {
        sink.await(delivered.acknowledged());
        store.pause(DESTINATION);
        int before = delivered.acknowledged();
        shared.rounds.count(webhooks(delivered, "backlog"), volume.backlog());
        while (store.records(DESTINATION) < delivered.acknowledged()) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        sink.restart();
        store.resume(DESTINATION);
        sink.await(delivered.acknowledged());
        return RoundResult.of(delivered.acknowledged() - before, sink.nanos());
    }

    private void gateway(ReportBuilder findings, Map<String, Object> used) {
        List<Cell> cells = List.of(
                orders.direct("api"),
                orders.withoutKey(store.label() + " gateway without key"),
                orders.first(store.label() + " gateway first"),
                orders.replay(store.label() + " gateway replay"),
                instant.direct("instant api"),
                instant.withoutKey(store.label() + " gateway without key, instant api"),
                instant.first(store.label() + " gateway first, instant api"),
                instant.replay(store.label() + " gateway replay, instant api"));
        warmUp("gateway", cells);
        say("gateway");
        List<Timing> timings = timed(cells, used);
        for (int i = 0; i < timings.size(); i += 4) {
            Timing api = timings.get(i);
            Timing proxy = timings.get(i + 1);
            findings.result(api);
            findings.result(proxy, api);
            findings.result(timings.get(i + 2), proxy);
            findings.result(timings.get(i + 3), api);
        }
        findings.atLeast(
                named(timings.get(2), "of the gateway without a key"),
                0.5,
                timings.get(2).ratioTo(timings.get(1)),
                "with an API that answers at once: " + timings.get(6).ratioTo(timings.get(5)));
        double replay = timings.get(3).ratioTo(timings.get(0));
        findings.target(new Report.Target(
                named(timings.get(3), "of the API itself"),
                "> 1",
                replay,
                replay > 1,
                "with an API that answers at once: " + timings.get(7).ratioTo(timings.get(4))));
    }

    private void operations(ReportBuilder findings, Map<String, Object> used) {
        List<Cell> cells = List.of(
                operations.barePairs(BARE + ", two requests"), operations.pairs(store.label() + " begin and finish"));
        warmUp("begin and finish", cells);
        say("begin and finish");
        List<Timing> timings = timed(cells, used);
        Timing plain = timings.get(0);
        Timing pairs = timings.get(1);
        findings.result(plain);
        findings.result(pairs, plain);
        if (store.label().equals("postgresql")) {
            findings.atLeast(
                    named(pairs, "pairs a second"),
                    LEAST_PAIRS,
                    Report.rounded(pairs.perSecond(), 0),
                    String.format(
                            Locale.ROOT,
                            "the bare Jetty answers %,.0f pairs of requests a second; processor time of a pair in us: %s",
                            plain.perSecond(),
                            pairs.used().each(pairs.operations())));
        }
    }

    private void endurance(ReportBuilder findings) {
        long webhooks = volume.endurance();
        say(String.format(Locale.ROOT, "%,d webhooks to see whether memory grows", webhooks));
        Cell cell = chosen.cell(
                store.label() + " acknowledged, one in " + SignedWebhooks.ONE_IN + " delivered",
                (int) (webhooks / 10),
                any -> {});
        HeapGrowth growth = HeapGrowth.over(webhooks, cell, server, shared.rounds);
        growth.report(
                store.label(),
                "webhooks",
                "all stored and routed, one in " + SignedWebhooks.ONE_IN + " delivered",
                findings);
    }

    private void warmUp(String what, List<Cell> cells) {
        say("warming up, " + what);
        cells.forEach(cell -> shared.rounds.count(cell, volume.warmUp()));
    }

    private List<Timing> timed(List<Cell> cells, Map<String, Object> used) {
        List<Timing> timings = shared.rounds.run(
                plan.perCell(),
                cells,
                cell -> ProcessorTime.now(
                        cell.name().startsWith(store.label()) ? server : shared.bare, store.database()));
        used.putAll(ProcessorTime.table(timings));
        return timings;
    }

    private static String named(Timing timing, String what) {
        return timing.cell().name() + " at " + timing.cell().callers() + " connections, " + what;
    }

    /** Whatever was acknowledged is in the ledger once, and what was to be delivered has arrived. */
    private void verify(ReportBuilder findings) {
        say("counting");
        try {
            sink.await(delivered.acknowledged());
            chosenSink.await((chosen.acknowledged() + SignedWebhooks.ONE_IN - 1) / SignedWebhooks.ONE_IN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The bench was interrupted.", e);
        }
        sink.verify(delivered.acknowledged(), 1);
        chosenSink.verify(chosen.acknowledged(), SignedWebhooks.ONE_IN);
        store.demandRecords("source." + IngressYaml.STORED, stored.acknowledged());
        store.demandRecords("source." + IngressYaml.DELIVERED, delivered.acknowledged());
        store.demandRecords("source." + IngressYaml.CHOSEN, chosen.acknowledged());
        store.demandRecords(OperationCells.OPERATION, operations.finished());
        long orders = placedOrders() - placedBefore;
        if (orders != placed.get()) {
            throw new HttpBench.Wrong(
                    store.label() + ": " + placed + " requests should have reached the API, and it placed " + orders
                            + " orders. Something was " + (orders > placed.get() ? "done twice." : "lost."));
        }
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("webhooks", stored.acknowledged() + delivered.acknowledged() + chosen.acknowledged());
        counts.put("redeliveries", sink.redelivered() + chosenSink.redelivered());
        counts.put("runs", operations.finished());
        counts.put("requests_to_the_api", placed.get());
        findings.machine().put(store.label() + "_each_once", counts);
    }

    private long placedOrders() {
        try (Connection connection = DriverManager.getConnection(shared.api);
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(BareServlet.COUNT)) {
            found.next();
            return found.getLong(1);
        } catch (SQLException e) {
            throw new HttpBench.Wrong(
                    "The orders of the API cannot be counted: SQLState " + e.getSQLState() + ", " + e.getMessage());
        }
    }

    private void say(String what) {
        shared.progress.accept(store.label() + ": " + what);
    }

    @Override
    public void close() {
        toServer.close();
        toBare.close();
        server.close();
    }
}
