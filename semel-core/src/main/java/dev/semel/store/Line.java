package dev.semel.store;

import org.jspecify.annotations.Nullable;

/**
 * Where a record stands among those that wait for a worker.
 *
 * @param turn whose turn it is
 * @param place the order of a lane, and of arrivals; only grows, drawn when it arrived and again when it was placed
 * @param lane the lane it keeps to, if any
 * @param deadline after which no attempt starts, in the store's milliseconds; {@link Status#NEVER} for none
 */
public record Line(Turn turn, long place, @Nullable Lane lane, long deadline) {

    /**
     * A lane, by the hash of tenant, operation and its key.
     *
     * @param number what the store orders and locks by; two lanes that share one are ordered together, which harms nobody
     * @param key for people
     */
    public record Lane(long number, String key) {}

    /** The codes are stored: never renumber them. */
    public enum Turn {
        /** Follows nobody: claimed when due. */
        FREE(0),
        /** The first of its lane: claimed when due, and nobody else of the lane is. */
        HEAD(1),
        /** Behind the head of its lane. It may be granted in one run with those before it, never without them. */
        WAITING(2),
        /** Sent to a lane and not placed in it yet: a claim does that, in the order of arrival. */
        ARRIVED(3),
        /** As ARRIVED, but takes its place only once it is due. */
        LATER(4),
        /** Not in the line: finished, dead without holding its lane up, or never queued at all. */
        OUT(5);

        private final int code;

        Turn(int code) {
            this.code = code;
        }

        /** As stored. It never changes. */
        public int code() {
            return code;
        }

        /**
         * The turn that is stored by this code.
         *
         * @throws IllegalArgumentException when there is none
         */
        public static Turn of(int code) {
            for (Turn turn : values()) {
                if (turn.code == code) {
                    return turn;
                }
            }
            throw new IllegalArgumentException(
                    "No turn has the code " + code + ": the row is damaged or the schema is newer.");
        }
    }
}
