package dev.semel.cli;

import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.util.ArrayList;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(name = "schema", description = "Shows the tables that a store needs.", mixinStandardHelpOptions = true)
final class Schema implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing subcommand: use print.");
    }

    @Command(
            name = "print",
            description = "Prints the schema as SQL, for manual installation.",
            mixinStandardHelpOptions = true)
    void print(
            @Option(
                            names = "--engine",
                            required = true,
                            paramLabel = "NAME",
                            completionCandidates = Engines.class,
                            description = "One of: ${COMPLETION-CANDIDATES}.")
                    String engine,
            @Option(
                            names = "--from",
                            paramLabel = "VERSION",
                            defaultValue = "0",
                            description = "Prints only the upgrade from this schema version.")
                    int from) {
        StoreProvider provider = Stores.installed().engine(engine);
        String ddl = provider.ddl(from).strip();
        spec.commandLine().getOut().println(ddl.isEmpty() ? nothing(provider, from) : ddl);
    }

    private static String nothing(StoreProvider provider, int from) {
        return provider.ddl().isEmpty()
                ? "-- " + provider.engine() + " needs no schema"
                : "-- version " + from + " is not older than the version that this Semel needs: nothing to upgrade";
    }

    static final class Engines extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        Engines() {
            super(Stores.installed().all().stream().map(StoreProvider::engine).toList());
        }
    }
}
