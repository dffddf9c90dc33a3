package dev.semel.testkit.memory;

import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditRow;
import dev.semel.store.Line;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.Seal;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.store.Switchboard;
import dev.semel.testkit.memory.MemoryLines.Due;
import dev.semel.time.StoreClock;
import dev.semel.time.TimeSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The maps behind a {@link MemoryStore} and the one lock around them. */
final class MemoryState {
    private static final int EPOCH_SHIFT = 48;

    private final ReentrantLock lock = new ReentrantLock();
    private final StoreClock time;
    private final Map<RecordId, Row> rows = new HashMap<>();
    private final Map<RecordId, List<RecordId>> steps = new HashMap<>();
    private final Map<State, TreeSet<Due>> attention = new EnumMap<>(State.class);
    private long fences;

    final MemoryLines lines = new MemoryLines();

    final Map<String, String> table = new HashMap<>();
    final Map<RecordId, Object> locks = new HashMap<>();
    final TreeMap<Long, AuditRow> events = new TreeMap<>();
    final NavigableMap<Long, Seal> seals = new TreeMap<>();
    final List<Switchboard.Setting> settings = new ArrayList<>();
    final List<Switchboard.Pause> pauses = new ArrayList<>();
    final Map<List<String>, Long> permits = new HashMap<>();
    long modesVersion = 1;
    int epoch = 1;

    MemoryState(TimeSource time) {
        this.time = new StoreClock(time);
        this.time.look(StoreClock.StoredTime.NOTHING, time.millis(), time.nanos());
        for (State each : State.values()) {
            attention.put(each, new TreeSet<>(Due.BY_TIME));
        }
    }

    <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    Switchboard.Modes modes() {
        return locked(() -> new Switchboard.Modes(modesVersion, settings, pauses, now()));
    }

    long now() {
        return time.millis();
    }

    long nextFence() {
        return (long) epoch << EPOCH_SHIFT | ++fences;
    }

    @Nullable
    Row get(RecordId id) {
        return rows.get(id);
    }

    /** The row, unless it counts as absent. */
    @Nullable
    Row live(RecordId id, long now) {
        Row row = rows.get(id);
        return row == null || row.expired(now) ? null : row;
    }

    void put(Row row) {
        Row old = rows.put(row.id(), copy(row));
        if (old != null) {
            attention.get(old.state()).remove(new Due(old.status().at(), old.id()));
            lines.removed(old);
        } else if (row.isStep()) {
            steps.computeIfAbsent(row.header().parent(), parent -> new ArrayList<>())
                    .add(row.id());
        }
        attention.get(row.state()).add(new Due(row.status().at(), row.id()));
        lines.added(row);
    }

    static Row with(Row row, Status status, @Nullable Line line) {
        return new Row(row.id(), row.header(), status, row.contents(), line);
    }

    /** A row whose arrays belong to its reader alone. */
    static Row copy(Row row) {
        Row.Contents contents = new Row.Contents(copy(row.payload()), copy(row.result()), copy(row.failure()));
        return new Row(row.id(), row.header(), row.status(), contents, row.line());
    }

    private static byte @Nullable [] copy(byte @Nullable [] bytes) {
        return bytes == null ? null : bytes.clone();
    }

    void remove(RecordId id) {
        Row old = rows.remove(id);
        if (old == null) {
            return;
        }
        attention.get(old.state()).remove(new Due(old.status().at(), id));
        lines.removed(old);
        RecordId parent = old.header().parent();
        if (parent != null && steps.containsKey(parent)) {
            steps.get(parent).remove(id);
        }
        List<RecordId> children = steps.remove(id);
        if (children != null) {
            List.copyOf(children).forEach(this::remove);
        }
    }

    List<Row> stepsOf(RecordId parent) {
        return steps.getOrDefault(parent, List.of()).stream()
                .map(id -> copy(rows.get(id)))
                .toList();
    }

    /** Rows in the state whose time has come, longest overdue first. */
    List<Row> overdue(State state, long now, int limit, Predicate<Row> condition) {
        return overdue(state, RecordFilter.Cursor.OLDEST, now, limit, condition);
    }

    /** The same, behind a record. */
    List<Row> overdue(State state, RecordFilter.Cursor behind, long now, int limit, Predicate<Row> condition) {
        List<Row> found = new ArrayList<>();
        for (Due due : attention.get(state).tailSet(new Due(behind.at(), behind.id()), false)) {
            if (due.at() > now || found.size() == limit) {
                break;
            }
            Row row = rows.get(due.id());
            if (condition.test(row)) {
                found.add(copy(row));
            }
        }
        return found;
    }

    List<Row> all(State state) {
        return attention.get(state).stream().map(due -> rows.get(due.id())).toList();
    }

    void append(@Nullable AuditEntry entry, long fence, int attempt) {
        if (entry != null) {
            long seq = events.isEmpty() ? 1 : events.lastKey() + 1;
            events.put(
                    seq,
                    new AuditRow(
                            new AuditRow.Position(0, seq),
                            now(),
                            new AuditEntry(
                                    entry.type(), entry.subject(), entry.policy(), fence, attempt, entry.body())));
        }
    }

    static long after(long now, long delayMillis) {
        return delayMillis >= Status.NEVER - now ? Status.NEVER : now + delayMillis;
    }
}
