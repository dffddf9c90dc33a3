package dev.semel.cli;

import dev.semel.bench.Baseline;
import dev.semel.bench.ChannelBench;
import dev.semel.bench.ChannelPlan;
import dev.semel.bench.Contenders;
import dev.semel.bench.HttpBench;
import dev.semel.bench.HttpPlan;
import dev.semel.bench.HttpServers;
import dev.semel.bench.LedgerBench;
import dev.semel.bench.Plan;
import dev.semel.bench.Report;
import dev.semel.bench.Table;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
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
        throw new ParameterException(spec.commandLine(), "Say what to measure: ledger, channel or http.");
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

        @Option(names = "--quick", hidden = true, description = "As little as possible, to see that it works.")
        private boolean quick;
    }

    /** Measures, telling what it is at. */
    @FunctionalInterface
    private interface Measuring {
        Report run(Consumer<String> progress);
    }

    private int measure(Asked asked, Measuring measuring) {
        Baseline baseline = asked.baseline == null ? null : Baseline.read(asked.baseline);
        PrintWriter err = spec.commandLine().getErr();
        return conclude(measuring.run(doing -> err.println("bench: " + doing)), asked, baseline);
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
            @Mixin Asked asked) {
        Plan plan = new Plan(store, length(asked), asked.quick ? Plan.TINY : Plan.FULL);
        return measure(asked, progress -> new LedgerBench(plan, progress).run());
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
            @Mixin Asked asked) {
        ChannelPlan plan = new ChannelPlan(store, length(asked), asked.quick ? ChannelPlan.TINY : ChannelPlan.FULL);
        return measure(asked, progress -> {
            try (Contenders contenders = Contenders.installed()) {
                return new ChannelBench(plan, contenders, progress).run();
            }
        });
    }

    @Command(
            name = "http",
            description = {
                "A POST without the Idempotency-Key filter, with it the first time, and",
                "replayed; at the levels SPAN and MARKER, on Spring Boot and a private",
                "PostgreSQL with durable settings. Then a million requests, to see whether",
                "memory grows. The launcher builds the servers for this command."
            },
            mixinStandardHelpOptions = true)
    int http(@Mixin Asked asked) {
        HttpPlan plan = new HttpPlan(length(asked), asked.quick ? HttpPlan.TINY : HttpPlan.FULL);
        return measure(asked, progress -> new HttpBench(plan, HttpServers.installed(), progress).run());
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
