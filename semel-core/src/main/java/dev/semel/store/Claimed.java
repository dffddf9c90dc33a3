package dev.semel.store;

import java.util.List;

/**
 * The answer to a {@link Claim}.
 *
 * @param rows granted, IN_PROGRESS under the claim's owner; those of one lane are next to each other and in its order
 * @param more whether to claim again at once: there was more than was granted, or something was placed
 * @param last the tenant after which the next claim's turns continue
 * @param modesChanged nothing was granted, as the modes are not those of the version given
 * @param partial whether more may have been granted than is listed here, see {@link Queue#heldBy}
 */
public record Claimed(List<Row> rows, boolean more, String last, boolean modesChanged, boolean partial) {
    public Claimed {
        rows = List.copyOf(rows);
    }

    /** All that was granted. */
    public Claimed(List<Row> rows, boolean more, String last, boolean modesChanged) {
        this(rows, more, last, modesChanged, false);
    }
}
