package dev.semel.cli;

import dev.semel.Operation;
import dev.semel.Tenant;
import java.util.Map;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "ops",
        description = "Lists, shows, explains, compares and cancels records.",
        subcommands = {
            OpsList.class,
            OpsShow.class,
            OpsTree.class,
            OpsExplain.class,
            OpsStatus.class,
            OpsCancel.class,
            OpsDiff.class
        },
        mixinStandardHelpOptions = true)
final class Ops implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "Missing subcommand: use list, show, tree, explain, status, cancel, diff or forget.");
    }

    @Command(
            name = "forget",
            header = "Removes the record of a key, so that the next call runs again.",
            description = {
                "Audited. Rejected while the record is queued or running. A node with a local cache may replay the old"
                        + " result until it expires there.",
                "Exits with 1 when there was no record, or its state does not allow it."
            },
            mixinStandardHelpOptions = true)
    int forget(
            @Mixin LedgerOption ledger,
            @Option(names = "--tenant", required = true, paramLabel = "NAME", description = "The tenant.")
                    String tenant,
            @Option(names = "--operation", required = true, paramLabel = "NAME", description = "The operation.")
                    String operation,
            @ArgGroup(multiplicity = "1") KeyOption key,
            @Mixin WarrantOption warrant) {
        CommandInput input = CommandInput.of("reason", warrant.reason())
                .with("tenant", Tenant.of(tenant).name())
                .with(
                        "operation",
                        Operation.leased(operation, Object.class, Object.class).name());
        Facts forgotten;
        try (OperatedLedger opened = ledger.open(warrant)) {
            forgotten = opened.post(
                    "/admin/forget", input.with("key", key.read(System.in).text()));
        }
        ledger.tell(
                () -> Map.of("outcome", forgotten.text("outcome")),
                screen -> screen.line(Screen.plain(forgotten.text("sentence"))));
        return Exit.OK.code();
    }
}
