package dev.semel.execution;

import dev.semel.Answer.Next;
import dev.semel.Answer.Notice;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.key.Fingerprints;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.Header;
import dev.semel.store.Line;
import dev.semel.store.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A message that was checked, encoded and identified: ready to be stored. */
record PreparedMessage(Arrival arrival, Identity identity, Operation.Definition<?, ?> definition, Events.About about) {

    /**
     * @param cause the record whose handler sends it, if any
     * @throws SemelException.Invalid when its key, payload or times cannot be stored
     * @throws SemelException.Misconfigured when the store keeps no messages, or there is no policy of the channel's name
     */
    static <P> PreparedMessage of(
            EngineServices services, Channel<P> channel, Message<P> message, @Nullable RecordId cause) {
        demandQueue(services, channel);
        Operation.Definition<P, Void> definition = channel.definition().operation();
        Policy policy = services.tools().catalogue().get(definition.policy());
        byte[] payload = services.tools().codec().encode(message.payload(), definition.payload());
        Identity identity = Identity.of(message.tenant(), definition.name(), message.key());
        Call.Origin origin = message.origin();
        Header header = new Header(
                message.tenant().name(),
                definition.name(),
                message.key().text(),
                Fingerprints.of(definition, payload),
                PreparedCall.trail(services, origin),
                cause);
        Events.About about = Events.About.record(identity.id(), header, origin, policy.code());
        String lane = channel.definition().laneOf(message.payload());
        Arrival arrival = new Arrival(
                identity.id(),
                header,
                payload,
                lane == null ? null : new Line.Lane(Identity.lane(message.tenant(), definition.name(), lane), lane),
                times(services, message.when(), policy),
                services.audits().events().outcome(EventType.OPERATION_QUEUED, about, Map.of()));
        return new PreparedMessage(arrival, identity, definition, about);
    }

    private static Arrival.ArrivalTimes times(EngineServices services, Message.When when, Policy policy) {
        Instant start = when.start();
        long deadline = when.deadline() == null ? Status.NEVER : when.deadline().toEpochMilli();
        Duration byPolicy = policy.limits().deadline();
        if (byPolicy != null) {
            deadline = Math.min(deadline, services.modes().storeMillis() + byPolicy.toMillis());
        }
        if (start == null && deadline == Status.NEVER && when.delay().isZero()) {
            return Arrival.ArrivalTimes.NOW;
        }
        return new Arrival.ArrivalTimes(when.delay().toMillis(), start == null ? 0 : start.toEpochMilli(), deadline);
    }

    private static void demandQueue(EngineServices services, Channel<?> channel) {
        if (services.store().queue().isEmpty()) {
            throw new SemelException.Misconfigured(
                    "store " + services.store().name(),
                    List.of("it keeps no work for later, which channel " + channel.name()
                            + " needs: use sqlite:<file> or postgresql://..."));
        }
    }

    RecordId id() {
        return identity.id();
    }

    String channel() {
        return definition.name();
    }

    /** The key has a time bucket: the neighbouring buckets count as the same message. */
    boolean hasNeighbours() {
        return !identity.neighbours().isEmpty();
    }

    /** @param enqueued what the store did, or null when another transaction holds the key */
    Sent judge(@Nullable Enqueued enqueued) {
        Header header = arrival.header();
        if (enqueued instanceof Enqueued.Made) {
            return new Sent.Accepted(true, header.correlationId());
        }
        if (enqueued instanceof Enqueued.EnqueueFailed failed) {
            return new Sent.Rejected(new Notice(
                    header.correlationId(), String.valueOf(failed.why().getMessage()), Set.of(Next.CONTACT)));
        }
        if (enqueued == null) {
            throw new SemelException.TransactionMustBeRetried(
                    header.operation() + "/" + id() + " (tenant " + header.tenant()
                            + "): another transaction is sending the same message. Roll back and run it again.",
                    new IllegalStateException("the key is locked"));
        }
        return judge(((Enqueued.Existing) enqueued).row().header());
    }

    /** @param earlier of the message that is there already under the same key */
    Sent judge(Header earlier) {
        Header header = arrival.header();
        boolean same = earlier.fingerprint().equals(header.fingerprint())
                || Fingerprints.matches(earlier.fingerprint(), definition, arrival.payload());
        return same
                ? new Sent.Accepted(false, earlier.correlationId())
                : new Sent.Conflict(new Notice(
                        header.correlationId(),
                        "Message " + header.operation() + "/" + id()
                                + ": its key was used before with another payload; nothing was stored.",
                        Set.of(Next.CHECK_STATUS, Next.CONTACT)));
    }
}
