package dev.semel.bench;

import dev.semel.Channel;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.bench.BenchMessages.BenchMessage;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Channels on SQLite files, beside plain JDBC where there is something to compare. */
final class SqliteChannels {
    private static final Duration NO_BOUND = Duration.ofMinutes(30);

    private final SqliteDirectory place;
    private final ChannelPlan plan;
    private final ReportBuilder findings;
    private final Consumer<String> progress;
    private final AtomicInteger files = new AtomicInteger();

    SqliteChannels(SqliteDirectory place, ChannelPlan plan, ReportBuilder findings, Consumer<String> progress) {
        this.place = place;
        this.plan = plan;
        this.findings = findings;
        this.progress = progress;
    }

    void run() {
        if (plan.parts().contains(ChannelPlan.Part.SENDS)) {
            progress.accept("sqlite: sends");
            sends();
        }
        if (plan.parts().contains(ChannelPlan.Part.DRAINS)) {
            progress.accept("sqlite: drains");
            drains();
        }
        ChannelTasks tasks = new ChannelTasks("sqlite", handler -> session(handler, BenchMessages.FREE, 0), 0);
        if (plan.parts().contains(ChannelPlan.Part.END_TO_END)) {
            progress.accept("sqlite: end to end");
            endToEnd(tasks);
        }
        if (plan.parts().contains(ChannelPlan.Part.IDLE)) {
            progress.accept("sqlite: idle");
            findings.result(AlternatingRuns.once(new AlternatingRuns.MeasuredRun(
                    "sqlite idle", 1, () -> tasks.idle(plan.volume().samples(), NO_BOUND))));
        }
    }

    private void drains() {
        int backlog = plan.volume().backlog();
        List<Timing> drains = AlternatingRuns.run(
                plan.volume().rounds(),
                List.of(
                        drain(BenchMessages.FREE, 0, backlog),
                        drain(BenchMessages.ATOMIC, 0, backlog),
                        drain(BenchMessages.IN_LANES, plan.volume().lanes(), backlog),
                        drain(BenchMessages.IN_LANES, 1, backlog)));
        findings.result(drains.get(0));
        drains.subList(1, drains.size()).forEach(timing -> findings.result(timing, drains.get(0)));
    }

    private void endToEnd(ChannelTasks tasks) {
        int senders = plan.volume().senders();
        findings.result(AlternatingRuns.run(
                        1,
                        List.of(new AlternatingRuns.MeasuredRun(
                                "sqlite end to end, send by send",
                                senders,
                                () -> tasks.endToEnd(senders, 10 * plan.volume().backlog(), plan.perCell()))))
                .get(0));
    }

    private void sends() {
        try (InterleavedRounds rounds = new InterleavedRounds();
                Semel engine = Semel.open(place.semelUrl("sends"));
                SqliteRows rows = new SqliteRows(place.jdbcUrl("plain"))) {
            engine.run(Work.ATOMIC, Work.call(), (order, tx) -> {
                try (var statement = tx.connection().createStatement()) {
                    statement.executeUpdate(SqliteRows.EFFECT_TABLE);
                }
                return Work.RECEIPT;
            });
            SendCells cells = new SendCells("sqlite", engine, (order, tx) -> {
                SqliteRows.effect(tx.connection());
                return Work.RECEIPT;
            });
            for (int callers : SendCells.CALLERS) {
                List<Timing> timings = rounds.run(
                        plan.perCell(),
                        List.of(
                                Cell.of("sqlite bare effect", callers, caller -> rows.bareEffect()),
                                cells.oneByOne(callers),
                                cells.withEffect(callers)));
                findings.result(timings.get(0));
                timings.subList(1, timings.size()).forEach(timing -> findings.result(timing, timings.get(0)));
            }
            List<Timing> batches = rounds.run(
                    plan.perCell(),
                    List.of(
                            Cell.of("sqlite raw multi-row", 1, caller -> rows.batch(SendCells.BATCH))
                                    .inBatchesOf(SendCells.BATCH),
                            cells.batches(1)));
            findings.result(batches.get(0));
            findings.result(batches.get(1), batches.get(0));
        } catch (SQLException e) {
            throw new SemelException.StoreUnavailable(
                    "SQLite without Semel failed in " + place.directory() + ": " + e.getMessage()
                            + ". See that there is room and that it can be written.",
                    e);
        }
    }

    private AlternatingRuns.MeasuredRun drain(Channel<BenchMessage> channel, int lanes, int backlog) {
        String how = channel instanceof Channel.Atomic ? " atomic" : "";
        String among = lanes == 0 ? "" : lanes == 1 ? " in one lane" : " in " + lanes + " lanes";
        String name = "sqlite drain" + how + ", " + backlog + among;
        ChannelTasks tasks = new ChannelTasks(name, handler -> session(handler, channel, lanes), lanes);
        return new AlternatingRuns.MeasuredRun(name, SemelSession.HANDLERS, () -> tasks.drain(backlog, NO_BOUND));
    }

    private ComparedLibrary.Session session(LongConsumer handler, Channel<BenchMessage> channel, int lanes) {
        String url = place.semelUrl("channels" + files.incrementAndGet());
        return new SemelSession(url, channel, lanes, handler, SemelSession.Sending.ALONE);
    }
}
