package dev.semel.worker;

import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Callers that wait until a channel has something to claim. A wake-up may be lost, and a retry that becomes due wakes nobody, so
 * whoever waits also looks from time to time. Thread-safe.
 */
final class ClaimWaiters {
    private final TimeSource time;
    private final Map<String, Set<TimeSource.Gate>> waiting = new ConcurrentHashMap<>();
    private volatile boolean draining;

    ClaimWaiters(TimeSource time) {
        this.time = time;
    }

    /** A caller that is about to claim: it is woken by all that is queued from now on. */
    final class Waiter implements AutoCloseable {
        private final String operation;
        private final TimeSource.Gate gate = time.gate();

        private Waiter(String operation) {
            this.operation = operation;
            waiting.compute(operation, (name, gates) -> {
                Set<TimeSource.Gate> all = gates == null ? ConcurrentHashMap.newKeySet() : gates;
                all.add(gate);
                return all;
            });
        }

        /** Waits until it is woken, or so long. */
        void await(Duration atMost) throws InterruptedException {
            if (!draining) {
                gate.await(atMost);
            }
        }

        @Override
        public void close() {
            waiting.computeIfPresent(operation, (name, gates) -> {
                gates.remove(gate);
                return gates.isEmpty() ? null : gates;
            });
        }
    }

    Waiter enter(String operation) {
        return new Waiter(operation);
    }

    /** Something was queued. */
    void wake(Collection<String> operations) {
        for (String operation : operations) {
            waiting.getOrDefault(operation, Set.of()).forEach(TimeSource.Gate::open);
        }
    }

    /** Whether nothing more is claimed on this node. */
    boolean isDraining() {
        return draining;
    }

    /** Nobody waits any longer. */
    void drain() {
        draining = true;
        wake(waiting.keySet());
    }

    void resume() {
        draining = false;
    }
}
