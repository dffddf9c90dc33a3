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
import java.util.function.Supplier;
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
    private BreakerPass pass;
    private int attempt = 1;
    private boolean handlerBegan;

    AtomicTransaction(AtomicTools tools, PreparedCall<P, R> prepared, Answers<R> answers, AtomicHandler<P, R> handler) {
        this.tools = tools;
        this.prepared = prepared;
        this.answers = answers;
        this.invocation = tools.invocation(prepared, handler);
        this.pass = prepared.breaker().pass();
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
        return underBreaker(() -> committedAlone(modes, number));
    }

    /** Each transaction is one attempt, which asks the breaker before its handler, however often that runs in it. */
    private TransactionOutcome<R> underBreaker(Supplier<TransactionOutcome<R>> transaction) {
        try (BreakerPass mine = prepared.breaker().pass()) {
            pass = mine;
            TransactionOutcome<R> outcome = transaction.get();
            if (outcome instanceof TransactionOutcome.RolledBackByException<R> threw) {
                mine.threw(prepared, threw.handler());
            } else if (handlerBegan) {
                mine.returned();
            }
            return outcome;
        }
    }

    private TransactionOutcome<R> committedAlone(CurrentModes.Reading modes, int number) {
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
        return underBreaker(() -> partOf(outbox, modes));
    }

    private TransactionOutcome<R> partOf(Outbox outbox, CurrentModes.Reading modes) {
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
        if (!pass.take()) {
            return answered(answers.breakerOpen());
        }
        tx.beforeHandler();
        handlerBegan = true;
        answers.attemptBegan();
        return modes.mode() == Mode.SHADOW ? rehearsed(outbox) : settled(tx, found, invoked(outbox, storing));
    }

    /** Runs the handler and stores what it sent; a message that cannot be stored is a failure of the handler. */
    private HandlerOutcome<R> invoked(Outbox outbox, Consumer<Outbox> storing) {
        HandlerOutcome<R> outcome = invocation.invoke(outbox, attempt);
        try {
            storing.accept(outbox);
            return outcome;
        } catch (SemelException.NotSent e) {
            outbox.clear();
            return new HandlerOutcome.Threw<>(e);
        }
    }

    /** In SHADOW: all is rolled back. What was sent is stored to see whether it conflicts, and to know what would have been sent. */
    private Ended<TransactionOutcome<R>> rehearsed(Outbox outbox) {
        Rehearsal rehearsal = outbox.rehearse(tools.modes().storeMillis());
        try {
            HandlerOutcome<R> outcome = invoked(outbox, Outbox::store);
            if (outcome instanceof HandlerOutcome.Threw<R> threw) {
                return Ended.undo(new TransactionOutcome.RolledBackByException<>(threw, attempt));
            }
            Answer<R> answer = answers.shadowed(((HandlerOutcome.Returned<R>) outcome).result());
            return Ended.undo(new TransactionOutcome.RolledBackWithAnswer<>(
                    answer, prepared.id(), null, rehearsal.sends(outbox.tx())));
        } finally {
            outbox.endRehearsal(rehearsal);
        }
    }

    private Ended<TransactionOutcome<R>> settled(Tx tx, @Nullable Row found, HandlerOutcome<R> outcome) {
        if (outcome instanceof HandlerOutcome.Threw<R> threw) {
            return Ended.undo(new TransactionOutcome.RolledBackByException<>(threw, attempt));
        }
        HandlerOutcome.Returned<R> returned = (HandlerOutcome.Returned<R>) outcome;
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
