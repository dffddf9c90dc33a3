package dev.semel.cli;

import dev.semel.store.Store;
import java.io.PrintWriter;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The store and the output format of a command on a ledger. */
final class LedgerOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private StoreOption store = new StoreOption();

    @Mixin
    private JsonOption json = new JsonOption();

    Store open() {
        return store.open();
    }

    /** Whether the output is JSON. */
    boolean forPrograms() {
        return json.chosen();
    }

    Screen screen() {
        return Screen.of(spec);
    }

    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** For progress and errors. */
    PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /**
     * @param facts the JSON output
     * @param words the text output
     */
    void tell(Supplier<?> facts, Consumer<Screen> words) {
        if (json.chosen()) {
            json.print(out(), facts.get());
        } else {
            words.accept(screen());
        }
    }
}
