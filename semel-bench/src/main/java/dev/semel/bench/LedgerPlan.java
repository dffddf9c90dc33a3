package dev.semel.bench;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to measure and for how long.
 *
 * @param store Semel's URL of the only store to measure; absent for a private PostgreSQL, a SQLite file and memory
 * @param perCell how long each thing is measured, besides its warm-up
 */
public record LedgerPlan(@Nullable String store, Duration perCell, LedgerVolume volume) {
    /** The volume that the targets apply to. */
    public static final LedgerVolume FULL = new LedgerVolume(List.of(1, 8, 64), 512, 512, 2_000, 10_000, 200_000);

    /** A moment of everything, to see that it works. Its figures mean nothing. */
    public static final LedgerVolume TINY = new LedgerVolume(List.of(1, 8, 64), 65, 16, 10, 100, 100);

    /**
     * @param callers how many threads call at once, one after the other
     * @param crowd as many callers again, of leased operations only
     * @param batch calls handed over at once
     * @param counted operations whose transactions, statements and log bytes are counted
     * @param purged expired records
     * @param cached results in the local cache whose heap is measured
     */
    public record LedgerVolume(List<Integer> callers, int crowd, int batch, int counted, int purged, int cached) {}
}
