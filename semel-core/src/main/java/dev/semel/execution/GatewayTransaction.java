package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.execution.GatewayRuns.GatewayEnd;
import dev.semel.execution.Settled.Answered;
import dev.semel.execution.Settled.Recorded;
import dev.semel.policy.Classifier;
import dev.semel.store.AuditEntry;
import dev.semel.store.RecordWrite;
import dev.semel.store.State;
import dev.semel.watch.Outcome;
import dev.semel.watch.Span;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A gateway's run in one transaction with its record: one attempt, and the gateway decides what its answer leaves. For one call.
 */
final class GatewayTransaction implements CallPipeline.CallKind<byte[], byte[], Settled> {
    private final AtomicTools atomic;
    private final AtomicAttempts attempts;
    private final SettlementTools settling;
    private final GatewayRuns.GatewayWork inside;
    private @Nullable GatewayEnd end;

    GatewayTransaction(
            AtomicTools atomic, AtomicAttempts attempts, SettlementTools settling, GatewayRuns.GatewayWork inside) {
        this.atomic = atomic;
        this.attempts = attempts;
        this.settling = settling;
        this.inside = inside;
    }

    @Override
    public Settled answered(Answer<byte[]> answer, @Nullable State state) {
        return new Answered(answer, state);
    }

    @Override
    public boolean isInProgress(Settled settled) {
        return settled instanceof Answered answered && answered.answer() instanceof Answer.InProgress;
    }

    /** The gateway tells its client what was wrong with the request. */
    @Override
    public Settled refused(Answers<byte[]> answers, SemelException.DataRefused why) {
        throw why;
    }

    @Override
    public Settled lead(PreparedCall<byte[], byte[]> prepared, Answers<byte[]> answers, InFlightCalls.Leader leader) {
        AtomicTransaction<byte[], byte[]> transaction =
                new AtomicTransaction<>(atomic, prepared, answers, (payload, tx) -> {
                    end = null;
                    GatewayEnd left = inside.run(tx);
                    end = left;
                    if (left instanceof GatewayEnd.AnswerAndEffect kept) {
                        return kept.answer();
                    }
                    throw new Undone(left);
                });
        return attempts.run(transaction, leader, new GatewaySettlement(prepared, answers));
    }

    /** Ends the span of the call as the gateway ended its run. */
    void end(Span span, Settled settled) {
        if (settled instanceof Answered answered) {
            span.ended(answered.answer());
        } else if (end instanceof GatewayEnd.Nothing) {
            span.ended(Outcome.FAILED);
        } else {
            boolean again = settled instanceof Recorded ended && ended.again() != null;
            span.ended(again ? Outcome.RETRY_LATER : Outcome.EXECUTED);
        }
    }

    /** Carries an end out of the transaction, which is rolled back by it. */
    private static final class Undone extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient GatewayEnd end;

        Undone(GatewayEnd end) {
            super(null, null, false, false);
            this.end = end;
        }
    }

    private final class GatewaySettlement implements AtomicAttempts.Settlement<byte[], Settled> {
        private final PreparedCall<byte[], byte[]> prepared;
        private final Answers<byte[]> answers;
        private final AtomicSettlement<byte[], byte[]> usual;

        GatewaySettlement(PreparedCall<byte[], byte[]> prepared, Answers<byte[]> answers) {
            this.prepared = prepared;
            this.answers = answers;
            this.usual = new AtomicSettlement<>(settling, atomic.application(), prepared, answers);
        }

        @Override
        public Settled executed(HandlerOutcome.Returned<byte[]> returned) {
            usual.executed(returned);
            return new Recorded(null);
        }

        @Override
        public Settled answered(Answer<byte[]> answer) {
            return new Answered(answer, null);
        }

        @Override
        public Settled answered(TransactionOutcome.RolledBackWithAnswer<byte[]> answered) {
            return new Answered(
                    usual.answered(answered),
                    answered.found() == null ? null : answered.found().row().state());
        }

        /** The transaction is rolled back; what its end leaves instead is written by itself. */
        @Override
        public Settled threw(TransactionOutcome.RolledBackByException<byte[]> threw) {
            Throwable thrown = threw.handler().thrown();
            GatewayEnd left = thrown instanceof Undone undone
                    ? undone.end
                    : new GatewayEnd.RetryableFailure(
                            Classifier.judge(prepared.policy(), thrown).failure());
            if (left instanceof GatewayEnd.AnswerOnly refused) {
                AuditEntry event = atomic.events().outcome(EventType.OPERATION_EXECUTED, prepared.about(), Map.of());
                RecordWrite.WriteTimes times = new RecordWrite.WriteTimes(
                        prepared.policy().retention().failure().toMillis(), 0, threw.attempt());
                return write(State.COMPLETED, times, new RecordWrite.WrittenOutcome(refused.answer(), null), event);
            }
            if (left instanceof GatewayEnd.RetryableFailure failed) {
                NextRequest again = settling.nextRequest(prepared, failed.failure(), threw.attempt());
                RecordWrite.WriteTimes times = new RecordWrite.WriteTimes(
                        again.pause().toMillis(),
                        prepared.policy().retention().failure().toMillis(),
                        again.attempt());
                Settled settled = write(
                        State.FAILED_RETRYABLE,
                        times,
                        new RecordWrite.WrittenOutcome(null, Failures.encode(failed.failure())),
                        again.event());
                if (!(settled instanceof Recorded)) {
                    return settled;
                }
                // The gateway holds a response of success, which did not come about: the client gets the failure
                // instead.
                return end instanceof GatewayEnd.AnswerAndEffect
                        ? new Answered(answers.retryLater(again.pause(), failed.failure()), null)
                        : new Recorded(again.pause());
            }
            return new Recorded(null);
        }

        private Settled write(
                State state,
                RecordWrite.WriteTimes times,
                RecordWrite.WrittenOutcome outcome,
                @Nullable AuditEntry event) {
            try {
                return usual.leave(new RecordWrite(prepared.id(), prepared.header(), state, times, outcome, event))
                        .<Settled>map(answer -> new Answered(answer, null))
                        .orElseGet(() -> new Recorded(null));
            } catch (SemelException.OutcomeUnknown e) {
                // Whether the failure was recorded does not matter: nothing took effect, and the next call finds out.
                return new Recorded(Duration.ZERO);
            }
        }
    }
}
