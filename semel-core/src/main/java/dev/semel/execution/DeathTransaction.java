package dev.semel.execution;

import dev.semel.Death;
import dev.semel.Failure;
import dev.semel.Mode;
import dev.semel.SemelException;
import dev.semel.audit.Redactor;
import dev.semel.store.CommitRefused;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One death: the onDead handler and the dead letter in one transaction, the handler first. Only the transaction that makes the move
 * keeps what the handler did. {@link Moved.Same} says that an earlier transaction of this death committed although its reply was
 * lost, so the present one is rolled back.
 */
final class DeathTransaction<P, R> {
    private final AtomicTools tools;
    private final PreparedCall<P, R> prepared;
    private final Death<P> death;
    private final AtomicInvocation<P, R> invocation;
    private @Nullable Outbox outbox;

    DeathTransaction(AtomicTools tools, PreparedCall<P, R> prepared, PendingDeath dying, Death.Handler<P> handler) {
        this.tools = tools;
        this.prepared = prepared;
        this.death = death(prepared, dying);
        this.invocation = tools.invocation(prepared, (payload, tx) -> {
            handler.died(death, tx);
            return null;
        });
    }

    private static <P> Death<P> death(PreparedCall<P, ?> prepared, PendingDeath dying) {
        String record = prepared.id().hex();
        return new Death<>(
                record + "." + Long.toHexString(dying.number()),
                new Death.DeadRecord(
                        prepared.call().tenant(),
                        prepared.header().operation(),
                        prepared.call().key(),
                        prepared.correlationId(),
                        record),
                Optional.ofNullable(prepared.call().payload()),
                dying.failure(),
                dying.attempts());
    }

    /** What became of a death. */
    sealed interface DeathOutcome {
        /** The dead letter and what the handler did are committed: by this transaction, or by an earlier one whose reply was lost. */
        record DeathRecorded(boolean earlier) implements DeathOutcome {}

        /** Another grant has the record; nothing of this transaction is kept. */
        record Overtaken(Moved.Refused refused) implements DeathOutcome {}

        /** Switched off: the handler did not start. */
        record SwitchedOff() implements DeathOutcome {}

        /** The store rejects the data of the dead letter; nothing is kept. */
        record NotStorable(SemelException.DataRefused why) implements DeathOutcome {}

        /**
         * Nothing is kept, or, where a reply was lost, it is not known whether anything is: then only a conflicting write can tell.
         */
        record NotRecorded(HandlerOutcome.Threw<?> handler) implements DeathOutcome {
            NotRecorded(Throwable thrown) {
                this(new HandlerOutcome.Threw<>(thrown));
            }

            Throwable thrown() {
                return handler.thrown();
            }

            /** For logs and for the record. The message of an exception of the application's is not kept, as it may hold data. */
            String error() {
                if (handler.stop() == LeaseKeeper.Stop.TIMED_OUT) {
                    return "it timed out and was interrupted";
                }
                return thrown() instanceof SemelException || thrown() instanceof Failure.Thrown
                        ? Redactor.text(String.valueOf(thrown().getMessage()))
                        : thrown().getClass().getName();
            }

            /** The handler ended its transaction itself: what it did may be committed without the dead letter. */
            boolean endedItsTransaction() {
                return thrown() instanceof SemelException.TransactionEnded;
            }

            Failure asFailure() {
                return Failure.of(
                        Failure.Category.BUG, "Its onDead handler ended its transaction: " + thrown().getMessage());
            }
        }
    }

    /** @param move the dead letter */
    DeathOutcome run(Move move) {
        try {
            DeathOutcome outcome = tools.transactions().run(tx -> {
                DeathOutcome ended = in(tx, move);
                return ended instanceof DeathOutcome.DeathRecorded recorded && !recorded.earlier()
                        ? Ended.keep(ended)
                        : Ended.undo(ended);
            });
            if (outcome instanceof DeathOutcome.DeathRecorded) {
                committed();
            }
            return outcome;
        } catch (CommitRefused e) {
            return new DeathOutcome.NotRecorded(e.why());
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return new DeathOutcome.NotRecorded(e);
        }
    }

    /** The transaction is committed: workers of the channels that the handler sent to are woken. */
    void committed() {
        if (outbox != null) {
            outbox.committed();
        }
    }

    private DeathOutcome in(Tx tx, Move move) {
        DeathOutcome stopped = handle(tx);
        if (stopped != null) {
            return stopped;
        }
        Moved moved = tx.move(List.of(move)).get(0);
        if (moved instanceof Moved.Refused refused) {
            return new DeathOutcome.Overtaken(refused);
        }
        if (moved instanceof Moved.NotStored refused) {
            return new DeathOutcome.NotStorable(refused.why());
        }
        if (moved instanceof Moved.Locked) {
            return new DeathOutcome.NotRecorded(new SemelException.Locked(
                    prepared.name() + ": locked by another transaction; its dead letter was not recorded."));
        }
        return new DeathOutcome.DeathRecorded(moved instanceof Moved.Same);
    }

    /** Runs the handler and stores what it sent; only the dead letter may follow. Says why that may not be written, if so. */
    @Nullable
    DeathOutcome handle(Tx tx) {
        Outbox messages = tools.outbox(tx);
        outbox = messages;
        if (tools.modes().beforeStart(tx, prepared) != Mode.LIVE) {
            return new DeathOutcome.SwitchedOff();
        }
        tx.beforeHandler();
        if (invocation.invoke(messages, death.attempts()) instanceof HandlerOutcome.Threw<R> threw) {
            return new DeathOutcome.NotRecorded(threw);
        }
        try {
            messages.storeWithCommit();
        } catch (SemelException.NotSent e) {
            return new DeathOutcome.NotRecorded(e);
        }
        return null;
    }
}
