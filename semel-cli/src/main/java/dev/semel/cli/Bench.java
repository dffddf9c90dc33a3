package dev.semel.cli;

import dev.semel.bench.Baseline;
import dev.semel.bench.ChannelBench;
import dev.semel.bench.ChannelPlan;
import dev.semel.bench.Contenders;
import dev.semel.bench.LedgerBench;
import dev.semel.bench.Plan;
import dev.semel.bench.Report;
import dev.semel.bench.Table;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "bench",
        description = "Measures Semel beside the same work without it.",
        mixinStandardHelpOptions = true)
final class Bench implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to measure: ledger or channel.");
    }

    /** What every bench is asked in the same way. */
    static final class Asked {
        @Mixin
        private JsonOption json = new JsonOption();

        @Option(names = "--check", description = "Exit with 1 when a target is missed, and name it.")
        private boolean check;

        @Option(
                names = "--baseline",
                paramLabel = "FILE",
                description = "The JSON of an earlier run: exit with 1 when a ratio fell by more than 10 %%.")
        private @Nullable Path baseline;

        @Option(
                names = "--seconds",
                paramLabel = "N",
                defaultValue = "3",
                description = "How long each thing is measured. By default ${DEFAULT-VALUE}.")
        private double seconds = 3;
    }

    @Command(
            name = "ledger",
            description = {
                "First calls, replays and conflicts, atomic and leased, by 1 to 512 callers.",
                "It works in a schema or directory of its own, which it removes afterwards."
            },
            mixinStandardHelpOptions = true)
    int ledger(
            @Option(
                            names = "--store",
                            paramLabel = "URL",
                            description = {
                                "Measure only this store: a schema of its own in the database, or a file beside this one.",
                                "Without it: a private PostgreSQL with durable settings, a SQLite file, and memory."
                            })
                    @Nullable
                    String store,
            @Option(
                            names = "--quick",
                            hidden = true,
                            description = "As few operations as possible, to see that it works.")
                    boolean quick,
            @Mixin Asked asked) {
        Baseline baseline = asked.baseline == null ? null : Baseline.read(asked.baseline);
        Plan plan = new Plan(store, length(asked), quick ? Plan.TINY : Plan.FULL);
        PrintWriter err = spec.commandLine().getErr();
        Report report = new LedgerBench(plan, doing -> err.println("bench: " + doing)).run();
        return conclude(report, asked, baseline);
    }

    @Command(
            name = "channel",
            description = {
                "Sends, drains, end to end and idle latency of channels, with and without lanes.",
                "On PostgreSQL beside db-scheduler, JobRunr, transaction-outbox and namastack-outbox, which the launcher",
                "fetches for this command. It works in schemas or a directory of its own, which it removes afterwards."
            },
            mixinStandardHelpOptions = true)
    int channel(
            @Option(
                            names = "--store",
                            paramLabel = "URL",
                            description = {
                                "Measure only this store: schemas of its own in the database, or files beside this one.",
                                "Without it: a private PostgreSQL with durable settings, and SQLite files."
                            })
                    @Nullable
                    String store,
            @Option(
                            names = "--quick",
                            hidden = true,
                            description = "As few messages as possible, to see that it works.")
                    boolean quick,
            @Mixin Asked asked) {
        Baseline baseline = asked.baseline == null ? null : Baseline.read(asked.baseline);
        ChannelPlan plan = new ChannelPlan(store, length(asked), quick ? ChannelPlan.TINY : ChannelPlan.FULL);
        PrintWriter err = spec.commandLine().getErr();
        try (Contenders contenders = Contenders.installed()) {
            Report report = new ChannelBench(plan, contenders, doing -> err.println("bench: " + doing)).run();
            return conclude(report, asked, baseline);
        }
    }

    private Duration length(Asked asked) {
        if (!(asked.seconds > 0 && asked.seconds <= 600)) {
            throw new ParameterException(
                    spec.commandLine(), "--seconds is " + asked.seconds + "; it must be above 0 and at most 600.");
        }
        return Duration.ofNanos((long) (asked.seconds * 1e9));
    }

    private int conclude(Report report, Asked asked, @Nullable Baseline baseline) {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        if (asked.json.chosen()) {
            asked.json.print(out, report);
        } else {
            Table.print(report, out);
        }
        List<Report.Target> missed = asked.check ? report.missed() : List.of();
        missed.forEach(target -> err.println("missed: " + target.name() + ": " + target.measured() + ", target "
                + target.target() + (target.note() == null ? "" : " (" + target.note() + ")")));
        List<Baseline.Loss> losses = baseline == null ? List.of() : baseline.losses(report);
        losses.forEach(loss -> err.println("lost: " + loss));
        return (missed.isEmpty() && losses.isEmpty() ? Exit.OK : Exit.CHECK_FAILED).code();
    }
}
