package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.audit.Events;
import dev.semel.execution.DeathTransaction.DeathOutcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The death of a call whose caller waits for its answer. No worker would try it again, so a call whose onDead handler fails is not
 * dead: its caller is told to repeat it.
 */
final class DirectDeath<P, R> {
    /** The recovery of a call whose onDead handler failed. */
    static final String RECOVERY = Events.ON_DEAD_FAILED;

    private static final Logger LOG = LoggerFactory.getLogger(DirectDeath.class);

    private final SettlementTools services;
    private final PreparedCall<P, R> prepared;
    private final FailedAttempt attempt;

    DirectDeath(SettlementTools services, PreparedCall<P, R> prepared, FailedAttempt attempt) {
        this.services = services;
        this.prepared = prepared;
        this.attempt = attempt;
    }

    /** Rolls the transaction back in which the call was to die. */
    static final class NotDead extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient DeathOutcome outcome;

        private NotDead(DeathOutcome outcome) {
            super(null, null, false, false);
            this.outcome = outcome;
        }

        DeathOutcome outcome() {
            return outcome;
        }

        /** @throws NotDead when the dead letter may not be written */
        static void unless(@Nullable DeathOutcome stopped) {
            if (stopped != null) {
                throw new NotDead(stopped);
            }
        }
    }

    /** @param number of this death, unique among the deaths of the record */
    DeathTransaction<P, R> numbered(long number) {
        PendingDeath dying =
                PendingDeath.of(attempt.failure(), attempt.attempt(), false, number, attempt.inputs(prepared));
        return services.deaths().transaction(prepared, dying);
    }

    /** Why nobody knows what the handler did, if so: it ended its transaction itself. */
    static @Nullable Failure doubt(DeathOutcome outcome) {
        return outcome instanceof DeathOutcome.NotRecorded failed && failed.endedItsTransaction()
                ? failed.asFailure()
                : null;
    }

    /** Keeps the interrupt of a caller whose onDead handler was stopped by it. */
    static void keepInterrupt(DeathOutcome outcome) {
        if (outcome instanceof DeathOutcome.NotRecorded failed
                && failed.thrown() instanceof InterruptedException
                && failed.handler().stop() == LeaseKeeper.Stop.NONE) {
            Thread.currentThread().interrupt();
        }
    }

    /** Until the call may be repeated: not before the other side allows it, and not later than a dead letter would be kept. */
    Duration pause(DeathOutcome outcome) {
        Duration backoff = attempt.pause(prepared);
        Duration asked = attempt.failure().retryAfter();
        Duration wanted = asked == null || backoff.compareTo(asked) > 0 ? backoff : asked;
        Duration longest = prepared.policy().retention().deadLetters();
        Duration pause = wanted.compareTo(longest) > 0 ? longest : wanted;
        LOG.warn(
                "{} (correlation {}) failed for good, and its onDead handler was not successful: {}. Nothing was committed: neither"
                        + " its dead letter nor what the handler did. Its caller may repeat it in {} s.",
                prepared.name(),
                prepared.correlationId(),
                outcome instanceof DeathOutcome.NotRecorded failed ? failed.error() : "switched off, or not storable",
                pause.toSeconds(),
                outcome instanceof DeathOutcome.NotRecorded failed ? failed.thrown() : null);
        return pause;
    }
}
