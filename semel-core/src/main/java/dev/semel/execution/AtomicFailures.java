package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Failure;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.policy.RetryDecision;
import dev.semel.store.AuditEntry;
import dev.semel.store.LookupResult;
import dev.semel.store.RecordWrite;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What follows a failed attempt of a direct atomic call. Its writes are rolled back already, so nothing is uncertain: it is
 * tried again after a pause that holds neither connection nor writer, or a failure is left in the ledger.
 */
final class AtomicFailures<P, R> {
    private final EngineServices services;
    private final PreparedCall<P, R> prepared;
    private final Answers<R> answers;
    private @Nullable Duration previous;

    AtomicFailures(EngineServices services, PreparedCall<P, R> prepared, Answers<R> answers) {
        this.services = services;
        this.prepared = prepared;
        this.answers = answers;
    }

    /** The answer, or nothing when the next attempt is due now. */
    @Nullable
    Answer<R> after(Attempt.Threw<R> threw) {
        FailedAttempt verdict =
                FailedAttempt.of(services, prepared, threw.thrown(), threw.stop(), threw.number(), previous);
        boolean interrupted = verdict.interrupted() | Thread.interrupted();
        try {
            return interrupted ? interrupted(verdict) : follow(verdict);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private @Nullable Answer<R> follow(FailedAttempt verdict) {
        RetryDecision decision = verdict.decision();
        if (decision instanceof RetryDecision.RetryIn in) {
            append(event(EventType.RETRY_ATTEMPT, verdict, in.delay(), "retry"));
            previous = in.delay();
            BackOff.uninterruptibly(services.time(), in.delay());
            return Thread.currentThread().isInterrupted() ? answers.retryLater(Duration.ZERO, verdict.failure()) : null;
        }
        if (decision instanceof RetryDecision.Exhausted) {
            Duration pause = verdict.pause(services, prepared);
            return leave(retryable(verdict, pause, EventType.RETRY_EXHAUSTED, "retry by the caller"))
                    .orElseGet(() -> answers.retryLater(pause, verdict.failure()));
        }
        boolean kept = decision instanceof RetryDecision.RateLimited || ((RetryDecision.Terminal) decision).stored();
        if (!kept) {
            append(event(EventType.SYSTEM_ERROR, verdict, null, "none: the failure is not stored"));
            return answers.failed(verdict.failure());
        }
        boolean deadLetter = decision instanceof RetryDecision.RateLimited
                && prepared.policy().options().deadLetters();
        return leave(terminal(verdict, deadLetter)).orElseGet(() -> {
            if (deadLetter) {
                prepared.died(services, verdict.failure());
            }
            return answers.failed(verdict.failure());
        });
    }

    private Answer<R> interrupted(FailedAttempt verdict) {
        return leave(retryable(verdict, Duration.ZERO, EventType.RETRY_ATTEMPT, "the caller was interrupted"))
                .orElseGet(() -> answers.retryLater(Duration.ZERO, verdict.failure()));
    }

    /** For a transaction that somebody else ends: the failure is told and leaves nothing. */
    Answer<R> withoutRecord(Attempt.Threw<R> threw) {
        FailedAttempt verdict =
                FailedAttempt.of(services, prepared, threw.thrown(), threw.stop(), threw.number(), null);
        if (verdict.interrupted()) {
            Thread.currentThread().interrupt();
        }
        return verdict.decision() instanceof RetryDecision.Terminal
                        || verdict.decision() instanceof RetryDecision.RateLimited
                ? answers.failed(verdict.failure())
                : answers.retryLater(Duration.ZERO, verdict.failure());
    }

    /** A shadowed run wrote nothing, so its event is written alone. */
    Answer<R> shadowAudited(Answer<R> answer) {
        if (answer instanceof Answer.Shadowed) {
            append(services.audits().events().outcome(EventType.OPERATION_SHADOWED, prepared.about(), Map.of()));
        }
        return answer;
    }

    private RecordWrite retryable(FailedAttempt verdict, Duration pause, EventType type, String recovery) {
        return write(
                State.FAILED_RETRYABLE,
                new RecordWrite.Times(
                        pause.toMillis(),
                        prepared.policy().retention().failure().toMillis(),
                        0),
                verdict.failure(),
                event(type, verdict, pause, recovery));
    }

    private RecordWrite terminal(FailedAttempt verdict, boolean deadLetter) {
        Duration kept = deadLetter
                ? prepared.policy().retention().deadLetters()
                : prepared.policy().retention().failure();
        return write(
                State.FAILED_TERMINAL,
                new RecordWrite.Times(kept.toMillis(), 0, verdict.attempt()),
                verdict.failure(),
                event(EventType.SYSTEM_ERROR, verdict, null, "contact"));
    }

    private RecordWrite write(State state, RecordWrite.Times times, Failure failure, @Nullable AuditEntry event) {
        return new RecordWrite(
                prepared.id(),
                prepared.header(),
                state,
                times,
                new RecordWrite.Outcome(null, Failures.encode(failure)),
                event);
    }

    /** Writes the failure unless somebody else got further or is at it; then that is the answer, and the event stands alone. */
    Optional<Answer<R>> leave(RecordWrite write) {
        Optional<Answer<R>> overtaken = AtomicRunner.checked(
                () -> AtomicRunner.transactions(services.store()).run(tx -> leave(tx, write)));
        overtaken.ifPresent(answer -> append(write.event()));
        return overtaken.map(answer -> answers.told(answer, prepared.id()));
    }

    /** A failure is not a grant: whatever the modes have become, it is left. */
    private Ended<Optional<Answer<R>>> leave(Tx tx, RecordWrite write) {
        LookupResult lookup =
                tx.lookUp(Transactions.ANY_MODES, List.of(prepared.identity())).get(0);
        if (lookup instanceof LookupResult.Found found) {
            Answer<R> answer = answers.of(found.row(), found.now());
            if (answer != null) {
                return AtomicRunner.looked(Optional.of(answer));
            }
            tx.write(List.of(withId(write, found.row())));
            return Ended.keep(Optional.empty());
        }
        if (lookup instanceof LookupResult.Free) {
            tx.write(List.of(write));
            return Ended.keep(Optional.empty());
        }
        return AtomicRunner.looked(Optional.of(answers.inProgress()));
    }

    private static RecordWrite withId(RecordWrite write, Row row) {
        return new RecordWrite(row.id(), write.header(), write.state(), write.times(), write.outcome(), write.event());
    }

    private @Nullable AuditEntry event(
            EventType type, FailedAttempt verdict, @Nullable Duration delay, String recovery) {
        if (type == EventType.RETRY_ATTEMPT) {
            prepared.retries(services, verdict.failure());
        }
        Events.Tried tried = verdict.tried(prepared, delay, recovery);
        return services.audits().events().attempt(type, prepared.about(), tried);
    }

    private void append(@Nullable AuditEntry entry) {
        if (entry != null) {
            services.store().audit().append(List.of(entry));
        }
    }
}
