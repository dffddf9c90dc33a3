package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.server.config.ServerConfig;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The ledger and the output format of a command: a store, or a server by its URL. */
final class LedgerOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--store",
            paramLabel = "URL",
            defaultValue = "${env:SEMEL_STORE}",
            description = {
                "The store, such as sqlite:orders.db or postgresql://user@host/database.",
                "By default the environment variable SEMEL_STORE, which keeps a password out of the process list."
            })
    private @Nullable String store;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = {
                "The server, in place of a store, such as https://semel.example.",
                "The token is in the environment variable SEMEL_TOKEN, or in the file of --token-file."
            })
    private @Nullable String url;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "With --url: a file with your token. Keeps it out of the process list.")
    private @Nullable String tokenFile;

    @Mixin
    private JsonOption json = new JsonOption();

    /** For a command that only reads. */
    OperatedLedger open() {
        return open(System.getProperty("user.name", "operator"));
    }

    /** For a command that acts under a name; a server takes the name of the token. */
    OperatedLedger open(WarrantOption warrant) {
        return open(warrant.actor(isServer()));
    }

    private OperatedLedger open(String actor) {
        if (isServer()) {
            return new ServerLedger(String.valueOf(url), token());
        }
        return local(store(), actor, null);
    }

    /**
     * For a command that needs the configuration of the server, which a server has itself. Where no store is given, it is that of the
     * configuration.
     *
     * @param file reads the configuration
     * @param warrant null for a command that only reads
     */
    OperatedLedger open(Supplier<ServerConfig> file, @Nullable WarrantOption warrant) {
        if (isServer()) {
            return warrant == null ? open() : open(warrant);
        }
        ServerConfig config = file.get();
        String actor = warrant == null ? System.getProperty("user.name", "operator") : warrant.actor(false);
        return local(store == null ? config.store() : store, actor, config);
    }

    private static OperatedLedger local(String store, String actor, @Nullable ServerConfig config) {
        return new StoreLedger(existing(store), () -> existing(store), actor, config);
    }

    private static Store existing(String store) {
        return Stores.open(store, StoreProvider.Options.EXISTING);
    }

    /** As {@link #open(WarrantOption)}, also for a store that was restored from a backup. */
    OperatedLedger openRestored(WarrantOption warrant) {
        String actor = warrant.actor(isServer());
        return isServer()
                ? open(actor)
                : new StoreLedger(
                        Stores.open(store(), new StoreProvider.Options(null, true, false)),
                        () -> existing(store()),
                        actor,
                        null);
    }

    /** Whether a store or a server is given. */
    boolean isGiven() {
        return isServer() || store != null;
    }

    boolean isServer() {
        boolean both = url != null && spec.commandLine().getParseResult().hasMatchedOption("--store");
        if (both) {
            throw new ParameterException(spec.commandLine(), "--url and --store exclude each other: give one of them.");
        }
        if (url == null && tokenFile != null) {
            throw new ParameterException(spec.commandLine(), "--token-file needs --url.");
        }
        return url != null;
    }

    private String store() {
        if (store == null) {
            throw new ParameterException(
                    spec.commandLine(), "Missing required option: '--store=URL', or '--url=URL' for a server.");
        }
        return store;
    }

    private String token() {
        String token = tokenFile == null ? System.getenv("SEMEL_TOKEN") : read(tokenFile);
        if (token == null || token.isBlank()) {
            throw new SemelException.Invalid(
                    "There is no token for the server: set the environment variable SEMEL_TOKEN, or give --token-file.");
        }
        if (!token.strip().matches("[\\x21-\\x7e]+")) {
            throw new SemelException.Invalid("The token is invalid: it must be one line of visible ASCII characters.");
        }
        return token.strip();
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException | InvalidPathException e) {
            throw new SemelException.Invalid(
                    "Reading the token file " + file + " failed (" + e + "). Use a readable file.", e);
        }
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
