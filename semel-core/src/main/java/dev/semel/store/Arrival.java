package dev.semel.store;

import dev.semel.key.RecordId;
import org.jspecify.annotations.Nullable;

/**
 * A message to be queued.
 *
 * @param header its parent is the record that sent it, if one did
 * @param event written in the same commit, if the record is made
 */
public record Arrival(
        RecordId id,
        Header header,
        byte @Nullable [] payload,
        Line.@Nullable Lane lane,
        ArrivalTimes times,
        @Nullable AuditEntry event) {

    /**
     * The later of delay and start counts.
     *
     * @param delayMillis until it is due, from the store's now
     * @param start a moment before which it is not due, in milliseconds; 0 for none
     * @param deadline {@link Status#NEVER} for none
     */
    public record ArrivalTimes(long delayMillis, long start, long deadline) {
        public static final ArrivalTimes NOW = new ArrivalTimes(0, 0, Status.NEVER);
    }
}
