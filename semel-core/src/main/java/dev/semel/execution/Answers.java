package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Answer.Next;
import dev.semel.Answer.Notice;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.audit.FirstRun;
import dev.semel.key.RecordId;
import dev.semel.store.FoundRecords;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The answers to one call, in the contract's order of precedence, with the audit of those that only read. */
final class Answers<R> {
    private final AnswerSources sources;
    private final PreparedCall<?, R> prepared;

    /** The run that the newest answer repeats, if it is a replay. */
    private @Nullable FirstRun first;

    private boolean hasRun;

    Answers(AnswerSources sources, PreparedCall<?, R> prepared) {
        this.sources = sources;
        this.prepared = prepared;
    }

    /** For a call that cannot be prepared. */
    static <R> Answer<R> rejected(Call<?> call, SemelException.Invalid why) {
        return rejected(correlationId(call), why);
    }

    private static <R> Answer<R> rejected(String correlationId, SemelException why) {
        return new Answer.Rejected<>(new Notice(correlationId, String.valueOf(why.getMessage()), Set.of(Next.CONTACT)));
    }

    /** For a call whose data the store refuses. */
    Answer<R> rejected(SemelException.DataRefused why) {
        return rejected(prepared.correlationId(), why);
    }

    /** Of a call that may not have been prepared. */
    static String correlationId(Call<?> call) {
        String given = call.origin().correlationId();
        return given == null ? "none" : given;
    }

    /** The answer from the local cache, if it holds one for this payload. */
    @Nullable
    Answer<R> cached() {
        CommittedResult known = sources.results().get(prepared.id());
        return known != null && prepared.sameMeaning(known.payload())
                ? audited(replayed(known.result(), known.first()), prepared.id())
                : null;
    }

    /** For a call that the store failed before it could be run, beside others of its list that were. */
    static <R> Answer<R> notRun(String correlationId, SemelException why) {
        if (why instanceof SemelException.OutcomeUnknown) {
            String reason = "Whether it may be run could not be found out; this call did not run it. Repeat the call.";
            return new Answer.Unknown<>(new Notice(correlationId, reason, Set.of(Next.RETRY, Next.CHECK_STATUS)));
        }
        Failure failure = Failure.of(Failure.Category.NETWORK, "The store was unavailable; it was not run.");
        return new Answer.RetryLater<>(
                Duration.ZERO, failure, new Notice(correlationId, failure.reason(), Set.of(Next.RETRY)));
    }

    /**
     * What the record answers, or nothing when it may be granted: it is FAILED_RETRYABLE and due, and not a worker's. Only looks, so that it can
     * be used inside a transaction; {@link #audited} writes its event.
     *
     * @param now the store's clock
     */
    @Nullable
    Answer<R> of(Row row, long now) {
        if (row.state() == State.FAILED_RETRYABLE && prepared.sameMeaning(row)) {
            long wait = Math.max(0, row.status().at() - now);
            boolean grantable = wait == 0 && !row.inLine();
            return grantable ? null : retryLater(Duration.ofMillis(wait), stored(row));
        }
        if (row.state() == State.COMPLETED) {
            prepared.span().under(row.status().fence());
            prepared.span().kept(row.status().at() - now);
            first = FirstRun.of(row);
            Mark mark = Mark.of(row.result());
            if (mark != null && prepared.sameMeaning(row)) {
                return mark.awaitsItsAnswer(row.status().at(), now) ? inProgress() : replayed(null);
            }
        }
        return ofStored(row);
    }

    /** Keeps a result that was found committed for later replays in this process. */
    void remember(Reserved.Existing seen) {
        Row row = seen.row();
        if (row.state() == State.COMPLETED && Mark.of(row.result()) == null) {
            Duration kept = Duration.ofMillis(row.status().at() - seen.now());
            sources.results()
                    .put(row.id(), new CommittedResult(prepared.stored(row), row.result(), FirstRun.of(row)), kept);
        }
    }

    /** The record's answer to a caller who requests no grant and does not know the store's time. */
    Answer<R> ofStored(Row row) {
        first = FirstRun.of(row);
        if (!prepared.sameMeaning(row)) {
            return conflict();
        }
        return switch (row.state()) {
            case COMPLETED -> Mark.of(row.result()) == null ? replayed(row.result()) : inProgress();
            case FAILED_TERMINAL, DISCARDED -> failed(stored(row));
            case UNKNOWN -> unknown("Whether it took effect is not known; it is being looked into.");
            case IN_PROGRESS -> inProgress();
            case QUEUED -> queued();
            case FAILED_RETRYABLE -> retryLater(Duration.ZERO, stored(row));
            case SHADOWED -> new Answer.Shadowed<>(decode(row.result()), prepared.correlationId());
        };
    }

    /** For one who will not wait for another call on this node, which may itself be here only for the stored answer. */
    Answer<R> withoutWaiting() {
        try {
            FoundRecords found = sources.ledger().ungrouped().find(List.of(prepared.id()));
            Row row = found.live(prepared.id());
            Answer<R> answer = row == null ? null : of(row, found.now());
            return answer == null ? inProgress() : audited(answer, prepared.id());
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            return inProgress();
        }
    }

    /** The answer of a record that is settled, read without locking it; nothing when there is none, or it is not settled. */
    TransactionOutcome.@Nullable RolledBackWithAnswer<R> findSettled() {
        if (!prepared.identity().neighbours().isEmpty()) {
            return null;
        }
        GroupedLedger.ReadRecord seen;
        try {
            seen = sources.ledger().find(prepared.id());
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            // The call continues and finds the error itself.
            return null;
        }
        Row row = seen.row();
        boolean settled = row != null
                && (row.state() == State.COMPLETED
                        || row.state() == State.FAILED_TERMINAL
                        || row.state() == State.DISCARDED);
        Answer<R> answer = settled ? of(row, seen.now()) : null;
        return answer == null || answer instanceof Answer.InProgress
                ? null
                : new TransactionOutcome.RolledBackWithAnswer<>(
                        answer, row.id(), new Reserved.Existing(row, seen.now()));
    }

    private static Failure stored(Row row) {
        return row.failure() == null
                ? Failure.of(Failure.Category.UNKNOWN, "It was closed by an operator.")
                : Failures.decode(row.failure());
    }

    /** A result that this process has kept. */
    Answer<R> replayed(byte @Nullable [] result, FirstRun of) {
        first = of;
        return replayed(result);
    }

    private Answer<R> replayed(byte @Nullable [] result) {
        return new Answer.Replayed<>(decode(result), prepared.correlationId());
    }

    Answer<R> conflict() {
        return new Answer.Conflict<>(notice(
                "The key was used before with another payload; nothing was done.", Next.CHECK_STATUS, Next.CONTACT));
    }

    Answer<R> executed(@Nullable R result) {
        prepared.span().kept(prepared.policy().retention().success().toMillis());
        return new Answer.Executed<>(result, prepared.correlationId());
    }

    Answer<R> shadowed(@Nullable R result) {
        return new Answer.Shadowed<>(result, prepared.correlationId());
    }

    Answer<R> failed(Failure failure) {
        return new Answer.Failed<>(failure, notice(failure.reason(), Next.CHECK_STATUS, Next.CONTACT));
    }

    Answer<R> late() {
        return failed(
                Failure.of(Failure.Category.TIMEOUT, "Its deadline passed before it could start; it was not run."));
    }

    Answer<R> unknown(String reason) {
        return new Answer.Unknown<>(notice(reason, Next.CHECK_STATUS, Next.CONTACT));
    }

    Answer<R> uncommitted() {
        return unknown("Whether it was committed is not known yet; repeat the call to find out.");
    }

    Answer<R> inProgress() {
        return new Answer.InProgress<>(notice("The same call is being processed.", Next.RETRY, Next.CHECK_STATUS));
    }

    private Answer<R> queued() {
        return new Answer.InProgress<>(notice("It waits to be processed.", Next.RETRY, Next.CHECK_STATUS, Next.CANCEL));
    }

    Answer<R> retryLater(Duration in, Failure failure) {
        return new Answer.RetryLater<>(
                in, failure, notice(failure.reason(), Next.RETRY, Next.CHECK_STATUS, Next.CANCEL));
    }

    /** Not run, and nothing changed: a rate limit, or the breaker. */
    Answer<R> notAdmitted(Duration in, Failure failure) {
        return new Answer.RetryLater<>(in, failure, notice(failure.reason(), Next.RETRY));
    }

    Answer<R> notAdmitted(RateLimits.NoPermit why) {
        return notAdmitted(why.in(), why.failure());
    }

    /** The handler of this call runs: no answer may say from now on that nothing was run. */
    void attemptBegan() {
        hasRun = true;
    }

    /** Whether an attempt of this call has run. */
    boolean hasRun() {
        return hasRun;
    }

    Answer<R> breakerOpen() {
        sources.watch()
                .notAdmitted(prepared.header().operation(), prepared.header().tenant(), "breaker");
        return notAdmitted(prepared.breaker().comeBackIn(), hasRun ? Failures.BREAKER_OPENED : Failures.BREAKER_OPEN);
    }

    Answer<R> halted() {
        return new Answer.Halted<>(
                notice("This kind of work is switched off at the moment; nothing was lost.", Next.RETRY, Next.CONTACT));
    }

    /** After a grant that was given back: switched off, or nobody could say whether it is. */
    Answer<R> notStarted(boolean switchedOff) {
        return switchedOff ? halted() : retryLater(CurrentModes.FRESH, Failures.MODES_NOT_READ);
    }

    private Notice notice(String reason, Next... next) {
        return new Notice(
                prepared.correlationId(), reason, Set.of(next), prepared.id().hex());
    }

    private @Nullable R decode(byte @Nullable [] result) {
        return sources.codec().decode(result, prepared.operation().definition().result());
    }

    /** The answer, with its event where it only read. Not for use inside a transaction: it may need a connection. */
    Answer<R> audited(Answer<R> answer, RecordId id) {
        return audited(answer, id, sources.audits().each());
    }

    /** As {@link #audited}, never with a connection of its own: counted, also where each replay is to be written. */
    Answer<R> auditedByCount(Answer<R> answer, RecordId id) {
        return audited(answer, id, false);
    }

    private Answer<R> audited(Answer<R> answer, RecordId id, boolean each) {
        if (answer instanceof Answer.Replayed) {
            writeEvent(EventType.OPERATION_REPLAYED, id, each);
        } else if (answer instanceof Answer.Conflict) {
            writeEvent(EventType.OPERATION_CONFLICT, id, each);
        }
        return answer;
    }

    private void writeEvent(EventType type, RecordId id, boolean each) {
        Events.About about = Events.About.record(
                id,
                prepared.header(),
                prepared.call().origin(),
                prepared.policy().code());
        if (each) {
            sources.audits().append(type, about, first);
        } else {
            sources.audits().buffer().count(type, about, first);
        }
    }
}
