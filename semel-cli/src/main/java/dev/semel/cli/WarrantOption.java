package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.operator.Operator.Warrant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The author and the reason of a change, for the audit. */
final class WarrantOption {
    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "The reason, for the audit.")
    private String reason = "";

    @Option(
            names = "--actor",
            paramLabel = "NAME",
            description = "The author, for the audit. By default the system user. Not with --url: the server writes the"
                    + " name of the token.")
    private @Nullable String actor;

    /** @throws SemelException.Invalid when a server is told who acts: it knows by the token */
    String actor(boolean server) {
        if (server && actor != null) {
            throw new SemelException.Invalid("--actor and --url exclude each other: the server writes the name of your"
                    + " token into the audit.");
        }
        String name = actor == null ? System.getProperty("user.name", "") : actor;
        return new Warrant(server ? "server" : name, reason).actor();
    }

    String reason() {
        return reason;
    }
}
