package dev.semel.worker;

import dev.semel.key.RecordId;
import dev.semel.store.Row;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The runs that a warning was logged about, so that a failure that repeats every second is logged once. Keeps the
 * newest; thread-safe.
 */
final class WarnedOnce {
    private static final int MOST = 1_000;

    private final Map<RecordId, Long> fences = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RecordId, Long> eldest) {
            return size() > MOST;
        }
    };

    /** Whether it is the first time for this run of the record. */
    synchronized boolean add(Row row) {
        Long before = fences.put(row.id(), row.status().fence());
        return before == null || before != row.status().fence();
    }
}
