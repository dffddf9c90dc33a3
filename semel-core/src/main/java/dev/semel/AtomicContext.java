package dev.semel;

import java.sql.Connection;

/** The run, as an atomic handler sees it. Valid on the handler's thread until it returns. */
public interface AtomicContext {
    /**
     * The transaction's connection. It cannot commit, roll back or close: Semel does, once, for the effect and the record
     * together.
     *
     * @throws SemelException.Invalid when the store has no JDBC connection
     */
    Connection connection();

    /** The store's own transaction type, for stores without JDBC. */
    <T> T unwrap(Class<T> type);

    /** Whose work it is. */
    Tenant tenant();

    /** Of the call, or of the message that is delivered: for logs. */
    String correlationId();

    /** Which attempt of this call it is, from 1. */
    int attempt();

    /**
     * Sends a message in this transaction: it is there exactly if the effect is.
     *
     * @throws SemelException.NotSent when it conflicts or is invalid; let it pass, and everything is rolled back
     */
    <P> Sent.Accepted send(Channel<P> channel, Message<P> message);

    /** As {@link #send(Channel, Message)}, for the same tenant and under the same correlation id. */
    default <P> Sent.Accepted send(Channel<P> channel, Key key, P payload) {
        return send(channel, Message.of(tenant(), key, payload).withCorrelationId(correlationId()));
    }
}
