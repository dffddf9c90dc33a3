package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.AtomicHandler;
import dev.semel.Mode;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.key.RecordId;
import dev.semel.store.CommitRefused;
import dev.semel.store.LookupResult;
import dev.semel.store.RecordWrite;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A direct atomic call in one transaction: lock and look up the record (grant), run the handler (invoke), write the record
 * (settle). In a transaction of its own, in a caller's, or inside another handler; only the first is committed here.
 */
final class AtomicTransaction<P, R> {
    private final AtomicTools tools;
    private final PreparedCall<P, R> prepared;
    private final Answers<R> answers;
    private final AtomicInvocation<P, R> invocation;
    private @Nullable Outbox outbox;
    private int attempt = 1;
    private boolean handlerBegan;

    AtomicTransaction(AtomicTools tools, PreparedCall<P, R> prepared, Answers<R> answers, AtomicHandler<P, R> handler) {
        this.tools = tools;
        this.prepared = prepared;
        this.answers = answers;
        this.invocation = tools.invocation(prepared, handler);
    }

    PreparedCall<P, R> prepared() {
        return prepared;
    }

    Answers<R> answers() {
        return answers;
    }

    /** The transaction of {@link #alone} is committed. */
    void committed() {
        if (outbox != null) {
            outbox.committed();
        }
    }

    /** Whether the handler began in the last transaction. */
    boolean handlerBegan() {
        return handlerBegan;
    }

    /** In a transaction of its own. What the database refuses to commit is a failure of the handler's. */
    TransactionOutcome<R> alone(CurrentModes.Reading modes, int number) {
        return StoreExceptions.translated(() -> {
            try {
                return tools.transactions().run(tx -> {
                    Outbox fresh = tools.outbox(tx);
                    outbox = fresh;
                    return in(fresh, Outbox::storeWithCommit, modes, number);
                });
            } catch (CommitRefused e) {
                return refused(e.why());
            } catch (SemelException.DataRefused e) {
                return refused(e);
            } catch (SemelException.Locked e) {
                // Another transaction is sending the same message: an attempt that failed.
                if (handlerBegan && outbox != null && outbox.isUsed()) {
                    return refused(e);
                }
                throw e;
            }
        });
    }

    /** In a transaction that somebody else ends: under a savepoint, so that a failure undoes only this call. */
    TransactionOutcome<R> inside(Outbox outbox, CurrentModes.Reading modes) {
        outbox.store();
        try {
            return StoreExceptions.translated(() -> outbox.tx().part(() -> in(outbox, Outbox::store, modes, 1)));
        } catch (CommitRefused e) {
            return refused(e.why());
        } catch (SemelException.DataRefused e) {
            return refused(e);
        }
    }

    private TransactionOutcome<R> refused(Throwable why) {
        return new TransactionOutcome.RolledBackByException<>(new HandlerOutcome.Threw<>(why), attempt);
    }

    /**
     * @param storing how the messages of the handler are stored
     * @param number of this attempt when there is no record yet that counts them
     */
    private Ended<TransactionOutcome<R>> in(
            Outbox outbox, Consumer<Outbox> storing, CurrentModes.Reading modes, int number) {
        Tx tx = outbox.tx();
        handlerBegan = false;
        LookupResult lookup =
                tx.lookUp(modes.version(), List.of(prepared.identity())).get(0);
        if (lookup instanceof LookupResult.ModesChanged) {
            return Ended.undo(new TransactionOutcome.ModesChanged<>());
        }
        if (lookup instanceof LookupResult.Locked) {
            return answered(answers.inProgress());
        }
        Row found = null;
        attempt = number;
        if (lookup instanceof LookupResult.Found there) {
            Answer<R> answer = answers.of(there.row(), there.now());
            if (answer != null) {
                return Ended.undo(new TransactionOutcome.RolledBackWithAnswer<>(
                        answer, there.row().id(), new Reserved.Existing(there.row(), there.now())));
            }
            found = there.row();
            attempt = Math.max(number, found.status().attempt() + 1);
        }
        if (tools.modes().isLate(prepared)) {
            return answered(answers.late());
        }
        if (modes.mode() == Mode.HALTED) {
            return answered(answers.halted());
        }
        tx.beforeHandler();
        handlerBegan = true;
        HandlerOutcome<R> outcome = invocation.invoke(outbox, attempt);
        try {
            // What a shadowed run sends is rolled back, and is stored only to see whether it conflicts.
            (modes.mode() == Mode.SHADOW ? (Consumer<Outbox>) Outbox::store : storing).accept(outbox);
        } catch (SemelException.NotSent e) {
            outbox.clear();
            return Ended.undo(new TransactionOutcome.RolledBackByException<>(new HandlerOutcome.Threw<>(e), attempt));
        }
        return settled(tx, modes.mode(), found, outcome);
    }

    private Ended<TransactionOutcome<R>> settled(Tx tx, Mode mode, @Nullable Row found, HandlerOutcome<R> outcome) {
        if (outcome instanceof HandlerOutcome.Threw<R> threw) {
            return Ended.undo(new TransactionOutcome.RolledBackByException<>(threw, attempt));
        }
        HandlerOutcome.Returned<R> returned = (HandlerOutcome.Returned<R>) outcome;
        if (mode == Mode.SHADOW) {
            return answered(answers.shadowed(returned.result()));
        }
        tx.write(List.of(completed(
                tools.events(), prepared, found == null ? prepared.id() : found.id(), attempt, returned.snapshot())));
        return Ended.keep(new TransactionOutcome.RecordWritten<>(returned));
    }

    private Ended<TransactionOutcome<R>> answered(Answer<R> answer) {
        return Ended.undo(new TransactionOutcome.RolledBackWithAnswer<>(answer, prepared.id(), null));
    }

    /** The record of a call whose handler returned. */
    static RecordWrite completed(
            Events events, PreparedCall<?, ?> prepared, RecordId id, int attempt, byte @Nullable [] snapshot) {
        Policy policy = prepared.policy();
        return new RecordWrite(
                id,
                prepared.header(),
                State.COMPLETED,
                new RecordWrite.WriteTimes(policy.retention().success().toMillis(), 0, attempt),
                new RecordWrite.WrittenOutcome(snapshot, null),
                events.outcome(EventType.OPERATION_EXECUTED, prepared.about(), Map.of()));
    }
}
