package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.execution.DeathTransaction.DeathOutcome;
import dev.semel.execution.ShadowSends.ShadowSend;
import dev.semel.policy.RetryDecision;
import dev.semel.store.AuditEntry;
import dev.semel.store.CommitRefused;
import dev.semel.store.LookupResult;
import dev.semel.store.RecordWrite;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Settles a direct atomic call. After a failed attempt its writes are rolled back already, so nothing is uncertain: it is tried
 * again after a pause that holds neither connection nor writer, or its failure is written to the ledger.
 */
final class AtomicSettlement<P, R> implements AtomicAttempts.Settlement<R, Answer<R>> {
    private static final int RECORDING_TRIES = 5;

    private final SettlementTools services;
    private final ApplicationTransactions transactions;
    private final PreparedCall<P, R> prepared;
    private final Answers<R> answers;
    private @Nullable Duration previous;

    AtomicSettlement(
            SettlementTools services,
            ApplicationTransactions transactions,
            PreparedCall<P, R> prepared,
            Answers<R> answers) {
        this.services = services;
        this.transactions = transactions;
        this.prepared = prepared;
        this.answers = answers;
    }

    @Override
    public Answer<R> executed(HandlerOutcome.Returned<R> returned) {
        return answers.executed(returned.result());
    }

    @Override
    public Answer<R> answered(Answer<R> answer) {
        return answer;
    }

    @Override
    public Answer<R> answered(TransactionOutcome.RolledBackWithAnswer<R> answered) {
        if (answered.found() != null) {
            answers.remember(answered.found());
        }
        if (answered.answer() instanceof Answer.Shadowed) {
            recordShadow(answered.wouldSend());
        }
        return answers.audited(answered.answer(), answered.record());
    }

    /** A run in SHADOW wrote nothing: its event is written now, in one commit with what it would have sent. */
    private void recordShadow(List<ShadowSend> sends) {
        ShadowSends.Decision decision = shadowDecision(sends.size());
        boolean told = !sends.isEmpty() && recordShadow(decision, sends);
        if (!told) {
            services.audits().append(decision.decision());
        }
    }

    private boolean recordShadow(ShadowSends.Decision decision, List<ShadowSend> sends) {
        for (int tries = 1; ; tries++) {
            try {
                return StoreExceptions.translated(
                        () -> transactions.demand().run(tx -> Ended.keep(ShadowSends.record(tx, decision, sends))));
            } catch (SemelException.LeaseLost | SemelException.TransactionMustBeRetried | CommitRefused e) {
                // Another run in SHADOW records the same message at this moment.
                if (tries == RECORDING_TRIES) {
                    throw new SemelException.StoreUnavailable(
                            prepared.name() + ": its run in SHADOW was rolled back, and what it would have sent could"
                                    + " not be recorded. Repeat the call.",
                            e);
                }
            }
        }
    }

    /** As {@link #recordShadow}, of a run inside a transaction that somebody else ends; nothing if it would have sent nothing. */
    void recordShadow(Outbox outbox, List<ShadowSend> sends) {
        Rehearsal outer = outbox.rehearsal();
        if (outer != null) {
            outer.add(sends);
        } else if (!sends.isEmpty()) {
            // In a part of its own: the handler around it may catch what is thrown here, and commit.
            Tx tx = outbox.tx();
            StoreExceptions.translated(() ->
                    tx.part(() -> Ended.keep(ShadowSends.record(tx, shadowDecision(sends.size()), sends))));
        }
    }

    private ShadowSends.Decision shadowDecision(int sends) {
        Events events = services.audits().events();
        AuditEntry event =
                events.outcome(EventType.OPERATION_SHADOWED, prepared.about(), ClaimedDelivery.wouldSend(sends));
        return new ShadowSends.Decision(events, services.attempts().modes().storeMillis(), event);
    }

    @Override
    public @Nullable Answer<R> threw(TransactionOutcome.RolledBackByException<R> threw) {
        FailedAttempt failed = services.attempts().judge(prepared, threw.handler(), threw.attempt(), previous);
        boolean interrupted = failed.interrupted() | Thread.interrupted();
        try {
            return interrupted ? interrupted(failed) : follow(failed);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private @Nullable Answer<R> follow(FailedAttempt failed) {
        RetryDecision decision = failed.decision();
        if (decision instanceof RetryDecision.RetryIn in) {
            services.audits().append(event(EventType.RETRY_ATTEMPT, failed, in.delay(), "retry"));
            previous = in.delay();
            BackOff.uninterruptibly(services.time(), in.delay());
            return Thread.currentThread().isInterrupted() ? answers.retryLater(Duration.ZERO, failed.failure()) : null;
        }
        if (decision instanceof RetryDecision.Exhausted) {
            Duration pause = failed.pause(prepared);
            return leave(retryable(failed, pause, EventType.RETRY_EXHAUSTED, "retry by the caller"))
                    .orElseGet(() -> answers.retryLater(pause, failed.failure()));
        }
        boolean kept = decision instanceof RetryDecision.RateLimited || ((RetryDecision.Terminal) decision).stored();
        if (!kept) {
            services.audits().append(event(EventType.SYSTEM_ERROR, failed, null, "none: the failure is not stored"));
            return answers.failed(failed.failure());
        }
        boolean deadLetter = decision instanceof RetryDecision.RateLimited
                && prepared.policy().options().deadLetters();
        if (deadLetter && services.deaths().has(prepared)) {
            return died(failed);
        }
        return leave(terminal(failed, deadLetter)).orElseGet(() -> {
            if (deadLetter) {
                services.watch().died(prepared, failed.failure());
            }
            return answers.failed(failed.failure());
        });
    }

    /**
     * Writes the dead letter in the transaction of the onDead handler. If that fails, the call is not dead: its caller is told to
     * repeat it.
     */
    private Answer<R> died(FailedAttempt failed) {
        DirectDeath<P, R> direct = new DirectDeath<>(services, prepared, failed);
        DeathTransaction<P, R> death =
                direct.numbered(services.deaths().random().nextLong());
        DeathOutcome outcome;
        try {
            Optional<Answer<R>> overtaken =
                    leave(terminal(failed, true), tx -> DirectDeath.NotDead.unless(death.handle(tx)));
            if (overtaken.isEmpty()) {
                death.committed();
                services.watch().died(prepared, failed.failure());
            }
            return overtaken.orElseGet(() -> answers.failed(failed.failure()));
        } catch (DirectDeath.NotDead e) {
            outcome = e.outcome();
        } catch (CommitRefused e) {
            outcome = new DeathOutcome.NotRecorded(e.why());
        } catch (SemelException.DataRefused | SemelException.Locked e) {
            outcome = new DeathOutcome.NotRecorded(e);
        }
        Duration pause = direct.pause(outcome);
        Answer<R> answer = leave(retryable(failed, pause, EventType.RETRY_EXHAUSTED, DirectDeath.RECOVERY))
                .orElseGet(() -> answers.retryLater(pause, failed.failure()));
        DirectDeath.keepInterrupt(outcome);
        return answer;
    }

    private Answer<R> interrupted(FailedAttempt failed) {
        return leave(retryable(failed, Duration.ZERO, EventType.RETRY_ATTEMPT, Events.CALLER_INTERRUPTED))
                .orElseGet(() -> answers.retryLater(Duration.ZERO, failed.failure()));
    }

    /** For a transaction that somebody else ends: the failure is told and leaves nothing. */
    Answer<R> withoutRecord(TransactionOutcome.RolledBackByException<R> threw) {
        FailedAttempt failed = services.attempts().judge(prepared, threw.handler(), threw.attempt(), null);
        if (failed.interrupted()) {
            Thread.currentThread().interrupt();
        }
        return failed.decision() instanceof RetryDecision.Terminal
                        || failed.decision() instanceof RetryDecision.RateLimited
                ? answers.failed(failed.failure())
                : answers.retryLater(Duration.ZERO, failed.failure());
    }

    private RecordWrite retryable(FailedAttempt failed, Duration pause, EventType type, String recovery) {
        return write(
                State.FAILED_RETRYABLE,
                new RecordWrite.WriteTimes(
                        pause.toMillis(),
                        prepared.policy().retention().failure().toMillis(),
                        0),
                failed.failure(),
                event(type, failed, pause, recovery));
    }

    private RecordWrite terminal(FailedAttempt failed, boolean deadLetter) {
        Duration kept = deadLetter
                ? prepared.policy().retention().deadLetters()
                : prepared.policy().retention().failure();
        return write(
                State.FAILED_TERMINAL,
                new RecordWrite.WriteTimes(kept.toMillis(), 0, failed.attempt()),
                failed.failure(),
                event(EventType.SYSTEM_ERROR, failed, null, "contact"));
    }

    private RecordWrite write(State state, RecordWrite.WriteTimes times, Failure failure, @Nullable AuditEntry event) {
        return new RecordWrite(
                prepared.id(),
                prepared.header(),
                state,
                times,
                new RecordWrite.WrittenOutcome(null, Failures.encode(failure)),
                event);
    }

    /** Writes the failure unless somebody else got further or is at it; then that is the answer, and the event stands alone. */
    Optional<Answer<R>> leave(RecordWrite write) {
        return leave(write, tx -> {});
    }

    /** @param first done in the same transaction, just before the write */
    private Optional<Answer<R>> leave(RecordWrite write, Consumer<Tx> first) {
        Optional<Answer<R>> overtaken =
                StoreExceptions.translated(() -> transactions.demand().run(tx -> leave(tx, write, first)));
        overtaken.ifPresent(answer -> services.audits().append(write.event()));
        return overtaken.map(answer -> answers.audited(answer, prepared.id()));
    }

    /** A failure is not a grant: whatever the modes have become, it is left. */
    private Ended<Optional<Answer<R>>> leave(Tx tx, RecordWrite write, Consumer<Tx> first) {
        LookupResult lookup =
                tx.lookUp(Transactions.ANY_MODES, List.of(prepared.identity())).get(0);
        if (lookup instanceof LookupResult.Found found) {
            Answer<R> answer = answers.of(found.row(), found.now());
            if (answer != null) {
                return Ended.undo(Optional.of(answer));
            }
            first.accept(tx);
            tx.write(List.of(withId(write, found.row())));
            return Ended.keep(Optional.empty());
        }
        if (lookup instanceof LookupResult.Free) {
            first.accept(tx);
            tx.write(List.of(write));
            return Ended.keep(Optional.empty());
        }
        return Ended.undo(Optional.of(answers.inProgress()));
    }

    private static RecordWrite withId(RecordWrite write, Row row) {
        return new RecordWrite(row.id(), write.header(), write.state(), write.times(), write.outcome(), write.event());
    }

    private @Nullable AuditEntry event(
            EventType type, FailedAttempt failed, @Nullable Duration delay, String recovery) {
        if (type == EventType.RETRY_ATTEMPT) {
            services.watch().retries(prepared, failed.failure());
        }
        Events.AttemptDetails tried = failed.tried(prepared, delay, recovery);
        return services.audits().events().attempt(type, prepared.about(), tried);
    }
}
