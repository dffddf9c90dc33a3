package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.AtomicHandler;
import dev.semel.Call;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.store.State;
import dev.semel.watch.Span;
import org.jspecify.annotations.Nullable;

/** Direct atomic calls: granted, invoked and settled in one transaction, tried again with pauses outside any transaction. */
public final class AtomicCalls {
    private final EngineServices services;
    private final CallPipeline pipeline;
    private final AtomicAttempts attempts;

    public AtomicCalls(EngineServices services) {
        this.services = services;
        this.pipeline = services.pipeline();
        this.attempts = services.atomicAttempts();
    }

    public <P, R> Answer<R> run(Operation.Atomic<P, R> operation, Call<P> call, AtomicHandler<P, R> handler) {
        return run(operation, call, handler, services.watch().begin(operation, call));
    }

    <P, R> Answer<R> run(Operation.Atomic<P, R> operation, Call<P> call, AtomicHandler<P, R> handler, Span span) {
        EnclosingRun outer = EnclosingRun.current(services.sender());
        return CallSpans.ended(
                span,
                () -> outer == null
                        ? pipeline.run(operation, call, span, new DirectAtomicCall<>(handler))
                        : nested(outer, operation, call, handler, span));
    }

    /** Inside another handler of this engine: in its transaction. */
    private <P, R> Answer<R> nested(
            EnclosingRun outer,
            Operation.Atomic<P, R> operation,
            Call<P> call,
            AtomicHandler<P, R> handler,
            Span span) {
        PreparedCall<P, R> prepared;
        try {
            prepared = services.preparation().prepare(operation, call).withSpan(span);
        } catch (SemelException.Invalid e) {
            return Answers.rejected(call, e);
        }
        Answers<R> answers = services.answers().to(prepared);
        RateLimits.NoPermit noPermit = services.limits().takeInTransaction(prepared);
        if (noPermit != null) {
            return answers.notAdmitted(noPermit);
        }
        return outer.holds(prepared.identity().lock())
                ? answers.inProgress()
                : inside(outer.outbox(), new AtomicTransaction<>(services.atomic(), prepared, answers, handler));
    }

    /** In a transaction that somebody else ends: one attempt, under a savepoint, that leaves no failure behind. */
    <P, R> Answer<R> inside(Outbox outbox, AtomicTransaction<P, R> transaction) {
        PreparedCall<P, R> prepared = transaction.prepared();
        Answers<R> answers = transaction.answers();
        CurrentModes.Reading modes = services.modes().in(outbox.tx(), prepared);
        for (int tries = 0; tries < 3; tries++) {
            TransactionOutcome<R> outcome = transaction.inside(outbox, modes);
            if (outcome instanceof TransactionOutcome.RecordWritten<R> executed) {
                return answers.executed(executed.returned().result());
            }
            if (outcome instanceof TransactionOutcome.RolledBackWithAnswer<R> answered) {
                settlement(prepared, answers).recordShadow(outbox, answered.wouldSend());
                return answers.auditedByCount(answered.answer(), answered.record());
            }
            if (outcome instanceof TransactionOutcome.RolledBackByException<R> threw) {
                return settlement(prepared, answers).withoutRecord(threw);
            }
            modes = services.modes().afresh(outbox.tx(), prepared);
        }
        return answers.halted();
    }

    private <P, R> AtomicSettlement<P, R> settlement(PreparedCall<P, R> prepared, Answers<R> answers) {
        return new AtomicSettlement<>(services.settling(), services.transactions(), prepared, answers);
    }

    /** A call whose caller waits for its answer. */
    private final class DirectAtomicCall<P, R> implements CallPipeline.CallKind<P, R, Answer<R>> {
        private final AtomicHandler<P, R> handler;

        DirectAtomicCall(AtomicHandler<P, R> handler) {
            this.handler = handler;
        }

        @Override
        public Answer<R> answered(Answer<R> answer, @Nullable State state) {
            return answer;
        }

        @Override
        public Answer<R> lead(PreparedCall<P, R> prepared, Answers<R> answers, InFlightCalls.Leader leader) {
            return attempts.run(
                    new AtomicTransaction<>(services.atomic(), prepared, answers, handler),
                    leader,
                    settlement(prepared, answers));
        }

        @Override
        public boolean isInProgress(Answer<R> answer) {
            return answer instanceof Answer.InProgress;
        }
    }
}
