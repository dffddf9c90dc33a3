package dev.semel.execution;

import dev.semel.Policy;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is attempted under a policy: a call, a delivery, or work without a key. */
interface Attempted {
    Policy policy();

    /** What the handler noted about its present attempt, as fields of an event. */
    default Map<String, Object> noted() {
        return Map.of();
    }

    /** Its own, by the store's clock; its policy may have an earlier one. Absent when it has none. */
    @Nullable
    Instant deadline();

    /** When it was prepared, by this node's monotonic clock: the deadline of its policy counts from then. */
    long startedNanos();

    /** How long its newest attempt took; 0 where nobody measured it. */
    long tookNanos();

    /** For messages, without its key. */
    String name();

    String correlationId();
}
