package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Mode;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.policy.RetryDecision;
import dev.semel.store.AuditEntry;
import dev.semel.watch.Outcome;
import dev.semel.watch.Span;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work under a policy, without a key and without a record: decided by {@link FailedAttempt} as calls are, with the same events. Nothing
 * of it needs the store: events that cannot be written are missing from the audit, and the work goes on.
 */
public final class KeylessRetries {
    private static final Logger LOG = LoggerFactory.getLogger(KeylessRetries.class);

    private final MessageSender engine;
    private final CallPreparation preparation;
    private final AttemptJudge judge;
    private final CurrentModes modes;
    private final LeaseKeeper keeper;
    private final CallWatch watch;
    private final AuditWriter audits;
    private final AtomicBoolean auditFails = new AtomicBoolean();

    public KeylessRetries(EngineServices services) {
        this.engine = services.sender();
        this.preparation = services.preparation();
        this.judge = services.settling().attempts();
        this.modes = services.modes();
        this.keeper = services.memory().keeper();
        this.watch = services.watch();
        this.audits = services.audits();
    }

    /**
     * @throws SemelException.RetryFailed when the last attempt failed
     * @throws SemelException.NoResult with {@link Answer.Halted} when the work is switched off before its first attempt
     */
    public <T> T run(Call.Keyless work, Callable<T> callable) {
        if (EnclosingRun.current(engine) != null) {
            throw new SemelException.Invalid(work.name() + ": an atomic handler cannot retry by itself, because its"
                    + " transaction would stay open while it waits. Let the handler fail, so that its policy retries it,"
                    + " or retry before the operation.");
        }
        Span span = watch.begin(work.name(), work.tenant().name());
        try {
            T result = new KeylessAttempts<>(work, callable, span).run();
            span.ended(Outcome.EXECUTED);
            return result;
        } catch (SemelException.RetryFailed e) {
            span.ended(Outcome.FAILED);
            throw e;
        } catch (SemelException.NoResult e) {
            span.ended(Outcome.HALTED);
            throw e;
        } catch (Throwable thrown) {
            span.broke(thrown);
            throw thrown;
        }
    }

    /** The attempts of one piece of work. Nothing is held between them. */
    private final class KeylessAttempts<T> implements Attempted {
        private final Call.Keyless work;
        private final Callable<T> callable;
        private final Span span;
        private final Policy policy;
        private final String correlationId;
        private final long startedNanos = watch.time().nanos();
        private int attempt;
        private @Nullable Duration previous;

        KeylessAttempts(Call.Keyless work, Callable<T> callable, Span span) {
            this.work = work;
            this.callable = callable;
            this.span = span;
            this.policy = preparation.policy(work.policy());
            this.correlationId = preparation.trail(work.origin()).correlationId();
        }

        T run() {
            FailedAttempt last = null;
            Throwable thrown = null;
            while (true) {
                if (!mayRun()) {
                    throw last == null ? halted() : terminal(last.switchedOff(), thrown, "it was switched off");
                }
                if (modes.isLate(this)) {
                    throw last == null ? late() : exhausted(last.atDeadline(), thrown, "its deadline passed");
                }
                attempt++;
                LeaseKeeper.Watched run = keeper.watch(policy.limits().attemptTimeout());
                span.enter(attempt);
                HandlerOutcome.Threw<T> threw;
                try {
                    return callable.call();
                } catch (Throwable e) {
                    threw = new HandlerOutcome.Threw<>(e, run.handlerEnded());
                } finally {
                    span.leave();
                    run.close();
                }
                thrown = threw.thrown();
                last = judge.judge(this, threw, attempt, previous);
                follow(last, thrown);
            }
        }

        /** Waits for the next attempt, or throws. */
        private void follow(FailedAttempt failed, Throwable thrown) {
            if (failed.interrupted()) {
                Thread.currentThread().interrupt();
                throw failed(failed, thrown, "the thread was interrupted");
            }
            RetryDecision decision = failed.decision();
            if (decision instanceof RetryDecision.Exhausted exhausted) {
                boolean attempts = exhausted.limit() == RetryDecision.Limit.ATTEMPTS;
                throw exhausted(failed, thrown, attempts ? "no attempt is left" : "its deadline comes first");
            }
            if (!(decision instanceof RetryDecision.RetryIn in)) {
                throw terminal(failed, thrown, "another attempt would not help");
            }
            watch.watch()
                    .retries(
                            work.name(),
                            work.tenant().name(),
                            policy,
                            failed.failure().category());
            AuditEntry event =
                    events().attempt(EventType.RETRY_ATTEMPT, about(), failed.tried(this, in.delay(), "retry"));
            write(event == null ? List.of() : List.of(event));
            previous = in.delay();
            BackOff.uninterruptibly(watch.time(), in.delay());
            if (Thread.currentThread().isInterrupted()) {
                throw failed(failed, thrown, "the thread was interrupted");
            }
        }

        private SemelException.RetryFailed terminal(FailedAttempt failed, @Nullable Throwable thrown, String why) {
            write(events().death(about(), failed.tried(this, null, "none"), false));
            return failed(failed, thrown, why);
        }

        private SemelException.RetryFailed exhausted(FailedAttempt failed, @Nullable Throwable thrown, String why) {
            write(events().death(about(), failed.tried(this, null, "none"), true));
            return failed(failed, thrown, why);
        }

        private SemelException.RetryFailed failed(FailedAttempt failed, @Nullable Throwable thrown, String why) {
            return new SemelException.RetryFailed(
                    name() + ": attempt " + attempt + " of " + policy.retry().maxAttempts() + " failed ("
                            + failed.failure().category().code() + ": "
                            + failed.failure().reason() + "); " + why + ".",
                    failed.failure(),
                    attempt,
                    thrown);
        }

        private SemelException.RetryFailed late() {
            Failure failure =
                    Failure.of(Failure.Category.TIMEOUT, "Its deadline passed before it could start; it was not run.");
            return new SemelException.RetryFailed(name() + ": " + failure.reason(), failure, 0, null);
        }

        private SemelException.NoResult halted() {
            String reason = "This kind of work is switched off at the moment; it was not run.";
            Answer.Notice notice =
                    new Answer.Notice(correlationId, reason, Set.of(Answer.Next.RETRY, Answer.Next.CONTACT));
            return new SemelException.NoResult(new Answer.Halted<>(notice), name() + ": " + reason);
        }

        private boolean mayRun() {
            Mode mode = modes.newest(work.tenant().name(), work.name());
            return mode == Mode.LIVE || mode == Mode.SHADOW && work.harmless();
        }

        private Events.About about() {
            return new Events.About(
                    new AuditEntry.Subject(work.tenant().name(), work.name(), null, null, correlationId),
                    work.origin(),
                    policy.code(),
                    0);
        }

        @Override
        public Policy policy() {
            return policy;
        }

        @Override
        public @Nullable Instant deadline() {
            return work.deadline();
        }

        @Override
        public long startedNanos() {
            return startedNanos;
        }

        @Override
        public long tookNanos() {
            return span.attemptNanos();
        }

        @Override
        public String name() {
            return work.name() + " (tenant " + work.tenant().name() + ")";
        }

        @Override
        public String correlationId() {
            return correlationId;
        }
    }

    private Events events() {
        return audits.events();
    }

    /** Best effort. A store that is away is reported once, until it can be written to again. */
    private void write(List<AuditEntry> events) {
        if (events.isEmpty()) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            audits.log().append(events);
            auditFails.set(false);
        } catch (SemelException e) {
            if (!auditFails.getAndSet(true)) {
                LOG.warn(
                        "{}: could not write its retry to the audit; retrying the work all the same. Further missing"
                                + " events are not logged until the store can be written to again.",
                        Objects.requireNonNull(events.get(0).subject().operation()),
                        e);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
