package dev.semel.worker;

import dev.semel.Call.Origin;
import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.store.AuditEntry;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.store.Switchboard.Pause;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Channels that are not claimed from for a while. When a receiver rejects our credentials, its channel is paused on all nodes;
 * from time to time one message is let through as a probe, and if it succeeds the channel is resumed.
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
    private final Map<String, Long> probed = new ConcurrentHashMap<>();
    private final Set<String> probing = ConcurrentHashMap.newKeySet();

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
        probed.remove(operation);
        probing.remove(operation);
        return Claimable.ALL;
    }

    private boolean mayProbe(Pause pause) {
        if (pause.probeMillis() == 0) {
            return false;
        }
        long now = time.nanos();
        Long last = probed.putIfAbsent(pause.operation(), now);
        boolean due = last != null
                && now - last >= Duration.ofMillis(pause.probeMillis()).toNanos();
        if (due) {
            probed.put(pause.operation(), now);
            probing.add(pause.operation());
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

    /** The receiver rejected our credentials: the channel is paused. */
    void refused(String operation, Failure failure) {
        probing.remove(operation);
        try {
            if (isPaused(operation)) {
                return;
            }
            Pause pause = new Pause(operation, null, failure.reason(), time.millis(), PROBE_EVERY.toMillis());
            store.switchboard()
                    .pause(
                            pause,
                            event(
                                    EventType.CHANNEL_PAUSED,
                                    operation,
                                    Map.of("category", failure.category().code(), "reason", failure.reason())));
            LOG.warn("Channel {} is paused: {}", operation, failure.reason());
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            LOG.warn(
                    "Could not pause channel {}; retrying when its receiver rejects the credentials again.",
                    operation,
                    e);
        }
    }

    private boolean isPaused(String operation) {
        return store.switchboard().modes().pauses().stream()
                .anyMatch(pause -> pause.tenant() == null && pause.operation().equals(operation));
    }

    /** A message of the channel was handled: if it was the probe, the channel is resumed. */
    void worked(String operation) {
        if (!probing.remove(operation)) {
            return;
        }
        try {
            store.switchboard()
                    .resume(
                            operation,
                            null,
                            event(EventType.CHANNEL_RESUMED, operation, Map.of("reason", "a probe was handled")));
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            LOG.warn(
                    "Could not resume channel {} although its probe succeeded; retrying with the next probe.",
                    operation,
                    e);
        }
    }

    private AuditEntry event(EventType type, String operation, Map<String, ?> details) {
        AuditEntry.Subject subject = new AuditEntry.Subject("*", operation, null, null, null);
        Origin origin = Origin.UNSTATED.withActor("semel", "system").withSource("worker");
        return events.event(type, new Events.About(subject, origin, null, 0), details);
    }
}
