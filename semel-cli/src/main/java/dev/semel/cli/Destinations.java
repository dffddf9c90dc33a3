package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.server.config.ConfigFaults;
import dev.semel.server.config.ConfigFile;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.Secrets;
import dev.semel.server.delivery.DeliveryProbe;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "destinations",
        description = "Tests the destinations of a server, and tells how deliveries to them went.",
        mixinStandardHelpOptions = true)
final class Destinations implements Runnable {
    private final Secrets secrets;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    Destinations() {
        this(Secrets.ofProcess());
    }

    Destinations(Secrets secrets) {
        this.secrets = secrets;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing subcommand: use list, show or test.");
    }

    @Command(
            name = "list",
            header = "Lists the destinations of a server's ledger, and how deliveries to them went on all nodes.",
            description =
                    "Read-only. Lists those for which something waits, that are paused, or of which the newest events of the audit tell.",
            mixinStandardHelpOptions = true)
    int list(@Mixin LedgerOption ledger) {
        List<Facts> all;
        try (OperatedLedger opened = ledger.open()) {
            all = opened.get("/admin/destinations", CommandInput.none()).list("destinations");
        }
        ledger.tell(
                () -> all.stream().map(DestinationLines::facts).toList(),
                screen -> DestinationLines.print(screen, all));
        return Exit.OK.code();
    }

    @Command(
            name = "show",
            header = "Shows how deliveries to a destination went on all nodes, with its newest attempts.",
            description = {
                "Read-only. An attempt with 401 or 403 is not listed: it pauses the channel, with a reason.",
                "Exits with 1 when the ledger knows nothing of the destination."
            },
            mixinStandardHelpOptions = true)
    int show(
            @Parameters(paramLabel = "NAME", description = "The name of the destination.") String name,
            @Mixin LedgerOption ledger,
            @Option(
                            names = "-n",
                            paramLabel = "N",
                            defaultValue = "20",
                            description = "Maximum number of attempts. By default ${DEFAULT-VALUE}.")
                    int limit) {
        if (limit < 1) {
            throw new SemelException.Invalid("-n " + limit + " is invalid. Use 1 or more.");
        }
        Facts destination;
        try (OperatedLedger opened = ledger.open()) {
            destination = opened.get(path(name), CommandInput.of("limit", limit));
        }
        ledger.tell(() -> DestinationLines.facts(destination), screen -> DestinationLines.print(screen, destination));
        return Exit.OK.code();
    }

    private static String path(String name) {
        if (!name.matches("[a-z0-9][a-z0-9._-]{0,59}")) {
            throw new CheckFailed(
                    "The ledger knows nothing of a destination \"" + Screen.plain(name) + "\": it is not a name.");
        }
        return "/admin/destinations/" + name;
    }

    @Command(
            name = "test",
            header = "Sends a signed test event to a destination, by the same rules as every delivery.",
            description = {
                "With --file this process sends it, and needs no store. With --url the server sends it, by the configuration of that node;"
                        + " audited, so --reason is needed.",
                "The destination gets a real request: its webhook-id begins with semel-test-, its body is {\"type\":\"semel.test\"}.",
                "It changes no health. Exits with 1 when it failed, or when the file has faults."
            },
            mixinStandardHelpOptions = true)
    int test(
            @Parameters(paramLabel = "NAME", description = "The name of the destination.") String name,
            @Option(
                            names = "--file",
                            paramLabel = "FILE",
                            defaultValue = "semel.yaml",
                            description = "The configuration file. By default ${DEFAULT-VALUE}.")
                    Path file,
            @Option(names = "--reason", paramLabel = "TEXT", description = "With --url: the reason, for the audit.")
                    @Nullable
                    String reason,
            @Mixin LedgerOption ledger)
            throws InterruptedException {
        if (ledger.isServer()) {
            return told(ledger, byServer(ledger, name, reason));
        }
        if (spec.commandLine().getSubcommands().get("test").getParseResult().hasMatchedOption("--store")) {
            throw new ParameterException(
                    spec.commandLine(), "A test event needs no store: give --file, or the server with --url.");
        }
        DeliveryProbe.ProbeResult result;
        try {
            result = DeliveryProbe.run(
                    find(name, ConfigFile.read(file, secrets).config().destinations()));
        } catch (ConfigFaults wrong) {
            wrong.findings().forEach(fault -> ledger.err().println(Screen.plain(fault.in(file.toString()))));
            return Exit.CHECK_FAILED.code();
        }
        return told(ledger, result);
    }

    private static DeliveryProbe.ProbeResult byServer(LedgerOption ledger, String name, @Nullable String reason) {
        if (reason == null) {
            throw new SemelException.Invalid("With --url give --reason, for the audit: nothing was sent.");
        }
        Facts answer;
        try (OperatedLedger opened = ledger.open()) {
            answer = opened.post(path(name) + "/test", CommandInput.of("reason", reason));
        }
        return new DeliveryProbe.ProbeResult(
                answer.flag("delivered"),
                answer.has("status") ? Integer.valueOf((int) answer.number("status")) : null,
                answer.text("sentence"),
                answer.text("answer"));
    }

    private static int told(LedgerOption ledger, DeliveryProbe.ProbeResult result) {
        ledger.tell(() -> result, screen -> {
            screen.line(Screen.plain(result.words()));
            if (!result.answer().isEmpty()) {
                screen.line("Its answer: " + Screen.plain(result.answer()));
            }
        });
        return (result.delivered() ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    private DestinationConfig find(String name, List<DestinationConfig> all) {
        return all.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(),
                        "There is no destination '" + Screen.plain(name) + "' in the file; it has "
                                + String.join(
                                        ", ",
                                        all.stream()
                                                .map(DestinationConfig::name)
                                                .toList())
                                + "."));
    }
}
