package dev.semel;

/** The run, as an atomic handler sees it. Valid on the handler's thread until it returns. */
public interface AtomicContext extends Semel.Transaction {
    /** Whose work it is. */
    Tenant tenant();

    /** Of the call, or of the message that is delivered: for logs. */
    String correlationId();

    /** Which attempt of this call it is, from 1. */
    int attempt();

    /**
     * A key for something that this run sends: the same in every attempt and replay of its record, and another one for another record.
     *
     * <pre>{@code
     * tx.send(MAIL, tx.key("receipt"), new Mail(receipt));
     * }</pre>
     *
     * @param what is sent, such as "receipt"; at most 150 characters
     * @throws SemelException.Invalid when the key would be too long
     */
    Key key(String what);

    /** As {@link #send(Channel, Message)}, for the same tenant and under the same correlation id. */
    default <P> void send(Channel<P> channel, Key key, P payload) {
        send(channel, Message.of(tenant(), key, payload).withCorrelationId(correlationId()));
    }
}
