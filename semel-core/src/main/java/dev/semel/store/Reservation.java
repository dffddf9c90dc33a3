package dev.semel.store;

import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the grant of a record.
 *
 * @param payload stored with a new record
 * @param parent for a step: the grant under which it may start
 * @param takenOver written with the grant if it takes the record from a holder whose lease is over
 */
public record Reservation(
        Identity identity,
        Header header,
        byte @Nullable [] payload,
        Grant grant,
        @Nullable Parent parent,
        @Nullable AuditEntry takenOver) {

    /**
     * @param owner random and positive, or of an {@link OutsideGrant}; the same reservation repeated after a lost reply carries the
     *     same one and is given its own grant
     * @param leaseMillis how long the grant is trusted
     * @param repeatable whether a grant whose lease is over may be taken over
     * @param maxAttempts beyond which it is not taken over either
     * @param onlyUnder only the record under this fence is granted, and none is made; 0 for any, also an absent one
     */
    public record Grant(long owner, long leaseMillis, boolean repeatable, int maxAttempts, long onlyUnder) {
        /** For any record, also an absent one. */
        public Grant(long owner, long leaseMillis, boolean repeatable, int maxAttempts) {
            this(owner, leaseMillis, repeatable, maxAttempts, 0);
        }

        /** Whether a record in this state may be granted at all; absent when there is none. */
        public boolean mayBeOf(@Nullable Status found) {
            return onlyUnder == 0 || found != null && found.fence() == onlyUnder;
        }

        /**
         * Whether a run whose lease is over may be taken over. A run of a caller outside is repeated only if its own grant allows it,
         * whatever this call declares.
         */
        public boolean mayTakeOver(Status found) {
            OutsideGrant outside = OutsideGrant.of(found);
            return found.state() == State.IN_PROGRESS
                    && repeatable
                    && found.attempt() < maxAttempts
                    && (outside == null || outside.repeatable());
        }
    }

    /** The parent must be IN_PROGRESS under this fence. */
    public record Parent(RecordId id, long fence) {}
}
