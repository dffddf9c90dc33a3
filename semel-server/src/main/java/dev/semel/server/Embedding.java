package dev.semel.server;

import dev.semel.SemelException;
import dev.semel.console.admin.ProgramFigure;
import dev.semel.server.config.ServerConfig;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a program adds to the server that it embeds. Immutable.
 *
 * @param reader reads the configuration again for a reload; throws {@link SemelException.Misconfigured} with all its faults
 * @param figures what the program counts itself, for the overview; asked at each look, on the thread of the request
 * @param delivers whether this node delivers to the destinations; if not, other nodes on the same ledger must
 */
public record Embedding(Supplier<ServerConfig> reader, Supplier<List<ProgramFigure>> figures, boolean delivers) {
    /** No reload, no figures, and it delivers. */
    public static final Embedding PLAIN = new Embedding(
            () -> {
                throw new SemelException.Misconfigured(
                        "reload", List.of("this server was started without a file; it cannot be reloaded"));
            },
            List::of,
            true);

    /** With a configuration that operators can have read again. */
    public Embedding withReader(Supplier<ServerConfig> value) {
        return new Embedding(value, figures, delivers);
    }

    /** With figures for the overview. */
    public Embedding withFigures(Supplier<List<ProgramFigure>> value) {
        return new Embedding(reader, value, delivers);
    }

    /** A node that takes webhooks in and routes them, and leaves the deliveries to others. */
    public Embedding withoutDeliveries() {
        return new Embedding(reader, figures, false);
    }
}
