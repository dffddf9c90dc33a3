package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.execution.DeathTransaction.DeathOutcome;
import dev.semel.ledger.Transition;
import dev.semel.policy.RetryDecision;
import dev.semel.store.AuditEntry;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Settles the runs of one leased record: writes the outcome under the fence and answers. */
final class LeasedSettlement<P, R> {
    private final SettlementTools services;
    private final PreparedCall<P, R> prepared;
    private final Answers<R> answers;
    private @Nullable Duration previous;
    private boolean tooLate;
    private boolean callerRepeats;

    LeasedSettlement(SettlementTools services, PreparedCall<P, R> prepared) {
        this.services = services;
        this.prepared = prepared;
        this.answers = services.answers().to(prepared);
    }

    Answers<R> answers() {
        return answers;
    }

    /** Decided, recorded and not acted on: the handler may touch the outside world, so it is not invoked. */
    Answer<R> shadowed(Reserved.Granted granted) {
        finish(shadowing(granted));
        return answers.shadowed(null);
    }

    private Move shadowing(Reserved.Granted granted) {
        Duration keep = prepared.policy().retention().success();
        return Transition.SHADOW.of(
                prepared.id(),
                granted.fence(),
                Transition.result(keep, null),
                event(EventType.OPERATION_SHADOWED, Map.of()));
    }

    /** Records the failure, with the thread's interrupt put aside meanwhile. */
    @Nullable
    Answer<R> threw(Reserved.Granted granted, HandlerOutcome.Threw<R> threw) {
        boolean interrupted = Thread.interrupted();
        try {
            return failed(granted, threw);
        } finally {
            if (interrupted
                    || threw.thrown() instanceof InterruptedException && threw.stop() == LeaseKeeper.Stop.NONE) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The handler returned: its result is written. */
    Answer<R> returned(Reserved.Granted granted, HandlerOutcome.Returned<R> returned, InFlightCalls.Leader leader) {
        Moved moved;
        try {
            moved = finish(completion(granted, returned.snapshot()));
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            return answers.unknown("It ran, but its end could not be recorded; it is being looked into.");
        } catch (SemelException.DataRefused e) {
            return notKept(granted, ResultNotKept.of(prepared, e));
        }
        return completed(granted, moved, returned, leader);
    }

    /**
     * It has acted, and its caller gets that answer; the record waits for a reconciler or a person who knows its
     * result.
     */
    Answer<R> notKept(Reserved.Granted granted, ResultNotKept why) {
        Failure failure = why.failure();
        return park(granted, failure, failure.reason());
    }

    /** The answer once the end is recorded: by this move, or earlier under the same fence. */
    Answer<R> completed(
            Reserved.Granted granted, Moved moved, HandlerOutcome.Returned<R> returned, InFlightCalls.Leader leader) {
        if (moved instanceof Moved.Refused refused) {
            return lost(refused);
        }
        if (moved instanceof Moved.Same) {
            Row row;
            try {
                row = services.ledger().ungrouped().find(List.of(prepared.id())).get(prepared.id());
            } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
                // A reconciler may have completed it with another result: only the stored one may be returned.
                return answers.unknown("It is done, but its stored result could not be read. Ask again.");
            }
            boolean reconciled = row != null
                    && row.status().fence() == granted.fence()
                    && !Arrays.equals(row.result(), returned.snapshot());
            if (reconciled) {
                return answers.audited(answers.ofStored(row), prepared.id());
            }
        }
        services.results().committed(prepared, leader, returned.snapshot(), granted.fence());
        return answers.executed(returned.result());
    }

    Move completion(Reserved.Granted granted, byte @Nullable [] snapshot) {
        return Transition.COMPLETE.of(
                prepared.id(),
                granted.fence(),
                Transition.result(prepared.policy().retention().success(), snapshot),
                event(EventType.OPERATION_EXECUTED, prepared.noted()));
    }

    /** Another grant has the record: its state is the answer. */
    Answer<R> lost(Moved.Refused refused) {
        Row row = findRecord();
        Answer<R> answer = row == null ? null : answers.ofStored(row);
        String fence = refused.current() == null
                ? ""
                : " to fence " + refused.current().fence();
        return answer != null
                ? answers.audited(answer, prepared.id())
                : answers.unknown("Its lease was lost" + fence + "; what this run did was not recorded.");
    }

    /** The record as it is now; nothing when the store cannot be asked, which must not hide that the handler ran. */
    private @Nullable Row findRecord() {
        try {
            return services.ledger().ungrouped().find(List.of(prepared.id())).get(prepared.id());
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            return null;
        }
    }

    private @Nullable Answer<R> failed(Reserved.Granted granted, HandlerOutcome.Threw<R> threw) {
        Throwable thrown = threw.thrown();
        if (threw.stop() == LeaseKeeper.Stop.LEASE_OVER) {
            return notStarted(granted);
        }
        if (threw.stop() == LeaseKeeper.Stop.LEASE_LOST || thrown instanceof SemelException.LeaseLost) {
            return lost(new Moved.Refused(null));
        }
        if (thrown instanceof Steps.RunHalted halted) {
            return handedBack(granted, halted.isKnown());
        }
        if (thrown instanceof Steps.RunShadowed) {
            // Steps before it may have acted: if this cannot be recorded, nobody may say that nothing was run.
            return finished(shadowing(granted), answers.shadowed(null));
        }
        if (thrown instanceof ResultNotKept acted) {
            return notKept(granted, acted);
        }
        if (thrown instanceof Steps.StepInterrupted) {
            return park(granted, Failure.of(Failure.Category.LEASE_LOST, String.valueOf(thrown.getMessage())));
        }
        FailedAttempt attempt = services.attempts().judge(prepared, threw, granted.attempt(), previous);
        if (!prepared.isRepeatable() && attempt.failure().category().indeterminate()) {
            return park(granted, attempt.failure());
        }
        return follow(granted, attempt);
    }

    /**
     * A handler outside this process failed. The next attempt is left to its caller, who is told when.
     *
     * @param retryable whether the caller says that it may be run again; null to let the failure's category decide
     * @throws SemelException.StoreUnavailable when it could not be recorded; to be repeated
     */
    Answer<R> failedOutside(Reserved.Granted granted, Failure failure, @Nullable Boolean retryable) {
        callerRepeats = true;
        FailedAttempt attempt = services.attempts().judgeOutside(prepared, failure, retryable, granted.attempt(), null);
        boolean uncertain = retryable == null && attempt.failure().category().indeterminate();
        if (uncertain && !prepared.isRepeatable()) {
            return park(granted, attempt.failure());
        }
        if (attempt.decision() instanceof RetryDecision.RetryIn in) {
            return retryIn(granted, attempt, in.delay());
        }
        Answer<R> answer = follow(granted, attempt);
        return answer == null ? answers.inProgress() : answer;
    }

    /** Switched off, or nobody could say whether it is: its attempt is given back, and it is due when somebody asks again. */
    Answer<R> handedBack(Reserved.Granted granted, boolean switchedOff) {
        Failure failure = switchedOff
                ? Failure.of(Failure.Category.DISABLED, "It was halted before its handler or one of its steps.")
                : Failures.MODES_NOT_READ;
        Duration keep = prepared.policy().retention().failure();
        Move.Change due = Transition.due(Duration.ZERO, keep, granted.attempt() - 1, Failures.encode(failure));
        return finished(
                Transition.RETRY.of(prepared.id(), granted.fence(), due, null), answers.notStarted(switchedOff));
    }

    /**
     * Releases the grant, so that it can be granted again; returns the answer if another run has the record, or when
     * the store is too slow for the second time.
     */
    private @Nullable Answer<R> notStarted(Reserved.Granted granted) {
        Move.Change due =
                Transition.due(Duration.ZERO, prepared.policy().retention().failure(), granted.attempt() - 1, null);
        Moved moved = finish(Transition.RETRY.of(prepared.id(), granted.fence(), due, null));
        if (moved instanceof Moved.Refused refused) {
            return lost(refused);
        }
        boolean again = tooLate;
        tooLate = true;
        return again ? answers.retryLater(CurrentModes.FRESH, Failures.LEASE_OVER_BEFORE_START) : null;
    }

    private Answer<R> park(Reserved.Granted granted, Failure failure) {
        return park(granted, failure, "Whether it took effect is not known: " + failure.reason());
    }

    private Answer<R> park(Reserved.Granted granted, Failure failure, String reason) {
        AuditEntry event = event(
                EventType.OPERATION_UNKNOWN,
                Map.of("category", failure.category().code(), "reason", failure.reason()));
        Move.Change atOnce = Transition.due(Duration.ZERO, Duration.ZERO, -1, Failures.encode(failure));
        Answer<R> unknown = answers.unknown(reason);
        Answer<R> answer = finished(Transition.PARK.of(prepared.id(), granted.fence(), atOnce, event), unknown);
        if (answer == unknown) {
            services.watch().unknown(prepared);
        }
        return answer;
    }

    private @Nullable Answer<R> follow(Reserved.Granted granted, FailedAttempt attempt) {
        byte[] failure = Failures.encode(attempt.failure());
        Duration keep = prepared.policy().retention().failure();
        RetryDecision decision = attempt.decision();
        if (decision instanceof RetryDecision.RetryIn in && !attempt.interrupted()) {
            previous = in.delay();
            Answer<R> later = retryIn(granted, attempt, in.delay());
            BackOff.uninterruptibly(services.time(), in.delay());
            boolean goOn = later instanceof Answer.RetryLater
                    && !Thread.currentThread().isInterrupted();
            return goOn ? null : later;
        }
        if (decision instanceof RetryDecision.Exhausted || decision instanceof RetryDecision.RetryIn) {
            boolean left = decision instanceof RetryDecision.RetryIn;
            Duration pause = left ? Duration.ZERO : attempt.pause(prepared);
            Move.Change due = Transition.due(pause, keep, left ? -1 : 0, failure);
            AuditEntry event = event(
                    left ? EventType.RETRY_ATTEMPT : EventType.RETRY_EXHAUSTED,
                    attempt,
                    pause,
                    left ? Events.CALLER_INTERRUPTED : "retry by the caller");
            return finished(
                    Transition.RETRY.of(prepared.id(), granted.fence(), due, event),
                    answers.retryLater(pause, attempt.failure()));
        }
        return failed(granted, attempt, failure);
    }

    private Answer<R> retryIn(Reserved.Granted granted, FailedAttempt attempt, Duration delay) {
        Duration keep = prepared.policy().retention().failure();
        Move.Change due = Transition.due(delay, keep, -1, Failures.encode(attempt.failure()));
        AuditEntry event = event(EventType.RETRY_ATTEMPT, attempt, delay, "retry");
        return finished(
                Transition.RETRY.of(prepared.id(), granted.fence(), due, event),
                answers.retryLater(delay, attempt.failure()));
    }

    private Answer<R> failed(Reserved.Granted granted, FailedAttempt attempt, byte[] failure) {
        boolean limited = attempt.decision() instanceof RetryDecision.RateLimited;
        boolean deadLetter = limited && prepared.policy().options().deadLetters();
        boolean stored = attempt.decision() instanceof RetryDecision.Terminal terminal && terminal.stored();
        AuditEntry event = event(EventType.SYSTEM_ERROR, attempt, null, "contact");
        Duration keep = deadLetter
                ? prepared.policy().retention().deadLetters()
                : prepared.policy().retention().failure();
        Move move = limited || stored
                ? Transition.FAIL.of(prepared.id(), granted.fence(), Transition.failure(keep, failure), event)
                : Transition.RELEASE.of(prepared.id(), granted.fence(), Move.Change.NONE, event);
        if (deadLetter && services.deaths().has(prepared)) {
            return died(granted, attempt, move);
        }
        Answer<R> failed = answers.failed(attempt.failure());
        Answer<R> answer = finished(move, failed);
        if (deadLetter && answer == failed) {
            services.watch().died(prepared, attempt.failure());
        }
        return answer;
    }

    /**
     * Records the dead letter together with the onDead handler. If the handler fails, the call is not dead: its caller is told to
     * repeat it, and a later run decides again.
     */
    private Answer<R> died(Reserved.Granted granted, FailedAttempt attempt, Move move) {
        DirectDeath<P, R> death = new DirectDeath<>(services, prepared, attempt);
        DeathOutcome outcome = services.deaths()
                .underLease(
                        prepared,
                        granted.fence(),
                        () -> death.numbered(granted.fence()).run(move));
        if (outcome instanceof DeathOutcome.DeathRecorded) {
            services.watch().died(prepared, attempt.failure());
            return answers.failed(attempt.failure());
        }
        if (outcome instanceof DeathOutcome.Overtaken overtaken) {
            return lost(overtaken.refused());
        }
        Failure doubt = DirectDeath.doubt(outcome);
        if (doubt != null) {
            return park(granted, doubt);
        }
        Duration pause = death.pause(outcome);
        Move.Change due =
                Transition.due(pause, prepared.policy().retention().failure(), 0, Failures.encode(attempt.failure()));
        AuditEntry event = event(EventType.RETRY_EXHAUSTED, attempt, pause, DirectDeath.RECOVERY);
        Answer<R> answer = finished(
                Transition.RETRY.of(prepared.id(), granted.fence(), due, event),
                answers.retryLater(pause, attempt.failure()));
        DirectDeath.keepInterrupt(outcome);
        return answer;
    }

    private Answer<R> finished(Move move, Answer<R> answer) {
        try {
            return finish(move) instanceof Moved.Refused refused ? lost(refused) : answer;
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown | SemelException.DataRefused e) {
            if (callerRepeats && !(e instanceof SemelException.DataRefused)) {
                throw e;
            }
            return answers.unknown("It failed, and that could not be recorded; it is being looked into.");
        }
    }

    private Moved finish(Move move) {
        return services.ledger().move(move);
    }

    private @Nullable AuditEntry event(EventType type, Map<String, ?> details) {
        return services.audits().events().outcome(type, prepared.about(), details);
    }

    private @Nullable AuditEntry event(
            EventType type, FailedAttempt attempt, @Nullable Duration delay, String recovery) {
        if (type == EventType.RETRY_ATTEMPT) {
            services.watch().retries(prepared, attempt.failure());
        }
        return services.audits().events().attempt(type, prepared.about(), attempt.tried(prepared, delay, recovery));
    }
}
