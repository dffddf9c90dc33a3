package dev.semel.demo;

import dev.semel.SemelException;
import dev.semel.cli.AddedCommand;
import dev.semel.cli.Exit;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** {@code semel demo}: for a checkout, not for operators. */
@Command(
        name = "demo",
        header = "Shows webhooks delivered exactly once, while processes are killed.",
        description = {
            "A shop sends signed webhooks, each several times and old ones again. A server takes them in and has the"
                    + " console; its workers deliver them to a bank that fails often. About every second a worker or the"
                    + " shop is killed, and starts again.",
            "The score is counted in the bank's own log:",
            "  asked       webhooks that were sent, copies included",
            "  duplicates  of these, those that had been sent before",
            "  delivered   different webhooks that the bank has booked",
            "  waiting     acknowledged to the shop, and not booked yet",
            "  doubled     booked more than once",
            "  lost        acknowledged to the shop, and never booked; counted at the end, or when the process that held"
                    + " it in memory has died",
            "Exits with 1 when Semel doubled or lost one, or changed the order of a customer's."
        },
        mixinStandardHelpOptions = true)
public final class DemoCommand implements AddedCommand, Callable<Integer> {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    private static final int RUN_DIGITS = 8;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Stop after this many seconds; without it, stop with Ctrl-C.")
    private @Nullable Integer seconds;

    @Option(
            names = "--workers",
            paramLabel = "N",
            defaultValue = "3",
            description = "Processes that deliver. By default ${DEFAULT-VALUE}.")
    private int workers = 3;

    @Option(
            names = "--store",
            paramLabel = "URL",
            description = {
                "The ledger to use, such as postgresql://user@host/database, instead of a temporary file.",
                "Its records stay until their retention ends."
            })
    private @Nullable String store;

    @Option(
            names = "--without-semel",
            description =
                    "Send the same webhooks also through a receiver written by hand, which is killed, too: the score"
                            + " gets a second column. The exit code is that of Semel's.")
    private boolean withoutSemel;

    @Option(names = "--json", description = "Print the score as JSON at the end, and nothing else.")
    private boolean json;

    @Override
    public Integer call() throws Exception {
        demandSense();
        try (Interrupt interrupt = new Interrupt()) {
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
        demand(faults, "--workers", workers, 64);
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("demo", faults);
        }
    }

    private static void demand(List<String> faults, String option, int value, int most) {
        if (value < 1 || value > most) {
            faults.add(option + " is " + value + ": use 1 to " + most + ", or omit it");
        }
    }

    private Exit play(Path directory, Interrupt interrupt) throws InterruptedException {
        String url = store == null ? "sqlite:" + directory.resolve("ledger.db") : store;
        DemoRun.Plan plan = new DemoRun.Plan(
                UUID.randomUUID().toString().substring(0, RUN_DIGITS),
                url,
                workers,
                seconds == null ? null : Duration.ofSeconds(seconds),
                withoutSemel,
                Bank.Rules.usual(new Random()));
        DemoScreen screen = screen(prepare(url));
        DemoRun run = new DemoRun(plan, directory, screen, new SplittableRandom());
        interrupt.stops(run);
        Score score = run.play();
        screen.finish(score);
        if (json) {
            PrintWriter out = spec.commandLine().getOut();
            out.println(JSON.writeValueAsString(score));
            out.flush();
        }
        return score.holds() ? Exit.OK : Exit.CHECK_FAILED;
    }

    /** Creates the ledger before several processes open it, and says where it is. */
    private static String prepare(String url) {
        try (Store opened = Stores.open(url, StoreProvider.Options.DEFAULT)) {
            if (url.startsWith("memory:")) {
                throw new SemelException.Misconfigured(
                        opened.name(),
                        List.of("the demo needs a database that several processes share: omit --store, or use a sqlite:"
                                + " or postgresql: store"));
            }
            return opened.name();
        }
    }

    private DemoScreen screen(String place) {
        Ansi ansi = spec.commandLine().getColorScheme().ansi();
        DemoScreen.Form form =
                json ? DemoScreen.Form.NOTHING : ansi.enabled() ? DemoScreen.Form.TERMINAL : DemoScreen.Form.LINES;
        return new DemoScreen(spec.commandLine().getOut(), ansi, form, place);
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
