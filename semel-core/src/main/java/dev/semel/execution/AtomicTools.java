package dev.semel.execution;

import dev.semel.AtomicHandler;
import dev.semel.audit.Events;
import dev.semel.key.ValueCodec;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Tx;

/**
 * What an atomic handler needs around it: a transaction, an outbox for its messages, and a time-out.
 *
 * @param keeper interrupts a handler that takes too long
 * @param codec encodes its result
 */
public record AtomicTools(
        ApplicationTransactions application,
        MessageSender sender,
        CurrentModes modes,
        LeaseKeeper keeper,
        ValueCodec codec,
        Events events) {

    /** @throws dev.semel.SemelException.Misconfigured when the store has none */
    Transactions transactions() {
        return application.demand();
    }

    Outbox outbox(Tx tx) {
        return new Outbox(sender, tx);
    }

    <P, R> AtomicInvocation<P, R> invocation(PreparedCall<P, R> prepared, AtomicHandler<P, R> handler) {
        return new AtomicInvocation<>(keeper, codec, prepared, handler);
    }
}
