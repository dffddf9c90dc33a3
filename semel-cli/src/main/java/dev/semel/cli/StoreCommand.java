package dev.semel.cli;

import dev.semel.operator.Operator;
import dev.semel.store.Store;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(name = "store", description = "Manages a store.", mixinStandardHelpOptions = true)
final class StoreCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing subcommand: use adopt.");
    }

    @Command(
            name = "adopt",
            header = "Adopts a store that was restored from a backup.",
            description = {
                "Starts a new epoch of fences, which invalidates all earlier grants. Every interrupted run becomes"
                        + " UNKNOWN: it may or may not have taken effect.",
                "Records written after the backup are lost: the calls of that time will run again."
            },
            mixinStandardHelpOptions = true)
    void adopt(@Mixin StoreOption store, @Mixin WarrantOption warrant) {
        Operator.Warrant why = warrant.given();
        try (Store opened = store.openRestored()) {
            int unknown = Operator.on(opened).adopt(why);
            spec.commandLine()
                    .getOut()
                    .println(opened.name() + " adopted: epoch "
                            + opened.switchboard().epoch() + "; runs that became UNKNOWN: " + unknown + ".");
        }
    }
}
