package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.LeasedHandler;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.execution.LeaseGrants.LeaseGrant;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.watch.Outcome;
import dev.semel.watch.Span;
import org.jspecify.annotations.Nullable;

/** Leased calls: granted in one commit, run under a lease and a fence, settled in another commit under that fence. */
public final class LeasedCalls {
    private final EngineServices services;
    private final CallPipeline pipeline;
    private final LeaseGrants grants;

    public LeasedCalls(EngineServices services) {
        this.services = services;
        this.pipeline = services.pipeline();
        this.grants = services.grants();
    }

    public <P, R> Answer<R> run(Operation.Leased<P, R> operation, Call<P> call, LeasedHandler<P, R> handler) {
        return run(operation, call, handler, services.watch().begin(operation, call));
    }

    <P, R> Answer<R> run(Operation.Leased<P, R> operation, Call<P> call, LeasedHandler<P, R> handler, Span span) {
        return CallSpans.ended(span, () -> pipeline.run(operation, call, span, new DirectLeasedCall<>(handler)));
    }

    /**
     * A run without a caller: the record is granted again if it has not changed since it was read, and is left alone
     * otherwise. A record that its owner released meanwhile is not created again, as no caller wants it.
     */
    public <P, R> void takeOver(Operation.Leased<P, R> operation, Row row, LeasedHandler<P, R> handler) {
        Span span = services.watch().begin(operation.name(), row.header().tenant());
        try {
            PreparedCall<P, R> prepared =
                    services.preparation().prepare(operation, row).withSpan(span);
            InFlightCalls.Leader leader = services.memory().inFlight().tryLead(prepared);
            if (leader == null) {
                span.ended(Outcome.LOST);
                return;
            }
            try {
                // Without a permit it is left to a later sweep.
                Answer<R> answer = services.limits().take(prepared) != null
                        ? null
                        : takeOver(prepared, row.status().fence(), handler, leader);
                if (answer == null) {
                    span.ended(Outcome.LOST);
                } else {
                    span.ended(answer);
                }
            } finally {
                services.memory().inFlight().end(leader);
            }
        } catch (Throwable thrown) {
            span.broke(thrown);
            throw thrown;
        }
    }

    /** The answer that nobody waits for; nothing when the record is no longer the one that was seen, or may not start. */
    private <P, R> @Nullable Answer<R> takeOver(
            PreparedCall<P, R> prepared, long seen, LeasedHandler<P, R> handler, InFlightCalls.Leader leader) {
        LeasedRun<P, R> run = services.leased().run(prepared, handler);
        long fence = seen;
        while (true) {
            LeaseGrant.Given<P, R> given = grants.takeOver(prepared, fence);
            if (given == null) {
                return null;
            }
            fence = given.granted().fence();
            Answer<R> answer = run.runUnder(given, leader);
            if (answer != null) {
                return answer;
            }
        }
    }

    /** Parks a record whose lease is over and which may not be run again; its payload need not be readable. */
    public void park(Operation.Leased<?, ?> operation, Row row) {
        grants.park(operation, row);
    }

    /** As {@link #park(Operation.Leased, Row)}, for a record whose operation this node need not know. */
    public void park(Row row) {
        grants.park(row);
    }

    /** Whether an interrupted run of the operation may be run again at all. */
    public boolean mayRepeat(Operation.Leased<?, ?> operation, Row row) {
        Policy policy = services.preparation().policy(operation.definition());
        return operation.isRepeatable(policy)
                && row.status().attempt() < policy.retry().maxAttempts();
    }

    /** A call whose caller waits for its answer. */
    private final class DirectLeasedCall<P, R> implements CallPipeline.CallKind<P, R, Answer<R>> {
        private final LeasedHandler<P, R> handler;

        DirectLeasedCall(LeasedHandler<P, R> handler) {
            this.handler = handler;
        }

        @Override
        public void demandAllowed(PreparedCall<P, R> prepared) {
            if (EnclosingRun.current(services.sender()) != null) {
                throw new SemelException.Invalid(
                        prepared.name() + ": a leased operation cannot run inside an atomic handler, whose"
                                + " transaction may still roll back. Run it after the atomic operation has been answered.");
            }
        }

        @Override
        public Answer<R> answered(Answer<R> answer, @Nullable State state) {
            return answer;
        }

        @Override
        public Answer<R> lead(PreparedCall<P, R> asking, Answers<R> answers, InFlightCalls.Leader leader) {
            PreparedCall<P, R> prepared = asking;
            LeasedRun<P, R> run = services.leased().run(prepared, handler);
            while (true) {
                LeaseGrant<P, R> grant = grants.grant(prepared, answers.hasRun());
                if (grant instanceof LeaseGrant.NotGranted<P, R> answered) {
                    return answered.answer();
                }
                LeaseGrant.Given<P, R> given = (LeaseGrant.Given<P, R>) grant;
                if (given.prepared() != prepared) {
                    prepared = given.prepared();
                    run = services.leased().run(prepared, handler);
                }
                answers.attemptBegan();
                Answer<R> answer = run.runUnder(given, leader);
                if (answer != null) {
                    return answer;
                }
            }
        }

        @Override
        public boolean isInProgress(Answer<R> answer) {
            return answer instanceof Answer.InProgress;
        }
    }
}
