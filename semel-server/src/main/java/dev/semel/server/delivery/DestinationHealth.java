package dev.semel.server.delivery;

import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.operator.Operator;
import dev.semel.server.config.DestinationConfig;
import dev.semel.store.Switchboard;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How deliveries to one destination go. When they have failed for {@code disableAfter} without a success, its channel is paused on all nodes,
 * as an operator would, with a reason and an audit event; it keeps its messages until an operator resumes it. Attempts of messages that an
 * operator replayed do not count, be they good or bad. Thread-safe.
 *
 * <p>A node counts its own attempts. Before it switches a destination off, and at the first failure after it started, it reads in the audit
 * how deliveries of all nodes went: a success of another node counts, a restart does not begin anew, and a channel that was resumed has its
 * whole time again.
 */
public final class DestinationHealth {
    /** Who pauses the channel, for the audit. */
    static final String ACTOR = "semel-server";

    private static final Logger LOG = LoggerFactory.getLogger(DestinationHealth.class);

    private final String destination;
    private final String channel;
    private final @Nullable Duration disableAfter;
    private final Operator operator;
    private final TimeSource time;
    private final AtomicBoolean deciding = new AtomicBoolean();
    private HealthState state = new HealthState(0, null, null, null);
    private boolean historyRead;

    /**
     * What is known on this node.
     *
     * @param failures in a row
     * @param failingSince when the first of them was; null when the last attempt succeeded, or none was made
     * @param lastSuccess null when there was none since the node started
     * @param lastFailure null when there was none since the node started
     */
    public record HealthState(
            int failures,
            @Nullable Instant failingSince,
            @Nullable Instant lastSuccess,
            @Nullable Instant lastFailure) {}

    /** @param channel through which its webhooks come */
    public DestinationHealth(DestinationConfig config, String channel, Operator operator, TimeSource time) {
        this.destination = config.name();
        this.channel = channel;
        this.disableAfter = config.disableAfter();
        this.operator = operator;
        this.time = time;
    }

    /** As it is now. */
    public synchronized HealthState state() {
        return state;
    }

    /** @param failure null for a success */
    void ended(@Nullable Failure failure) {
        Instant now = Instant.ofEpochMilli(time.millis());
        if (failure == null) {
            succeeded(now);
        } else if (failed(now) && deciding.compareAndSet(false, true)) {
            try {
                decide(now, failure);
            } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
                LOG.warn(
                        "Destination {}: could not find out whether to switch it off; retrying at its next failure.",
                        destination,
                        e);
            } finally {
                deciding.set(false);
            }
        }
    }

    private synchronized void succeeded(Instant now) {
        historyRead = true;
        state = new HealthState(0, null, now, state.lastFailure);
    }

    /** Counts it; says whether there is something to decide. */
    private synchronized boolean failed(Instant now) {
        Instant since = state.failingSince == null ? now : state.failingSince;
        state = new HealthState(state.failures + 1, since, state.lastSuccess, now);
        return disableAfter != null && (!historyRead || isOver(since, now, disableAfter));
    }

    private static boolean isOver(Instant since, Instant now, Duration limit) {
        return Duration.between(since, now).compareTo(limit) >= 0;
    }

    private void decide(Instant now, Failure last) {
        Instant since = failingSince(DestinationHistory.read(operator, channel));
        if (since != null && disableAfter != null && isOver(since, now, disableAfter)) {
            switchOff(since, last);
            startAnew();
        }
    }

    /** Null when a delivery succeeded meanwhile. */
    private synchronized @Nullable Instant failingSince(DestinationHistory.PastDeliveries past) {
        Instant since = state.failingSince;
        if (since == null) {
            return null;
        }
        if (!historyRead && past.failingSince() != null && past.failingSince().isBefore(since)) {
            since = past.failingSince();
        }
        if (past.freshStart() != null && past.freshStart().isAfter(since)) {
            since = past.freshStart();
        }
        historyRead = true;
        state = new HealthState(state.failures, since, state.lastSuccess, state.lastFailure);
        return since;
    }

    private synchronized void startAnew() {
        state = new HealthState(state.failures, null, state.lastSuccess, state.lastFailure);
    }

    private void switchOff(Instant since, Failure last) {
        if (operator.modes().pauses().stream().anyMatch(this::isSwitchedOff)) {
            return;
        }
        String reason = "destination " + destination + " was switched off: every delivery since " + since
                + " failed. The last failure: " + last.reason();
        operator.pause(channel, null, new Operator.Warrant(ACTOR, reason));
        LOG.warn(
                "Destination {} is switched off on all nodes: every delivery since {} failed, the last with \"{}\". Its webhooks are"
                        + " kept. Mend it, test it, then resume channel {}.",
                destination,
                since,
                last.reason(),
                channel);
    }

    /** By a person or another node. A pause with probes, after rejected credentials, is not: it would end by itself. */
    private boolean isSwitchedOff(Switchboard.Pause pause) {
        return pause.operation().equals(channel) && pause.tenant() == null && pause.probeMillis() == 0;
    }
}
