package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.operator.Operator;
import dev.semel.server.config.ConfigFaults;
import dev.semel.server.config.ConfigFile;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.Secrets;
import dev.semel.server.delivery.DeliveryProbe;
import dev.semel.server.delivery.DestinationReport;
import dev.semel.store.Store;
import java.nio.file.Path;
import java.util.List;
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
    int list(@Mixin StoreOption ledger, @Mixin JsonOption json) {
        List<DestinationReport> reports;
        try (Store opened = ledger.open()) {
            Operator operator = Operator.on(opened);
            reports = DestinationReport.names(operator).stream()
                    .map(name -> DestinationReport.of(operator, name, 1))
                    .toList();
        }
        if (json.chosen()) {
            json.print(
                    spec.commandLine().getOut(),
                    reports.stream().map(DestinationLines::facts).toList());
        } else {
            DestinationLines.print(Screen.of(spec), reports);
        }
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
            @Mixin StoreOption ledger,
            @Mixin JsonOption json,
            @Option(
                            names = "-n",
                            paramLabel = "N",
                            defaultValue = "20",
                            description = "Maximum number of attempts. By default ${DEFAULT-VALUE}.")
                    int limit) {
        if (limit < 1) {
            throw new SemelException.Invalid("-n " + limit + " is invalid. Use 1 or more.");
        }
        DestinationReport report;
        try (Store opened = ledger.open()) {
            Operator operator = Operator.on(opened);
            report = DestinationReport.of(operator, name, limit);
            if (report.attempts().isEmpty()
                    && !DestinationReport.names(operator).contains(name)) {
                throw new CheckFailed("The ledger knows nothing of a destination \"" + Screen.plain(name)
                        + "\": 'semel destinations list' lists those that it knows.");
            }
        }
        if (json.chosen()) {
            json.print(spec.commandLine().getOut(), DestinationLines.facts(report));
        } else {
            DestinationLines.print(Screen.of(spec), report);
        }
        return Exit.OK.code();
    }

    @Command(
            name = "test",
            header = "Sends a signed test event to a destination, by the same rules as every delivery.",
            description = {
                "Needs no store. The destination gets a real request: its webhook-id begins with semel-test-, its body is {\"type\":\"semel.test\"}.",
                "It is recorded nowhere and changes no health. Exits with 1 when it failed, or when the file has faults."
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
            @Mixin JsonOption json)
            throws InterruptedException {
        DeliveryProbe.ProbeResult result;
        try {
            result = DeliveryProbe.run(
                    find(name, ConfigFile.read(file, secrets).config().destinations()));
        } catch (ConfigFaults wrong) {
            wrong.findings()
                    .forEach(fault -> spec.commandLine().getErr().println(Screen.plain(fault.in(file.toString()))));
            return Exit.CHECK_FAILED.code();
        }
        if (json.chosen()) {
            json.print(spec.commandLine().getOut(), result);
        } else {
            Screen screen = Screen.of(spec);
            screen.line(Screen.plain(result.words()));
            if (!result.answer().isEmpty()) {
                screen.line("Its answer: " + Screen.plain(result.answer()));
            }
        }
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
