package dev.semel.execution;

import dev.semel.Channel;
import dev.semel.Message;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.Transactions.Tx;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The messages that were sent in one transaction. Where the store can store them together with the commit they are held until the
 * handler has returned; elsewhere each is stored at once. Three rules keep that invisible, but for the moment at which a conflict
 * shows:
 *
 * <ul>
 *   <li>Whatever else sends in the same transaction stores what is held first: messages keep the order of their sends.
 *   <li>Before a handler uses a savepoint what is held is stored, and from then on each message at once: a savepoint undoes the
 *       messages that were sent after it, and no others.
 *   <li>A message that could not be stored fails the handler, even if it catches the exception where that happens to show.
 * </ul>
 */
final class Outbox {
    /** Stored by one statement. */
    private static final int CHUNK = 512;

    private final MessageSender sender;
    private final Tx tx;
    private final Map<RecordId, PreparedMessage> held = new LinkedHashMap<>();
    private final List<PreparedMessage> withCommit = new ArrayList<>();
    private final Set<String> channels = new HashSet<>();

    /** A handler's thread may have been handed the context of its run. */
    private final Lock lock = new ReentrantLock();

    private boolean holds;
    private @Nullable RuntimeException failed;
    private @Nullable Rehearsal rehearsal;

    Outbox(MessageSender sender, Tx tx) {
        this.sender = sender;
        this.tx = tx;
        this.holds = tx.holdMessages(this::holdNothing);
    }

    /** Whether it is one of the engine that this is the sender of. */
    boolean isOf(MessageSender engine) {
        return sender == engine;
    }

    Tx tx() {
        return tx;
    }

    /** @throws SemelException.Invalid when the store has none */
    Connection connection() {
        Connection connection = tx.connection();
        if (connection == null) {
            throw new SemelException.Invalid("The store " + sender.storeName()
                    + " has no JDBC connection. Use unwrap(...) with the store's own type.");
        }
        return connection;
    }

    /** Whether anything was sent. */
    boolean isUsed() {
        return !channels.isEmpty();
    }

    /** The transaction is committed: counts the messages that went with the commit, and wakes the workers of all. */
    void committed() {
        withCommit.forEach(message -> sender.countInMetrics(message, message.judge(new Enqueued.Made())));
        withCommit.clear();
        sender.wake(Set.copyOf(channels));
        channels.clear();
    }

    /**
     * A run in SHADOW begins: what is sent is noted until {@link #endRehearsal}.
     *
     * @param now the store's time
     */
    Rehearsal rehearse(long now) {
        return locked(() -> {
            Rehearsal begun = new Rehearsal(rehearsal, now);
            rehearsal = begun;
            return begun;
        });
    }

    void endRehearsal(Rehearsal ended) {
        lock.lock();
        try {
            rehearsal = ended.outer();
        } finally {
            lock.unlock();
        }
    }

    /** The run in SHADOW that its transaction belongs to; absent if the transaction is to be committed. */
    @Nullable
    Rehearsal rehearsal() {
        return rehearsal;
    }

    /**
     * For the sends of one handler.
     *
     * @param cause the record whose handler it is, if any
     */
    Sending sending(@Nullable RecordId cause) {
        return new Sending(cause);
    }

    /** The sends of one handler, as long as it runs: a later message could not be stored any more, and must not get lost. */
    final class Sending {
        private final @Nullable RecordId cause;
        private boolean ended;

        private Sending(@Nullable RecordId cause) {
            this.cause = cause;
        }

        /**
         * @throws SemelException.NotSent when the message is invalid, or known to conflict already
         * @throws SemelException.Invalid when the handler has returned
         */
        <P> void send(Channel<P> channel, Message<P> message) {
            locked(() -> {
                if (ended) {
                    throw new SemelException.Invalid("The message to channel " + channel.name()
                            + " was rejected: its handler has returned, and its transaction has ended. Send within the"
                            + " handler, on its thread, or use Semel.send.");
                }
                take(channel, message, cause);
                return true;
            });
        }

        /** The handler has returned or thrown. */
        void end() {
            locked(() -> ended = true);
        }
    }

    private <P> void take(Channel<P> channel, Message<P> message, @Nullable RecordId cause) {
        PreparedMessage prepared;
        try {
            prepared = sender.prepare(channel, message, cause);
        } catch (SemelException.Invalid e) {
            sender.rejected(channel, message, e).orThrow();
            return;
        }
        rememberingFailure(() -> {
            if (!holds || prepared.hasNeighbours()) {
                return storeAfterOthers(prepared).orThrow();
            }
            channels.add(prepared.channel());
            PreparedMessage earlier = held.putIfAbsent(prepared.id(), prepared);
            return earlier == null
                    ? null
                    : sender.countInMetrics(prepared, prepared.judge(earlier.arrival()))
                            .orThrow();
        });
    }

    /** Stores a message at once. */
    <P> Sent send(Channel<P> channel, Message<P> message) {
        try {
            return storeAfterOthers(sender.prepare(channel, message, null));
        } catch (SemelException.Invalid e) {
            return sender.rejected(channel, message, e);
        }
    }

    /** Stores a message at once, and before it those that were sent before. */
    Sent storeAfterOthers(PreparedMessage message) {
        return locked(() -> {
            store();
            channels.add(message.channel());
            return noted(message, message.judge(MessageSender.enqueue(tx, message)));
        });
    }

    private void holdNothing() {
        locked(() -> {
            store();
            holds = false;
            return true;
        });
    }

    /**
     * Stores what is held, at once.
     *
     * @throws SemelException.NotSent when a message conflicts: the handler that sent it must be rolled back
     */
    void store() {
        locked(() -> {
            List<PreparedMessage> messages = takeHeld();
            for (int from = 0; from < messages.size(); from += CHUNK) {
                List<PreparedMessage> chunk = messages.subList(from, Math.min(from + CHUNK, messages.size()));
                rememberingFailure(() -> judge(chunk, tx.enqueue(arrivals(chunk))));
            }
            return true;
        });
    }

    /**
     * Stores what is held, at once or with the commit. Only the ends of the runs may be written between this and the commit.
     *
     * @throws SemelException.NotSent when a message conflicts: everything must be rolled back
     */
    void storeWithCommit() {
        if (held.size() > CHUNK) {
            store();
        }
        locked(() -> {
            List<PreparedMessage> messages = takeHeld();
            if (!messages.isEmpty()) {
                Optional<List<Enqueued>> answers = tx.enqueueWithCommit(arrivals(messages));
                if (answers.isEmpty()) {
                    withCommit.addAll(messages);
                } else {
                    rememberingFailure(() -> judge(messages, answers.get()));
                }
            }
            return true;
        });
    }

    /** The handler that sent them has failed, and what it did is undone: forgets what is held, and what failed. */
    void clear() {
        locked(() -> {
            held.clear();
            failed = null;
            return true;
        });
    }

    private List<PreparedMessage> takeHeld() {
        if (failed != null) {
            throw failed;
        }
        List<PreparedMessage> messages = List.copyOf(held.values());
        held.clear();
        return messages;
    }

    private static List<Arrival> arrivals(List<PreparedMessage> messages) {
        return messages.stream().map(PreparedMessage::arrival).toList();
    }

    /** Counts all of them before the first that conflicts is reported. */
    private List<Sent> judge(List<PreparedMessage> messages, List<Enqueued> answers) {
        List<Sent> judged = new ArrayList<>();
        for (int i = 0; i < messages.size(); i++) {
            judged.add(noted(messages.get(i), messages.get(i).judge(answers.get(i))));
        }
        judged.forEach(Sent::orThrow);
        return judged;
    }

    private Sent noted(PreparedMessage message, Sent sent) {
        if (rehearsal != null && sent instanceof Sent.Accepted) {
            rehearsal.note(message);
        }
        return sender.countInMetrics(message, sent);
    }

    /** A message that was not stored stays so, whoever catches the exception. */
    private <T> @Nullable T rememberingFailure(Supplier<@Nullable T> storing) {
        try {
            return storing.get();
        } catch (RuntimeException e) {
            failed = e;
            throw e;
        }
    }

    private <T> T locked(Supplier<T> body) {
        lock.lock();
        try {
            return body.get();
        } finally {
            lock.unlock();
        }
    }
}
