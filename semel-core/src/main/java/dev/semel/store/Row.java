package dev.semel.store;

import dev.semel.key.RecordId;
import org.jspecify.annotations.Nullable;

/**
 * A record as read. The arrays belong to the reader.
 *
 * @param payload kept where a run without a caller may need it
 * @param result the snapshot; absent for a result of null
 * @param failure the newest failure as JSON
 */
public record Row(
        RecordId id,
        Header header,
        Status status,
        byte @Nullable [] payload,
        byte @Nullable [] result,
        byte @Nullable [] failure) {
    public State state() {
        return status.state();
    }
}
