package dev.semel.worker;

import dev.semel.key.RecordId;
import dev.semel.store.Row;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Records that are locked by others, so that nothing can be written about them, not even when to ask again: they are left alone
 * for a pause that doubles each time. Kept in this process only, for the newest of them; thread-safe.
 */
final class LockedRecordPauses {
    private static final int MOST = 10_000;
    private static final Duration SHORTEST = Duration.ofSeconds(2);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final TimeSource time;
    private final Map<RecordId, RecordPause> pauses = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RecordId, RecordPause> eldest) {
            return size() > MOST;
        }
    };

    LockedRecordPauses(TimeSource time) {
        this.time = time;
    }

    private record RecordPause(long fence, long since, Duration length) {
        Duration next() {
            Duration doubled = length.multipliedBy(2);
            return doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
        }
    }

    /** Begins a pause for this run of the record. */
    synchronized Duration begin(Row row) {
        RecordPause before = pauses.remove(row.id());
        long fence = row.status().fence();
        Duration length = before == null || before.fence != fence ? SHORTEST : before.next();
        pauses.put(row.id(), new RecordPause(fence, time.nanos(), length));
        return length;
    }

    /** Whether the record is to be left alone. */
    synchronized boolean holds(Row row) {
        RecordPause pause = pauses.get(row.id());
        return pause != null
                && pause.fence == row.status().fence()
                && time.nanos() - pause.since < pause.length.toNanos();
    }

    /** Something was written about it. */
    synchronized void end(Row row) {
        pauses.remove(row.id());
    }
}
