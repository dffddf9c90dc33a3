package dev.semel.cli;

import dev.semel.operator.Operator;
import dev.semel.store.Store;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(name = "store", description = "Looks after a store as a whole.", mixinStandardHelpOptions = true)
final class StoreCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to do with the store: adopt.");
    }

    @Command(
            name = "adopt",
            header = "Takes a store into use that was restored from a copy.",
            description = {
                "Fences go on from a new epoch, so that nothing which was granted before is valid any more, and every run"
                        + " that was under way becomes UNKNOWN: it may or may not have taken effect.",
                "What was recorded after the copy was made is not in it: calls of that time will run again."
            },
            mixinStandardHelpOptions = true)
    void adopt(@Mixin StoreOption store, @Mixin WarrantOption warrant) {
        Operator.Warrant why = warrant.given();
        try (Store opened = store.openRestored()) {
            int unknown = Operator.on(opened).adopt(why);
            spec.commandLine()
                    .getOut()
                    .println(opened.name() + " is adopted: epoch "
                            + opened.switchboard().epoch() + "; runs that became UNKNOWN: " + unknown + ".");
        }
    }
}
