package dev.semel.execution;

import dev.semel.Sent;
import dev.semel.execution.ShadowSends.ShadowSend;
import dev.semel.key.RecordId;
import dev.semel.store.Enqueued;
import dev.semel.store.Row;
import dev.semel.store.Transactions.Tx;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Notes what a run in SHADOW sends, in the transaction that is rolled back after it. Used under the lock of its {@link Outbox}.
 */
final class Rehearsal {
    private final @Nullable Rehearsal outer;
    private final long began;
    private final List<PreparedMessage> noted = new ArrayList<>();
    private final List<ShadowSend> inner = new ArrayList<>();

    /**
     * @param outer the run in SHADOW that this one is inside of, in the same transaction
     * @param began the store's time
     */
    Rehearsal(@Nullable Rehearsal outer, long began) {
        this.outer = outer;
        this.began = began;
    }

    @Nullable
    Rehearsal outer() {
        return outer;
    }

    /** It was accepted in the transaction: as new, or as a duplicate. */
    void note(PreparedMessage message) {
        noted.add(message);
    }

    /** What a run in SHADOW inside this one would have sent. */
    void add(List<ShadowSend> sends) {
        inner.addAll(sends);
    }

    /**
     * What would have been sent. To be asked after the handler has returned and all is stored, and before the rollback: what is not
     * there any more was undone by the handler itself, with a savepoint.
     */
    List<ShadowSend> sends(Tx tx) {
        Map<RecordId, ShadowSend> sends = new LinkedHashMap<>();
        // Made by the question itself: the handler may have sent and undone it more than once.
        Set<RecordId> undone = new HashSet<>();
        for (PreparedMessage message : noted) {
            Enqueued enqueued = MessageSender.enqueue(tx, message);
            if (enqueued instanceof Enqueued.Made) {
                undone.add(message.id());
            } else if (enqueued instanceof Enqueued.Existing there
                    && !undone.contains(there.row().id())
                    && message.judge(there) instanceof Sent.Accepted) {
                sends.put(message.id(), new ShadowSend(message, until(message, there.row())));
            }
        }
        inner.forEach(send -> sends.putIfAbsent(send.message().id(), send));
        return List.copyOf(sends.values());
    }

    private long until(PreparedMessage message, Row real) {
        long remembered = began + message.rememberedMillis();
        return real.state().finished() ? Math.min(remembered, real.status().at()) : remembered;
    }
}
