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
import dev.semel.audit.FirstRun;
import dev.semel.key.Fingerprints;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.Header;
import dev.semel.store.Line;
import dev.semel.store.LookupResult;
import dev.semel.store.Row;
import dev.semel.store.Status;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import dev.semel.watch.Outcome;
import dev.semel.watch.Watch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Messages on their way into the ledger: checked, identified, stored once. */
public final class MessageSender {
    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final int TRIES = 200;

    private final EngineServices services;

    public MessageSender(EngineServices services) {
        this.services = services;
    }

    /** A message made ready. */
    private record Ready(
            Arrival arrival, Identity identity, Operation.Definition<?, ?> definition, Events.About about) {}

    public <P> Sent send(Channel<P> channel, Message<P> message) {
        EnclosingRun outer = EnclosingRun.current(services);
        Ready ready;
        try {
            ready = ready(channel, message, null);
        } catch (SemelException.Invalid e) {
            return rejected(channel, message, e);
        }
        return outer != null ? in(outer.tx(), ready, outer.sent()) : byItself(ready);
    }

    public <P> List<Sent> sendAll(Channel<P> channel, List<Message<P>> messages) {
        Sent[] answers = new Sent[messages.size()];
        Map<RecordId, Integer> first = new LinkedHashMap<>();
        Map<Integer, Ready> ready = new LinkedHashMap<>();
        boolean alone = EnclosingRun.current(services) != null;
        for (int i = 0; i < answers.length; i++) {
            try {
                Ready each = ready(channel, messages.get(i), null);
                boolean together = !alone && each.identity.neighbours().isEmpty();
                if (together && first.putIfAbsent(each.identity.id(), i) == null) {
                    ready.put(i, each);
                }
            } catch (SemelException.Invalid e) {
                answers[i] = rejected(channel, messages.get(i), e);
            }
        }
        long began = now();
        List<Integer> places = List.copyOf(ready.keySet());
        List<Enqueued> enqueued = enqueued(
                channel, places.stream().map(place -> ready.get(place).arrival).toList());
        for (int i = 0; i < places.size(); i++) {
            answers[places.get(i)] = told(ready.get(places.get(i)), enqueued.get(i), began);
        }
        for (int i = 0; i < answers.length; i++) {
            if (answers[i] == null) {
                answers[i] = send(channel, messages.get(i));
            }
        }
        return List.of(answers);
    }

    /** Workers are woken also when only a part could be stored. */
    private List<Enqueued> enqueued(Channel<?> channel, List<Arrival> arrivals) {
        try {
            return services.ledger().enqueueAll(arrivals);
        } finally {
            services.memory().wakeUps().wake(Set.of(channel.name()));
        }
    }

    /** In a transaction that somebody ends: not accepted means that the whole of it should not be kept. */
    <P> Sent.Accepted in(Tx tx, Channel<P> channel, Message<P> message, @Nullable RecordId cause, Set<String> sent) {
        try {
            return in(tx, ready(channel, message, cause), sent).orThrow();
        } catch (SemelException.Invalid e) {
            return rejected(channel, message, e).orThrow();
        }
    }

    /** Outside any transaction, on behalf of a record that is being run. */
    <P> Sent.Accepted from(Channel<P> channel, Message<P> message, RecordId cause) {
        try {
            return byItself(ready(channel, message, cause)).orThrow();
        } catch (SemelException.Invalid e) {
            return rejected(channel, message, e).orThrow();
        }
    }

    /** In a commit of its own, or one that others share. */
    private Sent byItself(Ready ready) {
        long began = now();
        Enqueued enqueued;
        try {
            enqueued = ready.identity.neighbours().isEmpty()
                    ? services.ledger().enqueue(ready.arrival)
                    : besideNeighbours(ready);
        } catch (SemelException.DataRefused e) {
            return told(ready, new Enqueued.Failed(e), began);
        }
        services.memory().wakeUps().wake(Set.of(ready.definition.name()));
        return told(ready, enqueued, began);
    }

    /** By the monotonic clock; no clock is read when nobody wants to know. */
    private long now() {
        return services.watch() == Watch.NONE ? 0 : services.time().nanos();
    }

    private Sent in(Tx tx, Ready ready, Set<String> sent) {
        Enqueued enqueued = ready.identity.neighbours().isEmpty()
                ? tx.enqueue(List.of(ready.arrival)).get(0)
                : lookAround(tx, ready);
        sent.add(ready.definition.name());
        Sent judged = judged(ready, enqueued);
        watched(ready, judged);
        return judged;
    }

    private void watched(Ready ready, Sent sent) {
        if (services.watch() != Watch.NONE) {
            Header header = ready.arrival.header();
            services.watch().sent(header.operation(), header.tenant(), Outcome.of(sent));
        }
    }

    /** A key with a time bucket: lookup and insert under one lock on the bucketless hash. */
    private Enqueued besideNeighbours(Ready ready) {
        for (int tries = 0; tries < TRIES; tries++) {
            Enqueued enqueued = StoreExceptions.translated(
                    () -> services.transactions().run(tx -> Ended.keep(lookAround(tx, ready))));
            if (enqueued != null) {
                return enqueued;
            }
            BackOff.uninterruptibly(services.time(), PAUSE);
        }
        throw new SemelException.StoreUnavailable(ready.definition.name()
                + ": another sender held the same key for too long; nothing was stored. Send it again.");
    }

    private static @Nullable Enqueued lookAround(Tx tx, Ready ready) {
        LookupResult lookup =
                tx.lookUp(Transactions.ANY_MODES, List.of(ready.identity)).get(0);
        if (lookup instanceof LookupResult.Locked) {
            return null;
        }
        if (lookup instanceof LookupResult.Found found) {
            return new Enqueued.Existing(found.row());
        }
        return tx.enqueue(List.of(ready.arrival)).get(0);
    }

    private Sent told(Ready ready, Enqueued enqueued, long began) {
        Sent sent = judged(ready, enqueued);
        watched(ready, sent);
        if (services.watch() != Watch.NONE && sent instanceof Sent.Accepted) {
            Header header = ready.arrival.header();
            services.watch().accepted(header.operation(), header.tenant(), now() - began);
        }
        if (enqueued instanceof Enqueued.Existing existing) {
            EventType type =
                    sent instanceof Sent.Accepted ? EventType.OPERATION_REPLAYED : EventType.OPERATION_CONFLICT;
            services.audits().buffer().count(type, ready.about, FirstRun.accepted(existing.row()));
        }
        return sent;
    }

    private static Sent judged(Ready ready, @Nullable Enqueued enqueued) {
        Header header = ready.arrival.header();
        if (enqueued instanceof Enqueued.Made) {
            return new Sent.Accepted(true, header.correlationId());
        }
        if (enqueued instanceof Enqueued.Failed failed) {
            return new Sent.Rejected(new Notice(
                    header.correlationId(), String.valueOf(failed.why().getMessage()), Set.of(Next.CONTACT)));
        }
        if (enqueued == null) {
            throw new SemelException.TransactionMustBeRetried(
                    header.operation() + "/" + ready.arrival.id() + " (tenant " + header.tenant()
                            + "): another transaction is sending the same message. Roll back and run it again.",
                    new IllegalStateException("the key is locked"));
        }
        Row row = ((Enqueued.Existing) enqueued).row();
        boolean same = row.header().fingerprint().equals(header.fingerprint())
                || Fingerprints.matches(row.header().fingerprint(), ready.definition, ready.arrival.payload());
        return same
                ? new Sent.Accepted(false, row.header().correlationId())
                : new Sent.Conflict(new Notice(
                        header.correlationId(),
                        "The key was used before with another payload; nothing was stored.",
                        Set.of(Next.CHECK_STATUS, Next.CONTACT)));
    }

    private Sent rejected(Channel<?> channel, Message<?> message, SemelException.Invalid e) {
        services.watch().sent(channel.name(), message.tenant().name(), Outcome.REJECTED);
        String correlation = message.origin().correlationId();
        return new Sent.Rejected(new Notice(
                correlation == null ? "" : correlation, String.valueOf(e.getMessage()), Set.of(Next.CONTACT)));
    }

    private <P> Ready ready(Channel<P> channel, Message<P> message, @Nullable RecordId cause) {
        demandQueue(channel);
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
                times(message.when(), policy),
                services.audits().events().outcome(EventType.OPERATION_QUEUED, about, Map.of()));
        return new Ready(arrival, identity, definition, about);
    }

    private Arrival.Times times(Message.When when, Policy policy) {
        Instant start = when.start();
        long deadline = when.deadline() == null ? Status.NEVER : when.deadline().toEpochMilli();
        Duration byPolicy = policy.limits().deadline();
        if (byPolicy != null) {
            deadline = Math.min(deadline, services.modes().storeMillis() + byPolicy.toMillis());
        }
        if (start == null && deadline == Status.NEVER && when.delay().isZero()) {
            return Arrival.Times.NOW;
        }
        return new Arrival.Times(when.delay().toMillis(), start == null ? 0 : start.toEpochMilli(), deadline);
    }

    private void demandQueue(Channel<?> channel) {
        if (services.store().queue().isEmpty()) {
            throw new SemelException.Misconfigured(
                    "store " + services.store().name(),
                    new ArrayList<>(List.of("it keeps no work for later, which channel " + channel.name()
                            + " needs: use sqlite:<file> or postgresql://...")));
        }
    }
}
