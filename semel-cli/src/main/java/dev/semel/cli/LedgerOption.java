package dev.semel.cli;

import dev.semel.store.Store;
import java.io.PrintWriter;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** For commands that look into a ledger and tell a person or a program what they found. */
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

    /** Whether a program reads what is printed. */
    boolean forPrograms() {
        return json.chosen();
    }

    Screen screen() {
        return Screen.of(spec);
    }

    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** Where a person is told how far it is, or what is wrong. */
    PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /**
     * @param facts for a program
     * @param words for a person
     */
    void tell(Supplier<?> facts, Consumer<Screen> words) {
        if (json.chosen()) {
            json.print(out(), facts.get());
        } else {
            words.accept(screen());
        }
    }
}
