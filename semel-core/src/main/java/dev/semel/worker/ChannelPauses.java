package dev.semel.worker;

import dev.semel.Call.Origin;
import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.audit.Redactor;
import dev.semel.store.AuditEntry;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.store.Switchboard.Pause;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Channels that are not claimed from for a while. When a receiver rejects our credentials, its channel is paused on all nodes;
 * from time to time one message is let through as a probe, and if it succeeds the channel is resumed. A client outside that reports
 * rejected credentials pauses the channel for its tenant; that pause is probed by whoever takes messages of the channel, handlers of
 * this process too.
 */
final class ChannelPauses {
    private static final Logger LOG = LoggerFactory.getLogger(ChannelPauses.class);
    static final Duration PROBE_EVERY = Duration.ofMinutes(3);

    /** How much of a channel may be claimed. */
    enum Claimable {
        ALL,
        /** One message, to see whether it works again. */
        PROBE,
        NONE
    }

    private final Store store;
    private final Events events;
    private final TimeSource time;
    private final Map<List<@Nullable String>, Long> probed = new ConcurrentHashMap<>();
    private final Set<List<@Nullable String>> probing = ConcurrentHashMap.newKeySet();

    ChannelPauses(Store store, Events events, TimeSource time) {
        this.store = store;
        this.events = events;
        this.time = time;
    }

    /** How much of the channel may be claimed now. Of a paused one, one message is allowed as a probe, from time to time. */
    Claimable claimable(Switchboard.Modes modes, String operation) {
        for (Pause pause : modes.pauses()) {
            if (pause.tenant() == null && pause.operation().equals(operation)) {
                return mayProbe(pause) ? Claimable.PROBE : Claimable.NONE;
            }
        }
        forget(operation, null);
        return Claimable.ALL;
    }

    private void forget(String operation, @Nullable String tenant) {
        probed.remove(target(operation, tenant));
        probing.remove(target(operation, tenant));
    }

    /** The tenant for which the channel is paused and of which one message is to be claimed now as a probe; absent for none. */
    @Nullable
    String tenantToProbe(Switchboard.Modes modes, String operation) {
        Set<String> paused = tenants(modes, operation);
        probed.keySet().stream()
                .filter(target -> operation.equals(target.get(0)) && target.get(1) != null)
                .filter(target -> !paused.contains(target.get(1)))
                .forEach(target -> forget(operation, target.get(1)));
        for (Pause pause : modes.pauses()) {
            if (pause.tenant() != null && pause.operation().equals(operation) && mayProbe(pause)) {
                return pause.tenant();
            }
        }
        return null;
    }

    /** As {@link #claimable(Switchboard.Modes, String)}, of one tenant's messages: pauses of the tenant count as well. */
    Claimable claimable(Switchboard.Modes modes, String operation, String tenant) {
        Claimable claimable = Claimable.ALL;
        boolean ofTenant = false;
        for (Pause pause : modes.pauses()) {
            if (pause.appliesTo(operation, tenant)) {
                ofTenant |= pause.tenant() != null;
                claimable = claimable != Claimable.NONE && mayProbe(pause) ? Claimable.PROBE : Claimable.NONE;
            }
        }
        if (claimable == Claimable.ALL) {
            forget(operation, null);
        }
        if (!ofTenant) {
            forget(operation, tenant);
        }
        return claimable;
    }

    private static List<@Nullable String> target(String operation, @Nullable String tenant) {
        return Arrays.asList(operation, tenant);
    }

    private boolean mayProbe(Pause pause) {
        if (pause.probeMillis() == 0) {
            return false;
        }
        long now = time.nanos();
        List<@Nullable String> target = target(pause.operation(), pause.tenant());
        Long last = probed.putIfAbsent(target, now);
        boolean due = last != null
                && now - last >= Duration.ofMillis(pause.probeMillis()).toNanos();
        if (due) {
            probed.put(target, now);
            probing.add(target);
        }
        return due;
    }

    /** Tenants whose messages are not claimed. */
    Set<String> tenants(Switchboard.Modes modes, String operation) {
        Set<String> tenants = new HashSet<>();
        for (Pause pause : modes.pauses()) {
            if (pause.tenant() != null && pause.operation().equals(operation)) {
                tenants.add(pause.tenant());
            }
        }
        return tenants;
    }

    /**
     * The receiver rejected the credentials of this process: the channel is paused.
     *
     * @param tenant whose message it was: if it was the probe of a pause for this tenant, nothing changes
     */
    void refusedHere(String operation, String tenant, Failure failure) {
        if (!probing.remove(target(operation, tenant))) {
            refused(operation, null, failure);
        }
    }

    /**
     * The receiver rejected the credentials.
     *
     * @param tenant for whose messages alone the channel is paused; for all when absent
     */
    void refused(String operation, @Nullable String tenant, Failure failure) {
        probing.remove(target(operation, tenant));
        try {
            if (isPaused(operation, tenant)) {
                return;
            }
            Pause pause = new Pause(operation, tenant, failure.reason(), time.millis(), PROBE_EVERY.toMillis());
            Map<String, String> why = Map.of("category", failure.category().code(), "reason", failure.reason());
            store.switchboard().pause(pause, event(EventType.CHANNEL_PAUSED, operation, tenant, why));
            LOG.warn(
                    "Channel {} is paused{}: {}",
                    operation,
                    tenant == null ? "" : " for tenant " + tenant,
                    Redactor.text(failure.reason()));
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            LOG.warn(
                    "Could not pause channel {}; retrying when its receiver rejects the credentials again.",
                    operation,
                    e);
        }
    }

    private boolean isPaused(String operation, @Nullable String tenant) {
        return store.switchboard().modes().pauses().stream()
                .anyMatch(pause -> pause.operation().equals(operation)
                        && (pause.tenant() == null || pause.tenant().equals(tenant)));
    }

    /** A message of this tenant was handled here: if it was the probe, the channel is resumed. */
    void worked(String operation, String tenant) {
        if (probing.remove(target(operation, null))) {
            resume(operation, null);
        }
        if (probing.remove(target(operation, tenant))) {
            probeWorked(operation, tenant);
        }
    }

    /** A probe of this tenant was handled: what was paused because of rejected credentials is resumed. */
    void probeWorked(String operation, String tenant) {
        try {
            for (Pause pause : store.switchboard().modes().pauses()) {
                if (pause.appliesTo(operation, tenant) && pause.probeMillis() > 0) {
                    resume(operation, pause.tenant());
                }
            }
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            LOG.warn("Could not read the pauses of channel {}; retrying with the next probe.", operation, e);
        }
    }

    private void resume(String operation, @Nullable String tenant) {
        try {
            Map<String, String> why = Map.of("reason", "a probe was handled");
            store.switchboard().resume(operation, tenant, event(EventType.CHANNEL_RESUMED, operation, tenant, why));
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            LOG.warn(
                    "Could not resume channel {} although its probe succeeded; retrying with the next probe.",
                    operation,
                    e);
        }
    }

    private AuditEntry event(EventType type, String operation, @Nullable String tenant, Map<String, ?> details) {
        AuditEntry.Subject subject = new AuditEntry.Subject(tenant == null ? "*" : tenant, operation, null, null, null);
        Origin origin = Origin.UNSTATED.withActor("semel", "system").withSource("worker");
        return events.event(type, new Events.About(subject, origin, null, 0), details);
    }
}
