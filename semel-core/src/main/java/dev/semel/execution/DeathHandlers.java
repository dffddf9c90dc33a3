package dev.semel.execution;

import dev.semel.Death;
import dev.semel.Operation;
import dev.semel.SemelException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The onDead handlers that were registered on this node, by operation. Thread-safe. */
public final class DeathHandlers {
    private final Map<String, Death.Handler<?>> handlers = new ConcurrentHashMap<>();

    /** @throws SemelException.Invalid when the operation has one already */
    public <P> void register(Operation<P, ?> operation, Death.Handler<P> handler) {
        if (handlers.putIfAbsent(operation.name(), handler) != null) {
            throw new SemelException.Invalid("Operation " + operation.name()
                    + " has an onDead handler already. Register one, once, at start-up.");
        }
    }

    /** Whether a dead letter of the operation is recorded together with its onDead handler. */
    public boolean has(String operation) {
        return handlers.containsKey(operation);
    }

    @SuppressWarnings("unchecked") // An operation's name belongs to one declaration: its payload is the same.
    <P> Death.@Nullable Handler<P> find(Operation<P, ?> operation) {
        return (Death.Handler<P>) handlers.get(operation.name());
    }
}
