package dev.semel.audit;

import dev.semel.SemelException;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditLog;
import dev.semel.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays and conflicts are read paths: their events are counted here by record and second, and written behind the caller's
 * back. When the buffer is full, further records are counted by operation instead of by record and second: the count is never
 * lost, only its detail.
 */
public final class ReplayBuffer {
    private static final Logger LOG = LoggerFactory.getLogger(ReplayBuffer.class);
    private static final int MOST = 10_000;

    private record Slot(
            EventType type,
            String tenant,
            @Nullable String operation,
            @Nullable RecordId record,
            long second) {}

    private record Counted(Events.About about, @Nullable FirstRun first, LongAdder count) {}

    private final AuditLog log;
    private final Events events;
    private final TimeSource time;
    private final boolean on;
    private final Map<Slot, Counted> slots = new ConcurrentHashMap<>();

    /** @param on whether anything is counted at all */
    public ReplayBuffer(AuditLog log, Events events, TimeSource time, boolean on) {
        this.log = log;
        this.events = events;
        this.time = time;
        this.on = on;
    }

    /** @param first what was replayed */
    public void count(EventType type, Events.About about, @Nullable FirstRun first) {
        if (!on) {
            return;
        }
        AuditEntry.Subject subject = about.subject();
        boolean detailed = slots.size() < MOST;
        Slot slot = detailed
                ? new Slot(type, subject.tenant(), subject.operation(), subject.record(), time.millis() / 1_000)
                : new Slot(type, subject.tenant(), subject.operation(), null, 0);
        Events.About kept = detailed
                ? about
                : new Events.About(
                        new AuditEntry.Subject(subject.tenant(), subject.operation(), null, null, null),
                        about.origin(),
                        about.policy(),
                        0);
        // Counted inside compute, so that a flush that takes the slot out takes every count with it.
        slots.compute(slot, (key, counted) -> {
            Counted present = counted == null ? new Counted(kept, first, new LongAdder()) : counted;
            present.count().increment();
            return present;
        });
    }

    /** Writes the counts of past seconds, or all of them. Counts that cannot be written are kept. */
    public void flush(boolean all) {
        long second = time.millis() / 1_000;
        List<Slot> taken = new ArrayList<>();
        List<AuditEntry> entries = new ArrayList<>();
        List<Counted> counts = new ArrayList<>();
        for (Slot slot : slots.keySet()) {
            if (all || slot.second() != second) {
                Counted counted = slots.remove(slot);
                if (counted != null) {
                    taken.add(slot);
                    counts.add(counted);
                    entries.add(events.repeated(
                            slot.type(),
                            counted.about(),
                            counted.first(),
                            counted.count().sum()));
                }
            }
        }
        if (entries.isEmpty()) {
            return;
        }
        int written = 0;
        try {
            while (written < entries.size()) {
                written += append(entries.subList(written, entries.size()));
            }
        } catch (RuntimeException e) {
            for (int i = written; i < taken.size(); i++) {
                Counted back = counts.get(i);
                slots.merge(taken.get(i), back, (present, returned) -> {
                    present.count().add(returned.count().sum());
                    return present;
                });
            }
            throw e;
        }
    }

    /**
     * Writes the first of them, all if it can be: an event that the store rejects for its data is logged and costs
     * only itself. Returns how many were handled.
     */
    private int append(List<AuditEntry> entries) {
        try {
            log.append(entries);
            return entries.size();
        } catch (SemelException.DataRefused e) {
            if (entries.size() > 1) {
                return append(entries.subList(0, entries.size() / 2));
            }
            AuditEntry lost = entries.get(0);
            LOG.error(
                    "Could not write an audit event (type {}, tenant {}, operation {}, record {}): the store rejected its"
                            + " data; the event is lost",
                    lost.type(),
                    lost.subject().tenant(),
                    lost.subject().operation(),
                    lost.subject().record(),
                    e);
            return 1;
        }
    }
}
