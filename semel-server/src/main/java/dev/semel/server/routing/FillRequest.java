package dev.semel.server.routing;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a new route is filled with.
 *
 * @param from name of a source or topic
 * @param to name of a destination to which a route leads from there
 * @param tenant only of this one; null for all
 * @param since only what came in from then on, by the clocks of the nodes that took it; null for all that is kept
 */
public record FillRequest(
        String from,
        String to,
        @Nullable String tenant,
        @Nullable Instant since) {}
