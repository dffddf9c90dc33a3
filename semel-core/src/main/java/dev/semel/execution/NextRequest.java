package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.Policy;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.policy.RetryDecision;
import dev.semel.policy.RetryInput;
import dev.semel.store.AuditEntry;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When a client may retry an exchange that failed without effect.
 *
 * @param pause by the policy's backoff, and no earlier than its Retry-After
 * @param attempt the count that the record continues from: none once the policy's attempts are spent, so that a
 *     client who comes back after an outage is served
 */
record NextRequest(Duration pause, int attempt, @Nullable AuditEntry event) {
    static NextRequest after(RetryInput input, Events events, PreparedCall<?, ?> prepared, Failure failure) {
        Policy policy = prepared.policy();
        int attempt = input.attempt();
        boolean spent = attempt >= policy.retry().maxAttempts();
        Duration pause = RetryDecision.pause(policy, input);
        AuditEntry event = events.attempt(
                spent ? EventType.RETRY_EXHAUSTED : EventType.RETRY_ATTEMPT,
                prepared.about(),
                Events.AttemptDetails.of(policy, input, pause, failure, "retry by the caller"));
        return new NextRequest(pause, spent ? 0 : attempt, event);
    }
}
