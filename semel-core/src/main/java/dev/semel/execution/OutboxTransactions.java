package dev.semel.execution;

import dev.semel.Channel;
import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.policy.LostTransaction;
import dev.semel.store.CommitRefused;
import dev.semel.store.Transactions.Ended;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** Transactions of the application that Semel commits, together with the messages that were sent in them. */
public final class OutboxTransactions {
    private static final int ATTEMPTS = 5;

    private final ApplicationTransactions transactions;
    private final MessageSender sender;

    public OutboxTransactions(ApplicationTransactions transactions, MessageSender sender) {
        this.transactions = transactions;
        this.sender = sender;
    }

    private record Committed<T>(T value, Outbox outbox) {}

    /** Carries an exception of the work past the store, which has exceptions of its own. */
    private static final class ThrownByWork extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final Exception thrown;

        ThrownByWork(Exception thrown) {
            super(null, null, false, false);
            this.thrown = thrown;
        }
    }

    /** Inside a handler of this engine it is a part of that handler's transaction. */
    public <T, X extends Exception> T run(Semel.TransactionWork<T, X> work) throws X {
        EnclosingRun outer = EnclosingRun.current(sender);
        return run(outer == null ? null : outer.outbox(), work);
    }

    /** @param outer the transaction that somebody else ends, if there is one */
    <T, X extends Exception> T run(@Nullable Outbox outer, Semel.TransactionWork<T, X> work) throws X {
        try {
            return StoreExceptions.translated(() -> outer == null ? alone(work) : inside(outer, work));
        } catch (ThrownByWork e) {
            throw OutboxTransactions.<X>same(e.thrown);
        } catch (CommitRefused e) {
            throw refused(e.why());
        } catch (SemelException.OutcomeUnknown e) {
            throw new SemelException.OutcomeUnknown(
                    "The connection was lost during COMMIT and the outcome is unknown: the work and its messages are"
                            + " both committed, or neither is. Look at what the work writes before you repeat it; work"
                            + " that must not be done twice belongs in an operation.",
                    e);
        }
    }

    /** What refused the commit: other transactions, the transaction manager or a callback of the application, or the database. */
    private static RuntimeException refused(Throwable why) {
        if (LostTransaction.state(why) != null) {
            return new SemelException.StoreUnavailable(
                    "The transaction conflicted " + ATTEMPTS + " times with others at its commit; nothing was"
                            + " committed, and nothing was sent. Repeat the call.",
                    why);
        }
        if (why instanceof RuntimeException own) {
            return own;
        }
        return new SemelException.DataRefused(
                "The database rejected the transaction at its commit (" + why.getMessage()
                        + "); nothing was committed, and nothing was sent.",
                why);
    }

    /** A transaction that lost against another one at its commit is run again, a few times. */
    private <T> T alone(Semel.TransactionWork<T, ?> work) throws Exception {
        for (int attempt = 1; ; attempt++) {
            try {
                return once(work);
            } catch (CommitRefused e) {
                if (attempt == ATTEMPTS || LostTransaction.state(e.why()) == null) {
                    throw e;
                }
            }
        }
    }

    private <T> T once(Semel.TransactionWork<T, ?> work) throws Exception {
        Committed<T> committed = transactions.demand().run(tx -> {
            Outbox outbox = new Outbox(sender, tx);
            tx.beforeHandler();
            T value = runWork(outbox, work);
            outbox.storeWithCommit();
            return Ended.keep(new Committed<>(value, outbox));
        });
        committed.outbox.committed();
        return committed.value;
    }

    private <T> T inside(Outbox outbox, Semel.TransactionWork<T, ?> work) throws Exception {
        outbox.store();
        return outbox.tx().part(() -> {
            try {
                T value = runWork(outbox, work);
                outbox.store();
                return Ended.keep(value);
            } catch (RuntimeException | Error e) {
                outbox.clear();
                throw e;
            }
        });
    }

    private static <T> T runWork(Outbox outbox, Semel.TransactionWork<T, ?> work) throws Exception {
        Outbox.Sending sending = outbox.sending(null);
        try {
            return EnclosingRun.inside(outbox, null, () -> work.run(new OutboxContext(outbox, sending)));
        } catch (VirtualMachineError e) {
            outbox.tx().abandon();
            throw e;
        } catch (Exception e) {
            throw new ThrownByWork(e);
        } finally {
            sending.end();
        }
    }

    /** The work declares which checked exceptions it throws. */
    @SuppressWarnings("unchecked")
    private static <X extends Exception> X same(Exception thrown) {
        if (thrown instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        return (X) thrown;
    }

    private record OutboxContext(Outbox outbox, Outbox.Sending sending) implements Semel.Transaction {
        @Override
        public Connection connection() {
            return outbox.connection();
        }

        @Override
        public <T> T unwrap(Class<T> type) {
            return outbox.tx().unwrap(type);
        }

        @Override
        public <P> void send(Channel<P> channel, Message<P> message) {
            sending.send(channel, message);
        }
    }
}
