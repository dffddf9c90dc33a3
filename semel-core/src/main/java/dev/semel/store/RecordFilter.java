package dev.semel.store;

import dev.semel.key.RecordId;
import org.jspecify.annotations.Nullable;

/**
 * Which records to list; what is absent does not limit.
 *
 * @param queued only those that came by a channel or were queued by a replay
 * @param fence only those whose newest grant is not above it: none that died again since it was drawn
 */
public record RecordFilter(
        @Nullable String tenant, @Nullable String operation, boolean queued, long fence) {
    public static final RecordFilter ALL = new RecordFilter(null, null, false, Long.MAX_VALUE);

    /** Whether a record passes, for stores that filter in memory. Says nothing about its state. */
    public boolean matches(Row row) {
        return (tenant == null || tenant.equals(row.header().tenant()))
                && (operation == null || operation.equals(row.header().operation()))
                && (!queued || row.line() != null)
                && row.status().fence() <= fence;
    }

    /**
     * Where a list continues: behind this record, in the order of {@code at} and then of ids. Lists for people have
     * both falling, {@link Ledger#overdue} both rising.
     *
     * @param at of the last record seen
     */
    public record Cursor(long at, RecordId id) {
        /** Before everything, where both fall. */
        public static final Cursor START = new Cursor(Long.MAX_VALUE, RecordId.LAST);

        /** Before everything, where both rise. */
        public static final Cursor OLDEST = new Cursor(Long.MIN_VALUE, RecordId.LAST);

        /** Where the list continues after this record, in either direction. */
        public static Cursor behind(Row row) {
            return new Cursor(row.status().at(), row.id());
        }
    }
}
