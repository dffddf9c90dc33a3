package dev.semel.execution;

import dev.semel.AtomicContext;
import dev.semel.AtomicHandler;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.key.ValueCodec;
import dev.semel.store.Transactions.Tx;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/** Invokes an atomic handler inside a transaction that somebody else ends. */
final class AtomicInvocation<P, R> {
    private final LeaseKeeper keeper;
    private final ValueCodec codec;
    private final PreparedCall<P, R> prepared;
    private final AtomicHandler<P, R> handler;

    AtomicInvocation(LeaseKeeper keeper, ValueCodec codec, PreparedCall<P, R> prepared, AtomicHandler<P, R> handler) {
        this.keeper = keeper;
        this.codec = codec;
        this.prepared = prepared;
        this.handler = handler;
    }

    /**
     * Runs the handler, watched for its time-out. An exception of the handler never leaves this method. The transaction has been
     * told by {@link Tx#beforeHandler}. What the handler sent is in the outbox, to be stored by the caller.
     */
    HandlerOutcome<R> invoke(Outbox outbox, int attempt) {
        try (LeaseKeeper.Watched run = keeper.watch(prepared.policy().limits().attemptTimeout())) {
            prepared.span().enter(attempt);
            Outbox.Sending sending = outbox.sending(prepared.id());
            try {
                R result = EnclosingRun.inside(
                        outbox,
                        prepared.identity().lock(),
                        () -> handler.run(prepared.call().payload(), new InvocationContext(outbox, sending, attempt)));
                return new HandlerOutcome.Returned<>(result, encode(result));
            } catch (Throwable thrown) {
                outbox.clear();
                if (thrown instanceof VirtualMachineError) {
                    outbox.tx().abandon();
                }
                return new HandlerOutcome.Threw<>(thrown, run.handlerEnded());
            } finally {
                sending.end();
                prepared.span().leave();
            }
        }
    }

    private byte @Nullable [] encode(@Nullable R result) {
        try {
            return codec.encode(result, prepared.operation().definition().result());
        } catch (SemelException.Invalid e) {
            throw new Failure.Thrown(Failure.of(Failure.Category.BUG, String.valueOf(e.getMessage())), e);
        }
    }

    private final class InvocationContext implements AtomicContext {
        private final Outbox outbox;
        private final Outbox.Sending sending;
        private final int attempt;

        InvocationContext(Outbox outbox, Outbox.Sending sending, int attempt) {
            this.outbox = outbox;
            this.sending = sending;
            this.attempt = attempt;
        }

        @Override
        public Connection connection() {
            return outbox.connection();
        }

        @Override
        public <T> T unwrap(Class<T> type) {
            return outbox.tx().unwrap(type);
        }

        @Override
        public <T> void send(Channel<T> channel, Message<T> message) {
            sending.send(channel, message);
        }

        @Override
        public Tenant tenant() {
            return prepared.call().tenant();
        }

        @Override
        public String correlationId() {
            return prepared.correlationId();
        }

        @Override
        public int attempt() {
            return attempt;
        }

        @Override
        public Key key(String what) {
            return prepared.id().sentKey(what);
        }
    }
}
