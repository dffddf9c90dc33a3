package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.store.Reserved;
import dev.semel.store.State;
import dev.semel.time.TimeSource;
import dev.semel.watch.Span;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Every direct call takes the same way: <b>prepare, admit, grant, invoke, settle</b>.
 *
 * <ol>
 *   <li><b>Prepare</b>: check and encode the call, and compute its identity ({@link CallPreparation}, {@link PreparedCall}).
 *   <li><b>Admit</b>: take a permit of the rate limit ({@link RateLimits}), answer from the local cache, or wait for a duplicate that
 *       runs in this process ({@link InFlightCalls}).
 *   <li><b>Grant</b>: lock and look up the record in the handler's transaction ({@link AtomicTransaction}), or reserve it under a
 *       lease ({@link LeaseGrants}).
 *   <li><b>Invoke</b>: ask the breaker ({@link BreakerPass}) and run the handler ({@link AtomicInvocation}, {@link LeasedInvocation}),
 *       which gives a {@link HandlerOutcome}.
 *   <li><b>Settle</b>: write the outcome and answer ({@link AtomicSettlement}, {@link LeasedSettlement}, {@link GatewayRun}).
 * </ol>
 *
 * This class does the first two steps; the {@link CallKind} of the call does the others. Messages are granted by their claim and join
 * at the fourth step ({@link ClaimedDelivery}).
 */
final class CallPipeline {
    private static final Duration FIRST_POLL = Duration.ofMillis(5);
    private static final Duration LONGEST_POLL = Duration.ofMillis(100);

    private final CallPreparation preparation;
    private final RateLimits limits;
    private final AnswerSources sources;
    private final InFlightCalls inFlight;
    private final TimeSource time;

    CallPipeline(
            CallPreparation preparation,
            RateLimits limits,
            AnswerSources sources,
            InFlightCalls inFlight,
            TimeSource time) {
        this.preparation = preparation;
        this.limits = limits;
        this.sources = sources;
        this.inFlight = inFlight;
        this.time = time;
    }

    /**
     * Grant, invoke and settle of one kind of call.
     *
     * @param <T> what its caller gets
     */
    interface CallKind<P, R, T> {
        /** @throws SemelException.Invalid when a call of this kind may not be made where it is made */
        default void demandAllowed(PreparedCall<P, R> prepared) {}

        /**
         * For an answer that needs no grant.
         *
         * @param state of the record it was read from, where that is known
         */
        T answered(Answer<R> answer, @Nullable State state);

        /** Runs the call as the leader of its record. */
        T lead(PreparedCall<P, R> prepared, Answers<R> answers, InFlightCalls.Leader leader);

        /** Whether another process runs the record, so that it is worth asking again while the call's patience lasts. */
        boolean isInProgress(T outcome);

        /** The store refuses the data of the call, or of its audit event. */
        default T refused(Answers<R> answers, SemelException.DataRefused why) {
            return answered(answers.rejected(why), null);
        }

        /** Whether the run continues after this call returns; then the run ends its leadership itself. */
        default boolean staysOpen(T outcome) {
            return false;
        }
    }

    <P, R, T> T run(Operation<P, R> operation, Call<P> call, Span span, CallKind<P, R, T> kind) {
        PreparedCall<P, R> prepared;
        try {
            prepared = preparation.prepare(operation, call).withSpan(span);
        } catch (SemelException.Invalid e) {
            return kind.answered(Answers.rejected(call, e), null);
        }
        kind.demandAllowed(prepared);
        Answers<R> answers = sources.to(prepared);
        RateLimits.NoPermit noPermit;
        try {
            noPermit = limits.take(prepared);
        } catch (SemelException.StoreUnavailable e) {
            return answeredWithoutPermit(answers, kind, e);
        }
        if (noPermit != null) {
            return kind.answered(answers.notAdmitted(noPermit), null);
        }
        Answer<R> cached = answers.cached();
        if (cached != null) {
            return kind.answered(cached, State.COMPLETED);
        }
        try {
            return runAdmitted(prepared, answers, kind);
        } catch (SemelException.DataRefused e) {
            return kind.refused(answers, e);
        }
    }

    /** The permits cannot be counted. An answer that is stored already runs nothing that a limit could protect. */
    private static <R, T> T answeredWithoutPermit(
            Answers<R> answers, CallKind<?, R, T> kind, SemelException.StoreUnavailable why) {
        Answer<R> cached = answers.cached();
        if (cached != null) {
            return kind.answered(cached, State.COMPLETED);
        }
        TransactionOutcome.RolledBackWithAnswer<R> stored = answers.findSettled();
        Reserved.Existing found = stored == null ? null : stored.found();
        if (found == null) {
            throw why;
        }
        answers.remember(found);
        return kind.answered(
                answers.audited(stored.answer(), stored.record()), found.row().state());
    }

    private <P, R, T> T runAdmitted(PreparedCall<P, R> prepared, Answers<R> answers, CallKind<P, R, T> kind) {
        InFlightCalls.Admission<R> admission = inFlight.admit(prepared, answers);
        if (admission instanceof InFlightCalls.Admission.NotAdmitted<R> answered) {
            return kind.answered(answered.answer(), null);
        }
        InFlightCalls.Leader leader = ((InFlightCalls.Admission.Leads<R>) admission).leader();
        boolean open = false;
        try {
            T outcome = runWithPatience(prepared, answers, leader, kind);
            open = kind.staysOpen(outcome);
            return outcome;
        } finally {
            if (!open) {
                inFlight.end(leader);
            }
        }
    }

    /** Another process may hold the record: its end is polled for, without a connection, as long as the call's patience. */
    private <P, R, T> T runWithPatience(
            PreparedCall<P, R> prepared, Answers<R> answers, InFlightCalls.Leader leader, CallKind<P, R, T> kind) {
        long until = time.nanos() + InFlightCalls.bounded(prepared.call().patience());
        Duration poll = FIRST_POLL;
        while (true) {
            T outcome = kind.lead(prepared, answers, leader);
            Duration left = Duration.ofNanos(until - time.nanos());
            if (!kind.isInProgress(outcome) || left.isNegative() || left.isZero()) {
                return outcome;
            }
            BackOff.uninterruptibly(time, poll.compareTo(left) < 0 ? poll : left);
            if (Thread.currentThread().isInterrupted()) {
                return outcome;
            }
            poll = poll.multipliedBy(2).compareTo(LONGEST_POLL) < 0 ? poll.multipliedBy(2) : LONGEST_POLL;
        }
    }
}
