package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "demo",
        header = "Demonstrates that duplicate and crashing callers pay exactly once.",
        description = {
            "Starts several processes that make payments on one ledger. Every payment is requested at least three"
                    + " times, often concurrently. About every second a process is killed while it works, and its"
                    + " callers retry elsewhere. At the end the payments are counted.",
            "  retried      requested again after a crash, or because it was in progress",
            "  doubled      payments that were made more than once",
            "  lost         payments that were confirmed but are missing",
            "  taken over   transfers of a killed process that another process finished",
            "  redelivered  transfers that reached the bank twice and were recognised by their key",
            "Exits with 1 when a payment was doubled or lost."
        },
        mixinStandardHelpOptions = true)
final class Demo implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Stop after this many seconds; without it, stop with" + " Ctrl-C.")
    private @Nullable Integer seconds;

    @Option(
            names = "--processes",
            paramLabel = "N",
            defaultValue = "4",
            description = "Number of processes. By default ${DEFAULT-VALUE}.")
    private int processes;

    @Option(
            names = "--callers",
            paramLabel = "N",
            defaultValue = "8",
            description = "Concurrent callers per process. By default ${DEFAULT-VALUE}.")
    private int callers;

    @Option(
            names = "--store",
            paramLabel = "URL",
            description = {
                "The ledger to use, such as postgresql://user@host/database, instead of a temporary file.",
                "Its records stay until their retention ends, and so does an empty table semel_demo_payment."
            })
    private @Nullable String store;

    @Option(
            names = "--without-semel",
            description = "Check first, then pay, without Semel: shows that doubled and lost payments are counted.")
    private boolean withoutSemel;

    @Mixin
    private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
        demandSense();
        try (DemoInterrupt interrupt = new DemoInterrupt()) {
            Path directory = Files.createTempDirectory("semel-demo-");
            // The driver unpacks its library here, so that no file stays after Ctrl-C.
            System.setProperty("org.sqlite.tmpdir", directory.toString());
            try {
                return interrupt.exitsWith(play(directory, interrupt)).code();
            } finally {
                System.clearProperty("org.sqlite.tmpdir");
                remove(directory);
            }
        }
    }

    private void demandSense() {
        List<String> faults = new ArrayList<>();
        demand(faults, "--seconds", seconds == null ? 1 : seconds, 86_400);
        demand(faults, "--processes", processes, 64);
        demand(faults, "--callers", callers, 256);
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("demo", faults);
        }
    }

    private static void demand(List<String> faults, String option, int value, int most) {
        if (value < 1 || value > most) {
            faults.add(option + " is " + value + ": use 1 to " + most + ", or omit it");
        }
    }

    private Exit play(Path directory, DemoInterrupt interrupt) throws InterruptedException {
        String url = store == null ? "sqlite:" + directory.resolve("ledger.db") : store;
        DemoTable table = new DemoTable(UUID.randomUUID().toString().substring(0, 8));
        try (Store opened = Stores.open(url, StoreProvider.Options.DEFAULT)) {
            table.create(opened);
            RandomGenerator random = new SplittableRandom();
            DemoTraffic traffic = new DemoTraffic(TimeSource.system(), random);
            List<String> arguments = arguments(table);
            DemoProcesses crew =
                    new DemoProcesses(traffic, number -> DemoProcess.start(number, directory, url, arguments), callers);
            DemoScreen screen = screen(opened.name());
            DemoCounter judge = new DemoCounter(opened, table, !withoutSemel);
            DemoRun.Plan plan = new DemoRun.Plan(processes, seconds == null ? null : Duration.ofSeconds(seconds));
            DemoScore score;
            try (crew) {
                DemoRun run = new DemoRun(plan, traffic, crew, judge, screen, random);
                interrupt.stops(run);
                score = run.play();
            }
            if (store != null) {
                table.clear(opened);
            }
            screen.finish(score, !withoutSemel);
            if (json.chosen()) {
                json.print(spec.commandLine().getOut(), score);
            }
            return score.effects().exactlyOnce() ? Exit.OK : Exit.CHECK_FAILED;
        }
    }

    private List<String> arguments(DemoTable table) {
        List<String> arguments = new ArrayList<>(List.of("--run", table.run(), "--callers", String.valueOf(callers)));
        if (withoutSemel) {
            arguments.add("--without-semel");
        }
        return arguments;
    }

    private DemoScreen screen(String name) {
        Ansi ansi = spec.commandLine().getColorScheme().ansi();
        DemoScreen.Form form = json.chosen()
                ? DemoScreen.Form.NOTHING
                : ansi.enabled() ? DemoScreen.Form.TERMINAL : DemoScreen.Form.LINES;
        String company = processes + " processes with " + callers + " callers each pay on one ledger"
                + (withoutSemel ? ", without Semel" : "");
        return new DemoScreen(spec.commandLine().getOut(), ansi, form, company, name);
    }

    private static void remove(Path directory) {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Removing " + directory + " failed. Remove it by hand.", e);
        }
    }
}
