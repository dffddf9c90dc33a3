package dev.semel.bench;

import dev.semel.cli.AddedCommand;
import dev.semel.cli.Exit;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** {@code semel bench}: for a checkout, not for operators. */
@Command(name = "bench", description = "Measures Semel, and the same work without it.", mixinStandardHelpOptions = true)
public final class BenchCommand implements AddedCommand, Runnable {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing subcommand: use ledger, channel, http or ingress.");
    }

    /** The common options of all benches. */
    static final class BenchOptions {
        @Option(names = "--json", description = "Print JSON.")
        private boolean json;

        @Option(names = "--check", description = "Exit with 1 and name the target when a target is missed.")
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
                description = "Duration of each measurement. By default ${DEFAULT-VALUE}.")
        private double seconds = 3;

        @Option(names = "--quick", hidden = true, description = "Measure as little as possible, as a smoke test.")
        private boolean quick;
    }

    /** A bench that reports its progress. */
    @FunctionalInterface
    private interface Measuring {
        Report run(Consumer<String> progress);
    }

    private int measure(BenchOptions options, Measuring measuring) {
        Baseline baseline = options.baseline == null ? null : Baseline.read(options.baseline);
        PrintWriter err = spec.commandLine().getErr();
        return conclude(measuring.run(doing -> err.println("bench: " + doing)), options, baseline);
    }

    @Command(
            name = "ledger",
            description = {
                "First calls, replays and conflicts, atomic and leased, by 1 to 512 callers.",
                "Uses its own schema or directory and removes it afterwards."
            },
            mixinStandardHelpOptions = true)
    int ledger(
            @Option(
                            names = "--store",
                            paramLabel = "URL",
                            description = {
                                "Measure only this store, in its own schema of the database or in a file beside this"
                                        + " one.",
                                "Without it: a private PostgreSQL with durable settings, a SQLite file, and memory."
                            })
                    @Nullable
                    String store,
            @Mixin BenchOptions options) {
        LedgerPlan plan = new LedgerPlan(store, length(options), options.quick ? LedgerPlan.TINY : LedgerPlan.FULL);
        return measure(options, progress -> new LedgerBench(plan, progress).run());
    }

    @Command(
            name = "channel",
            description = {
                "Sends, drains, end to end and idle latency of channels, with and without lanes.",
                "On PostgreSQL beside db-scheduler, JobRunr, transaction-outbox and namastack-outbox, which the"
                        + " launcher",
                "fetches for this command. Uses its own schemas or directory and removes them afterwards."
            },
            mixinStandardHelpOptions = true)
    int channel(
            @Option(
                            names = "--store",
                            paramLabel = "URL",
                            description = {
                                "Measure only this store, in its own schemas of the database or in files beside this"
                                        + " one.",
                                "Without it: a private PostgreSQL with durable settings, and SQLite files."
                            })
                    @Nullable
                    String store,
            @Option(
                            names = "--part",
                            paramLabel = "PART",
                            split = ",",
                            description = "Measure only these parts: ${COMPLETION-CANDIDATES}. By default all of them.")
                    @Nullable
                    Set<ChannelPlan.Part> parts,
            @Mixin BenchOptions options) {
        ChannelPlan plan = new ChannelPlan(
                store,
                length(options),
                options.quick ? ChannelPlan.TINY : ChannelPlan.FULL,
                parts == null ? EnumSet.allOf(ChannelPlan.Part.class) : parts);
        return measure(options, progress -> {
            try (ComparedLibraries libraries = ComparedLibraries.installed()) {
                return new ChannelBench(plan, libraries, progress).run();
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
    int http(
            @Option(
                            names = "--before",
                            paramLabel = "JAR",
                            description = {
                                "Servers of an earlier version (.semel/servers-*.jar of its checkout): measured in turn",
                                "with the present ones, in the place of code written by hand. The targets are then nine",
                                "tenths of the earlier version, and memory is not measured."
                            })
                    @Nullable
                    Path before,
            @Mixin BenchOptions options) {
        HttpPlan plan = new HttpPlan(length(options), options.quick ? HttpPlan.TINY : HttpPlan.FULL);
        HttpServers earlier = before == null ? null : HttpServers.ofJar(before);
        return measure(options, progress -> new HttpBench(plan, HttpServers.installed(), earlier, progress).run());
    }

    @Command(
            name = "ingress",
            description = {
                "Webhooks acknowledged and delivered by 'semel serve', beside the same Jetty",
                "without a ledger; requests through its gateway; runs by its HTTP API; on SQLite",
                "and a private PostgreSQL with durable settings. Then a million webhooks, to see",
                "whether memory grows."
            },
            mixinStandardHelpOptions = true)
    int ingress(@Mixin BenchOptions options) {
        IngressPlan plan = new IngressPlan(length(options), options.quick ? IngressPlan.TINY : IngressPlan.FULL);
        return measure(options, progress -> new IngressBench(plan, IngressServers.installed(), progress).run());
    }

    private Duration length(BenchOptions options) {
        if (!(options.seconds > 0 && options.seconds <= 600)) {
            throw new ParameterException(
                    spec.commandLine(), "--seconds is " + options.seconds + "; use more than 0 and at most 600.");
        }
        return Duration.ofNanos((long) (options.seconds * 1e9));
    }

    private int conclude(Report report, BenchOptions options, @Nullable Baseline baseline) {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        if (options.json) {
            out.println(JSON.writeValueAsString(report));
        } else {
            Table.print(report, out);
        }
        List<Report.Target> missed = options.check ? report.missed() : List.of();
        missed.forEach(target -> err.println("missed: " + target.name() + ": " + target.measured() + ", target "
                + target.target() + (target.note() == null ? "" : " (" + target.note() + ")")));
        List<Baseline.Loss> losses = baseline == null ? List.of() : baseline.losses(report);
        losses.forEach(loss -> err.println("lost: " + loss));
        return (missed.isEmpty() && losses.isEmpty() ? Exit.OK : Exit.CHECK_FAILED).code();
    }
}
