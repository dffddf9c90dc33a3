package dev.semel.execution;

import dev.semel.Answer.Next;
import dev.semel.Answer.Notice;
import dev.semel.Channel;
import dev.semel.Message;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.audit.EventType;
import dev.semel.audit.FirstRun;
import dev.semel.audit.ReplayBuffer;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.Header;
import dev.semel.store.LookupResult;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import dev.semel.watch.Outcome;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Messages on their way into the ledger: checked, identified, stored once. */
public final class MessageSender {
    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final int TRIES = 200;

    private final MessagePreparation preparation;
    private final GroupedLedger ledger;
    private final ApplicationTransactions transactions;
    private final LocalWakeUps wakeUps;
    private final CallWatch watch;
    private final ReplayBuffer replays;

    MessageSender(
            MessagePreparation preparation,
            GroupedLedger ledger,
            ApplicationTransactions transactions,
            LocalWakeUps wakeUps,
            CallWatch watch,
            ReplayBuffer replays) {
        this.preparation = preparation;
        this.ledger = ledger;
        this.transactions = transactions;
        this.wakeUps = wakeUps;
        this.watch = watch;
        this.replays = replays;
    }

    String storeName() {
        return preparation.storeName();
    }

    /** @see MessagePreparation#prepare */
    <P> PreparedMessage prepare(Channel<P> channel, Message<P> message, @Nullable RecordId cause) {
        return preparation.prepare(channel, message, cause);
    }

    /** Something was stored for these channels: their workers look for it. */
    void wake(Set<String> channels) {
        wakeUps.wake(channels);
    }

    public <P> Sent send(Channel<P> channel, Message<P> message) {
        EnclosingRun outer = EnclosingRun.current(this);
        PreparedMessage prepared;
        try {
            prepared = prepare(channel, message, null);
        } catch (SemelException.Invalid e) {
            return rejected(channel, message, e);
        }
        return outer != null ? outer.outbox().storeAfterOthers(prepared) : byItself(prepared);
    }

    public <P> List<Sent> sendAll(Channel<P> channel, List<Message<P>> messages) {
        Sent[] answers = new Sent[messages.size()];
        Map<RecordId, Integer> first = new LinkedHashMap<>();
        Map<Integer, PreparedMessage> ready = new LinkedHashMap<>();
        boolean alone = EnclosingRun.current(this) != null;
        for (int i = 0; i < answers.length; i++) {
            try {
                PreparedMessage each = prepare(channel, messages.get(i), null);
                boolean together = !alone && !each.hasNeighbours();
                if (together && first.putIfAbsent(each.id(), i) == null) {
                    ready.put(i, each);
                }
            } catch (SemelException.Invalid e) {
                answers[i] = rejected(channel, messages.get(i), e);
            }
        }
        long began = now();
        List<Integer> places = List.copyOf(ready.keySet());
        List<Enqueued> enqueued = enqueued(
                channel,
                places.stream().map(place -> ready.get(place).arrival()).toList());
        for (int i = 0; i < places.size(); i++) {
            answers[places.get(i)] = answer(ready.get(places.get(i)), enqueued.get(i), began);
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
            return ledger.enqueueAll(arrivals);
        } finally {
            wake(Set.of(channel.name()));
        }
    }

    /** Outside any transaction, on behalf of a record that is being run. */
    <P> Sent.Accepted from(Channel<P> channel, Message<P> message, RecordId cause) {
        try {
            return byItself(prepare(channel, message, cause)).orThrow();
        } catch (SemelException.Invalid e) {
            return rejected(channel, message, e).orThrow();
        }
    }

    /** In a commit of its own, or one that others share. */
    private Sent byItself(PreparedMessage message) {
        long began = now();
        Enqueued enqueued;
        try {
            enqueued = message.hasNeighbours() ? besideNeighbours(message) : ledger.enqueue(message.arrival());
        } catch (SemelException.DataRefused e) {
            return answer(message, new Enqueued.EnqueueFailed(e), began);
        }
        wake(Set.of(message.channel()));
        return answer(message, enqueued, began);
    }

    /** By the monotonic clock; no clock is read when nobody wants to know. */
    private long now() {
        return watch.isWatched() ? watch.time().nanos() : 0;
    }

    /** Counts a send in the metrics. */
    Sent countInMetrics(PreparedMessage message, Sent sent) {
        if (watch.isWatched()) {
            Header header = message.arrival().header();
            watch.watch().sent(header.operation(), header.tenant(), Outcome.of(sent));
        }
        return sent;
    }

    /** A key with a time bucket: lookup and insert under one lock on the bucketless hash. */
    private Enqueued besideNeighbours(PreparedMessage message) {
        for (int tries = 0; tries < TRIES; tries++) {
            Enqueued enqueued =
                    StoreExceptions.translated(() -> transactions.demand().run(tx -> Ended.keep(enqueue(tx, message))));
            if (enqueued != null) {
                return enqueued;
            }
            BackOff.uninterruptibly(watch.time(), PAUSE);
        }
        throw new SemelException.StoreUnavailable(message.channel()
                + ": another sender held the same key for too long; nothing was stored. Send it again.");
    }

    /** At once, in this transaction; null when another transaction holds the key. */
    static @Nullable Enqueued enqueue(Tx tx, PreparedMessage message) {
        if (message.hasNeighbours()) {
            LookupResult lookup = tx.lookUp(Transactions.ANY_MODES, List.of(message.identity()))
                    .get(0);
            if (lookup instanceof LookupResult.Locked) {
                return null;
            }
            if (lookup instanceof LookupResult.Found found) {
                return new Enqueued.Existing(found.row());
            }
        }
        return tx.enqueue(List.of(message.arrival())).get(0);
    }

    private Sent answer(PreparedMessage message, Enqueued enqueued, long began) {
        Sent sent = countInMetrics(message, message.judge(enqueued));
        if (watch.isWatched() && sent instanceof Sent.Accepted) {
            Header header = message.arrival().header();
            watch.watch().accepted(header.operation(), header.tenant(), now() - began);
        }
        if (enqueued instanceof Enqueued.Existing existing) {
            EventType type =
                    sent instanceof Sent.Accepted ? EventType.OPERATION_REPLAYED : EventType.OPERATION_CONFLICT;
            replays.count(type, message.about(), FirstRun.accepted(existing.row()));
        }
        return sent;
    }

    Sent rejected(Channel<?> channel, Message<?> message, SemelException.Invalid e) {
        watch.watch().sent(channel.name(), message.tenant().name(), Outcome.REJECTED);
        String correlation = message.origin().correlationId();
        return new Sent.Rejected(new Notice(
                correlation == null ? "" : correlation, String.valueOf(e.getMessage()), Set.of(Next.CONTACT)));
    }
}
