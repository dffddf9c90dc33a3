package dev.semel.execution;

import dev.semel.AtomicContext;
import dev.semel.AtomicHandler;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Message;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.store.Transactions.Tx;
import java.sql.Connection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Invokes an atomic handler inside a transaction that somebody else ends. */
final class AtomicInvocation<P, R> {
    private final EngineServices services;
    private final PreparedCall<P, R> prepared;
    private final AtomicHandler<P, R> handler;
    private Set<String> sent = Set.of();

    AtomicInvocation(EngineServices services, PreparedCall<P, R> prepared, AtomicHandler<P, R> handler) {
        this.services = services;
        this.prepared = prepared;
        this.handler = handler;
    }

    /** The channels that the handler sent to, to be woken after the commit. */
    Set<String> sent() {
        return sent;
    }

    /**
     * Runs the handler, watched for its time-out. An exception of the handler never leaves this method. The transaction has been
     * told by {@link Tx#beforeHandler}.
     */
    HandlerOutcome<R> invoke(Tx tx, int attempt) {
        try (LeaseKeeper.Watched run =
                services.memory().keeper().watch(prepared.policy().limits().attemptTimeout())) {
            prepared.span().enter(attempt);
            try {
                R result = EnclosingRun.inside(services, tx, prepared.identity().lock(), enclosing -> {
                    sent = enclosing.sent();
                    return handler.run(prepared.call().payload(), new Context(tx, attempt));
                });
                return new HandlerOutcome.Returned<>(result, encode(result));
            } catch (Throwable thrown) {
                if (thrown instanceof VirtualMachineError) {
                    tx.abandon();
                }
                return new HandlerOutcome.Threw<>(thrown, run.handlerEnded());
            } finally {
                prepared.span().leave();
            }
        }
    }

    private byte @Nullable [] encode(@Nullable R result) {
        try {
            return services.tools()
                    .codec()
                    .encode(result, prepared.operation().definition().result());
        } catch (SemelException.Invalid e) {
            throw new Failure.Thrown(Failure.of(Failure.Category.BUG, String.valueOf(e.getMessage())), e);
        }
    }

    private final class Context implements AtomicContext {
        private final Tx tx;
        private final int attempt;

        Context(Tx tx, int attempt) {
            this.tx = tx;
            this.attempt = attempt;
        }

        @Override
        public Connection connection() {
            Connection connection = tx.connection();
            if (connection == null) {
                throw new SemelException.Invalid("The store " + services.store().name()
                        + " has no JDBC connection. Use unwrap(...) with the store's own type.");
            }
            return connection;
        }

        @Override
        public <T> T unwrap(Class<T> type) {
            return tx.unwrap(type);
        }

        @Override
        public <T> Sent.Accepted send(Channel<T> channel, Message<T> message) {
            return new MessageSender(services).in(tx, channel, message, prepared.id(), sent);
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
    }
}
