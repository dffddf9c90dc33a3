package dev.semel.execution;

import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.key.Fingerprints;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.Header;
import dev.semel.store.Line;
import dev.semel.store.Status;
import dev.semel.store.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks, encodes and identifies messages before they are stored. */
final class MessagePreparation {
    private final Store store;
    private final CallPreparation calls;
    private final CurrentModes modes;
    private final Events events;

    /** @param modes bring the store's clock, from which the policies' deadlines count */
    MessagePreparation(Store store, CallPreparation calls, CurrentModes modes, Events events) {
        this.store = store;
        this.calls = calls;
        this.modes = modes;
        this.events = events;
    }

    String storeName() {
        return store.name();
    }

    /**
     * @param cause the record whose handler sends it, if any
     * @throws SemelException.Invalid when its payload has faults, or its key, payload or times cannot be stored
     * @throws SemelException.Misconfigured when the store keeps no messages, or there is no policy of the channel's name
     */
    <P> PreparedMessage prepare(Channel<P> channel, Message<P> message, @Nullable RecordId cause) {
        demandQueue(channel);
        Operation.Definition<P, Void> definition = channel.definition().operation();
        Policy policy = calls.policy(definition);
        PayloadCheck.demandValid(definition, message.payload());
        byte[] payload = calls.encode(message.payload(), definition.payload());
        Identity identity = Identity.of(message.tenant(), definition.name(), message.key());
        Call.Origin origin = message.origin();
        Header header = new Header(
                message.tenant().name(),
                definition.name(),
                message.key().text(),
                Fingerprints.of(definition, payload),
                calls.trail(origin),
                cause);
        Events.About about = Events.About.record(identity.id(), header, origin, policy.code());
        String lane = channel.definition().laneOf(message.payload());
        Arrival arrival = new Arrival(
                identity.id(),
                header,
                payload,
                lane == null ? null : new Line.Lane(Identity.lane(message.tenant(), definition.name(), lane), lane),
                times(message.when(), policy),
                events.outcome(EventType.OPERATION_QUEUED, about, Map.of()));
        return new PreparedMessage(
                arrival,
                identity,
                calls.versions(definition),
                about,
                policy.retention().success().toMillis());
    }

    private Arrival.ArrivalTimes times(Message.When when, Policy policy) {
        Instant start = when.start();
        long deadline = when.deadline() == null ? Status.NEVER : when.deadline().toEpochMilli();
        Duration byPolicy = policy.limits().deadline();
        if (byPolicy != null) {
            deadline = Math.min(deadline, modes.storeMillis() + byPolicy.toMillis());
        }
        if (start == null && deadline == Status.NEVER && when.delay().isZero()) {
            return Arrival.ArrivalTimes.NOW;
        }
        return new Arrival.ArrivalTimes(when.delay().toMillis(), start == null ? 0 : start.toEpochMilli(), deadline);
    }

    private void demandQueue(Channel<?> channel) {
        if (store.queue().isEmpty()) {
            throw new SemelException.Misconfigured(
                    "store " + store.name(),
                    List.of("it keeps no work for later, which channel " + channel.name()
                            + " needs: use sqlite:<file> or postgresql://..."));
        }
    }
}
