package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.execution.LeaseGrants.LeaseGrant;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Moved;
import dev.semel.store.OutsideGrant;
import dev.semel.store.Renewal;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.watch.Outcome;
import dev.semel.watch.Span;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leased runs whose handler is outside this process, such as a client of the HTTP API. Between the grant and the end all state is in
 * the ledger: every node can renew and end a run by its record and fence, and a restart of this node loses nothing. Nobody here renews
 * the lease; whoever runs the handler does. Thread-safe.
 *
 * <p><b>Interrupted runs.</b> Whether a run may be repeated is what its own begin declared, and is kept with its grant
 * ({@link OutsideGrant}). So neither another tenant's declaration nor a later one of the same caller decides about it, a node needs not
 * have seen the operation to sweep its runs, and no node remembers the names of operations.
 */
public final class ExternalRuns {
    private final EngineServices services;
    private final CallPipeline pipeline;

    public ExternalRuns(EngineServices services) {
        this.services = services;
        this.pipeline = services.pipeline();
    }

    /**
     * What a caller names of a run that was granted.
     *
     * @param tenant whose record it must be
     */
    public record RunHandle(Tenant tenant, RecordId record, long fence) {}

    /** How a run began. */
    public sealed interface ExternalBegin<R> {
        /**
         * The caller is to run the handler and to end the run.
         *
         * @param attempt from 1
         * @param leaseUntil by the store's clock; not later than the lease's end
         */
        record RunGranted<R>(RunHandle run, int attempt, Instant leaseUntil, String correlationId)
                implements ExternalBegin<R> {
            /** The idempotency key for a downstream service: the same in all attempts. */
            public String downstreamKey() {
                return run.record.downstreamKey();
            }
        }

        /** Nothing is to be run. */
        record RunAnswered<R>(Answer<R> answer) implements ExternalBegin<R> {}
    }

    /** How the end of a run was received. */
    public sealed interface ExternalEnd<R> {
        /** As the caller said; also if it had been said before. */
        record EndRecorded<R>() implements ExternalEnd<R> {}

        /** It had ended with another result, which stands: a reconciler's, or one of an earlier call. */
        record EndedOtherwise<R>(@Nullable R result) implements ExternalEnd<R> {}

        /** The failure is recorded, and this follows: RetryLater, Failed or Unknown. */
        record FailureRecorded<R>(Answer<R> answer) implements ExternalEnd<R> {}

        /** No run of this tenant and operation is held under this fence; nothing was recorded. */
        record NotHeld<R>() implements ExternalEnd<R> {}
    }

    /**
     * How a run is asked for.
     *
     * @param lease how long the grant is trusted without a renewal
     * @param beginId of the caller's choice, another one for each run that it is ready to do: asked again with the same one, after a
     *     lost reply, it is given the same grant. Null for none
     */
    public record BeginTerms(Duration lease, @Nullable String beginId) {}

    /**
     * Grants the record under a lease, or returns its answer.
     *
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached; nothing was granted
     */
    public <P, R> ExternalBegin<R> begin(Operation.Leased<P, R> operation, Call<P> call, BeginTerms terms) {
        Span span = services.watch().begin(operation, call);
        try {
            ExternalBegin<R> begun = pipeline.run(operation, call, span, new ExternalCall<>(terms));
            if (begun instanceof ExternalBegin.RunAnswered<R> answered) {
                span.ended(answered.answer());
            } else {
                span.ended(Outcome.IN_PROGRESS);
            }
            return begun;
        } catch (Throwable thrown) {
            span.broke(thrown);
            throw thrown;
        }
    }

    /** The grant is the end of this call: duplicates learn from the record that it runs. */
    private final class ExternalCall<P, R> implements CallPipeline.CallKind<P, R, ExternalBegin<R>> {
        private final BeginTerms terms;

        ExternalCall(BeginTerms terms) {
            this.terms = terms;
        }

        @Override
        public ExternalBegin<R> answered(Answer<R> answer, @Nullable State state) {
            return new ExternalBegin.RunAnswered<>(answer);
        }

        @Override
        public ExternalBegin<R> lead(PreparedCall<P, R> prepared, Answers<R> answers, InFlightCalls.Leader leader) {
            long since = services.modes().storeMillis();
            LeaseGrant<P, R> grant = services.grants().grant(prepared.withTerms(grantTerms(prepared)));
            if (grant instanceof LeaseGrant.NotGranted<P, R> answered) {
                return new ExternalBegin.RunAnswered<>(answered.answer());
            }
            LeaseGrant.Given<P, R> given = (LeaseGrant.Given<P, R>) grant;
            // A receiver outside is not measured here: its failures are told by the client.
            given.pass().close();
            if (terms.beginId != null) {
                Answer<R> other = otherThanOwn(given, answers);
                if (other != null) {
                    return new ExternalBegin.RunAnswered<>(other);
                }
            }
            return started(given, since);
        }

        private PreparedCall.GrantTerms grantTerms(PreparedCall<P, R> prepared) {
            long id = terms.beginId == null
                    ? services.tools().random().nextLong()
                    : owner(prepared.call().tenant(), terms.beginId);
            return new PreparedCall.GrantTerms(OutsideGrant.owner(id, prepared.isRepeatable()), terms.lease);
        }

        /**
         * The grant may be that of an earlier request with the same id, whose lease has been running since then, or which had another
         * payload. The lease is counted from this request on; if the record is no longer held, the next request learns why.
         */
        private @Nullable Answer<R> otherThanOwn(LeaseGrant.Given<P, R> given, Answers<R> answers) {
            PreparedCall<P, R> prepared = given.prepared();
            Row row = services.ledger().ungrouped().find(List.of(prepared.id())).get(prepared.id());
            if (row != null && !prepared.sameMeaning(row)) {
                return answers.conflict();
            }
            boolean held = services.ledger()
                    .ungrouped()
                    .renew(List.of(new Renewal(
                            prepared.id(),
                            given.granted().fence(),
                            prepared.lease().toMillis())))
                    .get(0);
            return held ? null : answers.inProgress();
        }

        private ExternalBegin<R> started(LeaseGrant.Given<P, R> given, long since) {
            PreparedCall<P, R> prepared = given.prepared();
            Reserved.Granted granted = given.granted();
            if (granted.takenOver()) {
                services.settling().watch().takenOver(prepared);
            }
            prepared.span().under(granted.fence());
            LeasedSettlement<P, R> settlement = new LeasedSettlement<>(services.settling(), prepared);
            Mode now =
                    given.mode() == Mode.SHADOW ? Mode.SHADOW : services.modes().beforeStart(prepared);
            if (now == Mode.SHADOW) {
                return new ExternalBegin.RunAnswered<>(settlement.shadowed(granted));
            }
            if (now != Mode.LIVE) {
                return new ExternalBegin.RunAnswered<>(settlement.handedBack(granted, now != null));
            }
            long until = since + prepared.lease().toMillis();
            return new ExternalBegin.RunGranted<>(
                    new RunHandle(prepared.call().tenant(), prepared.id(), granted.fence()),
                    granted.attempt(),
                    Instant.ofEpochMilli(until),
                    prepared.correlationId());
        }

        @Override
        public boolean isInProgress(ExternalBegin<R> begun) {
            return begun instanceof ExternalBegin.RunAnswered<R> answered
                    && answered.answer() instanceof Answer.InProgress;
        }
    }

    /**
     * Extends the lease from now on.
     *
     * @return its new end by the store's clock, not later than the true one; null when the run is not held
     */
    public @Nullable Instant renew(Operation.Leased<?, ?> operation, RunHandle run, Duration lease) {
        if (find(operation, run) == null) {
            return null;
        }
        long since = services.modes().storeMillis();
        boolean held = services.ledger()
                .ungrouped()
                .renew(List.of(new Renewal(run.record, run.fence, lease.toMillis())))
                .get(0);
        return held ? Instant.ofEpochMilli(since + lease.toMillis()) : null;
    }

    /**
     * The handler has returned: its result is recorded. May be repeated. An owner may finish late, as long as nobody else was granted
     * the record.
     *
     * @throws SemelException.Invalid when the result cannot be encoded or is too large; the run is still held
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached; to be repeated
     */
    public <P, R> ExternalEnd<R> finish(Operation.Leased<P, R> operation, RunHandle run, @Nullable R result) {
        byte[] snapshot =
                services.tools().codec().encode(result, operation.definition().result());
        Row row = find(operation, run);
        if (row == null) {
            return new ExternalEnd.NotHeld<>();
        }
        PreparedCall<P, R> prepared = spanned(operation, row);
        try {
            ExternalEnd<R> end = finish(prepared, granted(row, run), snapshot);
            prepared.span().ended(end instanceof ExternalEnd.NotHeld ? Outcome.LOST : Outcome.EXECUTED);
            return end;
        } catch (Throwable thrown) {
            prepared.span().broke(thrown);
            throw thrown;
        }
    }

    private <P, R> ExternalEnd<R> finish(
            PreparedCall<P, R> prepared, Reserved.Granted granted, byte @Nullable [] snapshot) {
        LeasedSettlement<P, R> settlement = new LeasedSettlement<>(services.settling(), prepared);
        Moved moved;
        try {
            moved = services.ledger().move(settlement.completion(granted, snapshot));
        } catch (SemelException.DataRefused e) {
            return new ExternalEnd.FailureRecorded<>(settlement.notKept(granted, ResultNotKept.of(prepared, e)));
        }
        if (moved instanceof Moved.Refused) {
            return new ExternalEnd.NotHeld<>();
        }
        if (moved instanceof Moved.Same) {
            Row stored = services.ledger()
                    .ungrouped()
                    .find(List.of(prepared.id()), 0)
                    .get(prepared.id());
            if (stored == null || stored.status().fence() != granted.fence()) {
                return new ExternalEnd.NotHeld<>();
            }
            if (!Arrays.equals(stored.result(), snapshot)) {
                R first = services.tools()
                        .codec()
                        .decode(
                                stored.result(),
                                prepared.operation().definition().result());
                return new ExternalEnd.EndedOtherwise<>(first);
            }
        }
        return new ExternalEnd.EndRecorded<>();
    }

    /**
     * The handler has failed. What follows is decided by the policy: the caller may try again later, the failure is kept and replayed,
     * it leaves no record, or it is UNKNOWN because it may have taken effect and may not be repeated. The last is decided by what the
     * begin of the run declared.
     *
     * @param retryable whether to try again, where the caller knows; by the failure's category if null. True also says that nothing
     *     took effect that may not be repeated
     */
    public <P, R> ExternalEnd<R> fail(
            Operation.Leased<P, R> operation, RunHandle run, Failure failure, @Nullable Boolean retryable) {
        Row row = find(operation, run);
        if (row == null || row.state() != State.IN_PROGRESS) {
            return row == null ? new ExternalEnd.NotHeld<>() : alreadyEnded(operation, row);
        }
        PreparedCall<P, R> prepared = spanned(asGranted(operation, row), row);
        try {
            Answer<R> answer = new LeasedSettlement<>(services.settling(), prepared)
                    .failedOutside(granted(row, run), failure, retryable);
            prepared.span().ended(answer);
            return ended(answer);
        } catch (Throwable thrown) {
            prepared.span().broke(thrown);
            throw thrown;
        }
    }

    private static <P, R> Operation.Leased<P, R> asGranted(Operation.Leased<P, R> operation, Row row) {
        OutsideGrant outside = OutsideGrant.of(row.status());
        if (outside == null) {
            return operation;
        }
        return outside.repeatable() ? operation.asRepeatable() : operation.asUnrepeatable();
    }

    /** Repeated after a lost reply: what the record says. */
    private <P, R> ExternalEnd<R> alreadyEnded(Operation.Leased<P, R> operation, Row row) {
        return ended(services.answers()
                .to(services.preparation().unread(operation, row))
                .ofStored(row));
    }

    private static <R> ExternalEnd<R> ended(Answer<R> answer) {
        boolean failed = answer instanceof Answer.RetryLater
                || answer instanceof Answer.Failed
                || answer instanceof Answer.Unknown;
        return failed ? new ExternalEnd.FailureRecorded<>(answer) : new ExternalEnd.NotHeld<>();
    }

    /** The token of a reservation, by which a repeated one is recognised; 0 without an id. */
    static long owner(Tenant tenant, @Nullable String beginId) {
        return beginId == null
                ? 0
                : Math.max(1, Identity.of(tenant, "begin", Key.of(beginId)).id().lockNumber() & Long.MAX_VALUE);
    }

    /** The steps of runs that were begun here. */
    public ExternalSteps steps() {
        return new ExternalSteps(services, this);
    }

    private <P, R> PreparedCall<P, R> spanned(Operation.Leased<P, R> operation, Row row) {
        Span span = services.watch().begin(operation.name(), row.header().tenant());
        PreparedCall<P, R> prepared =
                services.preparation().unread(operation, row).withSpan(span);
        span.under(row.status().fence());
        return prepared;
    }

    static Reserved.Granted granted(Row row, RunHandle run) {
        return new Reserved.Granted(run.fence, row.status().attempts(), false);
    }

    /**
     * The record under this fence, without its payload, provided that it is a run of this tenant and operation, and no message or step.
     */
    @Nullable
    Row find(Operation<?, ?> operation, RunHandle run) {
        Row row = services.ledger().findWithoutPayload(run.record).row();
        return row != null
                        && row.status().fence() == run.fence
                        && row.header().tenant().equals(run.tenant.name())
                        && row.header().operation().equals(operation.name())
                        && row.line() == null
                        && !row.isStep()
                ? row
                : null;
    }
}
