package dev.semel.cli;

import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.operator.Operator;
import dev.semel.operator.Operator.Forgotten;
import dev.semel.store.Store;
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
            @Mixin StoreOption store,
            @Option(names = "--tenant", required = true, paramLabel = "NAME", description = "The tenant.")
                    String tenant,
            @Option(names = "--operation", required = true, paramLabel = "NAME", description = "The operation.")
                    String operation,
            @ArgGroup(multiplicity = "1") KeyOption key,
            @Mixin WarrantOption warrant) {
        Operator.Warrant why = warrant.given();
        Tenant whose = Tenant.of(tenant);
        String what = Operation.leased(operation, Object.class, Object.class).name();
        Key which = key.read(System.in);
        Forgotten result;
        try (Store opened = store.open()) {
            result = Operator.on(opened).forget(whose, what, which, why);
        } catch (SemelException.Invalid e) {
            // The input is already validated, so the state of the record is the cause.
            throw new CheckFailed(e.getMessage());
        }
        boolean done = result == Forgotten.DONE;
        spec.commandLine()
                .getOut()
                .println(what + " (tenant " + whose + "): "
                        + (done ? "forgotten; the next call with this key runs." : "no record of this key."));
        return (done ? Exit.OK : Exit.CHECK_FAILED).code();
    }
}
