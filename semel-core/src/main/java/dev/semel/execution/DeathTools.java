package dev.semel.execution;

import dev.semel.Death;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What a death needs: its onDead handler, and what every atomic handler needs around it.
 *
 * @param random numbers the deaths that no fence tells apart
 */
public record DeathTools(DeathHandlers handlers, AtomicTools atomic, RandomGenerator random) {
    /** Whether a dead letter of this call is recorded together with an onDead handler. */
    boolean has(PreparedCall<?, ?> prepared) {
        return handlers.has(prepared.header().operation());
    }

    /** Renews the lease of a call while its onDead handler runs. */
    DeathTransaction.DeathOutcome underLease(
            PreparedCall<?, ?> prepared, long fence, Supplier<DeathTransaction.DeathOutcome> death) {
        LeaseKeeper.Watched held = atomic.keeper().hold(prepared, fence);
        try {
            return death.get();
        } finally {
            held.close();
        }
    }

    /** A death whose onDead handler is registered here. */
    <P, R> DeathTransaction<P, R> transaction(PreparedCall<P, R> prepared, PendingDeath dying) {
        Death.Handler<P> handler = Objects.requireNonNull(handlers.find(prepared.operation()));
        return new DeathTransaction<>(atomic, prepared, dying, handler);
    }
}
