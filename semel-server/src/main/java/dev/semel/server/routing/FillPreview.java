package dev.semel.server.routing;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a fill would do.
 *
 * @param request what was asked for
 * @param cut what was there when it was asked; a fill goes no further
 * @param matched how many messages would be sent
 * @param already how many of those that match went to the destination before, by the route or an earlier fill
 * @param oldest when the oldest message that is still kept came in; null when nothing is kept. Older ones were purged and cannot be sent
 */
public record FillPreview(
        FillRequest request,
        FillCut cut,
        long matched,
        long already,
        @Nullable Instant oldest) {

    /**
     * Where a fill ends.
     *
     * @param fence of the newest grant: what was routed later was routed with the new route
     * @param at when it was asked; a message whose deadline had passed by then is not sent
     */
    public record FillCut(long fence, Instant at) {}
}
