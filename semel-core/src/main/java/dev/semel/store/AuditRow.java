package dev.semel.store;

/**
 * An audit event as read.
 *
 * @param position its place in the order in which events are sealed
 * @param at the store's milliseconds
 */
public record AuditRow(Position position, long at, AuditEntry entry) {

    /**
     * Orders events so that none appears later before one that was already read behind the horizon.
     *
     * @param tx number of the transaction, where transactions commit out of order; 0 elsewhere
     * @param seq unique number of the event: its id
     */
    public record Position(long tx, long seq) implements Comparable<Position> {
        public static final Position START = new Position(-1, -1);

        /** Behind every event there will ever be. */
        public static final Position END = new Position(Long.MAX_VALUE, Long.MAX_VALUE);

        @Override
        public int compareTo(Position other) {
            return tx != other.tx ? Long.compare(tx, other.tx) : Long.compare(seq, other.seq);
        }
    }
}
