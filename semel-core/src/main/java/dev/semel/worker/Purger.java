package dev.semel.worker;

import dev.semel.Call.Origin;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.store.AuditEntry;
import dev.semel.store.Ledger;
import dev.semel.store.Permits;
import dev.semel.store.Store;
import dev.semel.watch.Watch;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Removes records past their retention, in chunks, each with an event for every tenant it touched, and then the permits that nobody has
 * used. Idempotent.
 */
public final class Purger {
    private static final int CHUNK = 1_000;

    private final Ledger ledger;
    private final Optional<Permits> permits;
    private final Events events;
    private final Watch watch;

    public Purger(Store store, Events events, Watch watch) {
        this.ledger = store.ledger();
        this.permits = store.permits();
        this.events = events;
        this.watch = watch;
    }

    /** Purges until nothing is expired; says how many records went, by tenant. */
    public Map<String, Integer> purge() {
        Map<String, Integer> total = new TreeMap<>();
        for (Map<String, Integer> removed = chunk(); !removed.isEmpty(); removed = chunk()) {
            removed.forEach((tenant, count) -> total.merge(tenant, count, Integer::sum));
        }
        permits.ifPresent(Permits::removeFull);
        return total;
    }

    /**
     * Purges so many chunks at most.
     *
     * @return whether there may be more to purge
     */
    public boolean purge(int most) {
        for (int i = 0; i < most; i++) {
            if (chunk().isEmpty()) {
                permits.ifPresent(Permits::removeFull);
                return false;
            }
        }
        return true;
    }

    private Map<String, Integer> chunk() {
        Map<String, Integer> removed = ledger.purge(CHUNK, this::events);
        removed.forEach(watch::purged);
        return removed;
    }

    private List<AuditEntry> events(Map<String, Integer> removed) {
        return removed.entrySet().stream()
                .map(each -> events.event(
                        EventType.PURGE_COMPLETED,
                        Events.About.tenant(each.getKey(), Origin.UNSTATED),
                        Map.of("count", each.getValue())))
                .toList();
    }
}
