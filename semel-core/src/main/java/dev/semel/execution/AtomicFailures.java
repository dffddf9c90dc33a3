package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Failure;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.policy.RetryDecision;
import dev.semel.store.AuditEntry;
import dev.semel.store.Landing;
import dev.semel.store.Opening;
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
    private final Environment environment;
    private final Asked<P, R> asked;
    private final Answers<R> answers;
    private @Nullable Duration previous;

    AtomicFailures(Environment environment, Asked<P, R> asked, Answers<R> answers) {
        this.environment = environment;
        this.asked = asked;
        this.answers = answers;
    }

    /** The answer, or nothing when the next attempt is due now. */
    @Nullable
    Answer<R> after(Attempt.Threw<R> threw) {
        Verdict verdict = Verdict.of(environment, asked, threw.thrown(), threw.stop(), threw.number(), previous);
        boolean interrupted = verdict.interrupted() | Thread.interrupted();
        try {
            return interrupted ? interrupted(verdict) : follow(verdict);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private @Nullable Answer<R> follow(Verdict verdict) {
        RetryDecision decision = verdict.decision();
        if (decision instanceof RetryDecision.RetryIn in) {
            append(event(EventType.RETRY_ATTEMPT, verdict, in.delay(), "retry"));
            previous = in.delay();
            Pauses.uninterruptibly(environment.time(), in.delay());
            return Thread.currentThread().isInterrupted() ? answers.retryLater(Duration.ZERO, verdict.failure()) : null;
        }
        if (decision instanceof RetryDecision.Exhausted) {
            Duration pause = verdict.pause(environment, asked);
            return leave(retryable(verdict, pause, EventType.RETRY_EXHAUSTED, "retry by the caller"))
                    .orElseGet(() -> answers.retryLater(pause, verdict.failure()));
        }
        boolean kept = decision instanceof RetryDecision.RateLimited || ((RetryDecision.Terminal) decision).stored();
        if (!kept) {
            append(event(EventType.SYSTEM_ERROR, verdict, null, "none: the failure is not stored"));
            return answers.failed(verdict.failure());
        }
        boolean deadLetter = decision instanceof RetryDecision.RateLimited
                && asked.policy().options().deadLetters();
        return leave(terminal(verdict, deadLetter)).orElseGet(() -> {
            if (deadLetter) {
                asked.died(environment, verdict.failure());
            }
            return answers.failed(verdict.failure());
        });
    }

    private Answer<R> interrupted(Verdict verdict) {
        return leave(retryable(verdict, Duration.ZERO, EventType.RETRY_ATTEMPT, "the caller was interrupted"))
                .orElseGet(() -> answers.retryLater(Duration.ZERO, verdict.failure()));
    }

    /** For a transaction that somebody else ends: the failure is told and leaves nothing. */
    Answer<R> withoutRecord(Attempt.Threw<R> threw) {
        Verdict verdict = Verdict.of(environment, asked, threw.thrown(), threw.stop(), threw.number(), null);
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
            append(environment.audits().events().outcome(EventType.OPERATION_SHADOWED, asked.about(), Map.of()));
        }
        return answer;
    }

    private Landing retryable(Verdict verdict, Duration pause, EventType type, String recovery) {
        return landing(
                State.FAILED_RETRYABLE,
                new Landing.Times(
                        pause.toMillis(), asked.policy().retention().failure().toMillis(), 0),
                verdict.failure(),
                event(type, verdict, pause, recovery));
    }

    private Landing terminal(Verdict verdict, boolean deadLetter) {
        Duration kept = deadLetter
                ? asked.policy().retention().deadLetters()
                : asked.policy().retention().failure();
        return landing(
                State.FAILED_TERMINAL,
                new Landing.Times(kept.toMillis(), 0, verdict.attempt()),
                verdict.failure(),
                event(EventType.SYSTEM_ERROR, verdict, null, "contact"));
    }

    private Landing landing(State state, Landing.Times times, Failure failure, @Nullable AuditEntry event) {
        return new Landing(
                asked.id(), asked.header(), state, times, new Landing.Outcome(null, Failures.encode(failure)), event);
    }

    /** Writes the failure unless somebody else got further or is at it; then that is the answer, and the event stands alone. */
    Optional<Answer<R>> leave(Landing landing) {
        Optional<Answer<R>> overtaken = AtomicRunner.checked(
                () -> AtomicRunner.transactions(environment.store()).run(tx -> leave(tx, landing)));
        overtaken.ifPresent(answer -> append(landing.event()));
        return overtaken.map(answer -> answers.told(answer, asked.id()));
    }

    /** A failure is not a grant: whatever the modes have become, it is left. */
    private Ended<Optional<Answer<R>>> leave(Tx tx, Landing landing) {
        Opening opening =
                tx.open(Transactions.ANY_MODES, List.of(asked.identity())).get(0);
        if (opening instanceof Opening.Found found) {
            Answer<R> answer = answers.of(found.row(), found.now());
            if (answer != null) {
                return AtomicRunner.looked(Optional.of(answer));
            }
            tx.land(List.of(withId(landing, found.row())));
            return Ended.keep(Optional.empty());
        }
        if (opening instanceof Opening.Free) {
            tx.land(List.of(landing));
            return Ended.keep(Optional.empty());
        }
        return AtomicRunner.looked(Optional.of(answers.inProgress()));
    }

    private static Landing withId(Landing landing, Row row) {
        return new Landing(
                row.id(), landing.header(), landing.state(), landing.times(), landing.outcome(), landing.event());
    }

    private @Nullable AuditEntry event(EventType type, Verdict verdict, @Nullable Duration delay, String recovery) {
        if (type == EventType.RETRY_ATTEMPT) {
            asked.retries(environment, verdict.failure());
        }
        Events.Tried tried = verdict.tried(asked, delay, recovery);
        return environment.audits().events().attempt(type, asked.about(), tried);
    }

    private void append(@Nullable AuditEntry entry) {
        if (entry != null) {
            environment.store().audit().append(List.of(entry));
        }
    }
}
