package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.AtomicContext;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.execution.LeaseGrants.LeaseGrant;
import dev.semel.execution.Settled.Answered;
import dev.semel.execution.Settled.Begun;
import dev.semel.store.State;
import dev.semel.watch.Span;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Direct runs for a gateway, such as an HTTP filter, which differs from other callers in three ways: it tries once a call and
 * leaves the next try to its client; it decides itself what its answer leaves in the ledger; and a run may end on another
 * thread than it began on. Thread-safe.
 */
public final class GatewayRuns {
    private final EngineServices services;
    private final CallPipeline pipeline;
    private final LeaseGrants grants;
    private final Consumer<Operation<?, ?>> seen;

    /** @param seen receives each operation, so that its expired leases are found */
    public GatewayRuns(EngineServices services, Consumer<Operation<?, ?>> seen) {
        this.services = services;
        this.pipeline = services.pipeline();
        this.grants = services.grants();
        this.seen = seen;
    }

    /** The work of a gateway inside a transaction; an exception counts as {@link GatewayEnd.RetryableFailure}. */
    @FunctionalInterface
    public interface GatewayWork {
        GatewayEnd run(AtomicContext tx) throws Exception;
    }

    /** The result of a run inside a transaction. */
    public sealed interface GatewayEnd {
        /** The effect and the answer, in one commit. */
        record AnswerAndEffect(byte[] answer) implements GatewayEnd {}

        /** No effect; the answer, for the retention of failures. */
        record AnswerOnly(byte[] answer) implements GatewayEnd {}

        /** Nothing at all. */
        record Nothing() implements GatewayEnd {}

        /** No effect; it may be run again. */
        record RetryableFailure(Failure failure) implements GatewayEnd {}
    }

    /** Sees to it that interrupted runs of the operation are found, also those of an earlier process. */
    public void declare(Operation.Leased<byte[], byte[]> operation) {
        services.preparation().policy(operation.definition());
        seen.accept(operation);
    }

    /** Counts the answer to a webhook. */
    public void ingress(String source, String answer) {
        services.tools().watch().ingress(source, answer);
    }

    /** The largest payload in bytes. */
    public int largestValue() {
        return services.tools().codec().largestBytes();
    }

    /** Counts what a gateway would have answered, on a route where it only observes. */
    public void logOnly(String route, String answer) {
        services.tools().watch().logOnly(route, answer);
    }

    /** Whether the ledger would take so large an answer. */
    public boolean canKeep(byte[] answer) {
        try {
            services.tools().codec().encode(answer, byte[].class);
            return true;
        } catch (SemelException.Invalid e) {
            return false;
        }
    }

    /**
     * Grants a leased run that the caller ends, on any thread, or returns the record's answer.
     *
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached; nothing was granted
     */
    public Begun begin(Operation.Leased<byte[], byte[]> operation, Call<byte[]> call) {
        seen.accept(operation);
        Span span = services.watch().begin(operation, call);
        try {
            Begun begun = pipeline.run(operation, call, span, new Beginning());
            if (begun instanceof Answered answered) {
                span.ended(answered.answer());
            }
            return begun;
        } catch (Throwable thrown) {
            span.broke(thrown);
            throw thrown;
        }
    }

    /** The grant is the end of this call: the gateway runs the handler and settles by {@link GatewayRun}. */
    private final class Beginning implements CallPipeline.CallKind<byte[], byte[], Begun> {
        @Override
        public Begun answered(Answer<byte[]> answer, @Nullable State state) {
            return new Answered(answer, state);
        }

        @Override
        public Begun lead(PreparedCall<byte[], byte[]> prepared, Answers<byte[]> answers, InFlightCalls.Leader leader) {
            LeaseGrant<byte[], byte[]> grant = grants.grant(prepared);
            if (grant instanceof LeaseGrant.NotGranted<byte[], byte[]> answered) {
                return new Answered(answered.answer(), answered.state());
            }
            leader.becameVisible();
            return GatewayRun.start(
                    services.leased(),
                    services.transactions(),
                    services.memory().inFlight(),
                    (LeaseGrant.Given<byte[], byte[]>) grant,
                    leader);
        }

        @Override
        public boolean isInProgress(Begun begun) {
            return begun instanceof Answered answered && answered.answer() instanceof Answer.InProgress;
        }

        /** The gateway tells its client what was wrong with the request. */
        @Override
        public Begun refused(Answers<byte[]> answers, SemelException.DataRefused why) {
            throw why;
        }

        @Override
        public boolean staysOpen(Begun begun) {
            return begun instanceof GatewayRun;
        }
    }

    /**
     * Runs inside one transaction with the record: reserved, run and ended in one commit, on the calling thread. It may be run
     * more than once where many callers share a commit.
     *
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached; nothing was committed
     */
    public Settled within(Operation.Atomic<byte[], byte[]> operation, Call<byte[]> call, GatewayWork inside) {
        Span span = services.watch().begin(operation, call);
        GatewayTransaction transaction =
                new GatewayTransaction(services.atomic(), services.atomicAttempts(), services.settling(), inside);
        try {
            Settled settled = pipeline.run(operation, call, span, transaction);
            transaction.end(span, settled);
            return settled;
        } catch (Throwable thrown) {
            span.broke(thrown);
            throw thrown;
        }
    }
}
