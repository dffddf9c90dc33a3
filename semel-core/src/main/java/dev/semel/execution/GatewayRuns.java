package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.AtomicContext;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.execution.Settled.Answered;
import dev.semel.execution.Settled.Begun;
import dev.semel.execution.Settled.Ended;
import dev.semel.policy.Classifier;
import dev.semel.store.AuditEntry;
import dev.semel.store.RecordWrite;
import dev.semel.store.Reserved;
import dev.semel.store.State;
import dev.semel.watch.Outcome;
import dev.semel.watch.Span;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Direct runs for a gateway, such as an HTTP filter, which differs from other callers in three ways: it tries once a call and
 * leaves the next try to its client; it decides itself what its answer leaves in the ledger; and a run may end on another
 * thread than it began on. Thread-safe.
 */
public final class GatewayRuns {
    private final EngineServices services;
    private final Consumer<Operation<?, ?>> seen;

    /** @param seen is told of operations whose expired leases are to be looked after */
    public GatewayRuns(EngineServices services, Consumer<Operation<?, ?>> seen) {
        this.services = services;
        this.seen = seen;
    }

    /** The work of a gateway inside a transaction; an exception counts as {@link End.Failed}. */
    @FunctionalInterface
    public interface Inside {
        End run(AtomicContext tx) throws Exception;
    }

    /** What a run inside a transaction leaves. */
    public sealed interface End {
        /** The effect and the answer, in one commit. */
        record Kept(byte[] answer) implements End {}

        /** No effect; the answer, for the retention of failures. */
        record Refused(byte[] answer) implements End {}

        /** Nothing at all. */
        record Dropped() implements End {}

        /** No effect; it may be run again. */
        record Failed(Failure failure) implements End {}
    }

    /** Sees to it that interrupted runs of the operation are found, also those of an earlier process. */
    public void declare(Operation.Leased<byte[], byte[]> operation) {
        services.tools().catalogue().get(operation.definition().policy());
        seen.accept(operation);
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
     * Grants a leased run that the caller ends, on any thread, or tells what the record says.
     *
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached; nothing was granted
     */
    public Begun begin(Operation.Leased<byte[], byte[]> operation, Call<byte[]> call) {
        seen.accept(operation);
        Span span = CallSpans.begin(services, operation, call);
        try {
            Begun begun = opened(operation, call, span);
            if (begun instanceof Answered told) {
                span.ended(told.answer());
            }
            return begun;
        } catch (Throwable thrown) {
            span.broke(thrown);
            throw thrown;
        }
    }

    private Begun opened(Operation.Leased<byte[], byte[]> operation, Call<byte[]> call, Span span) {
        PreparedCall<byte[], byte[]> prepared;
        try {
            prepared = new PreparedCall<>(services, operation, call).under(span);
        } catch (SemelException.Invalid e) {
            return rejected(call, e);
        }
        Answers<byte[]> answers = new Answers<>(services, prepared);
        Answer<byte[]> known = remembered(prepared, answers);
        if (known != null) {
            return new Answered(known, State.COMPLETED);
        }
        InFlightCalls inFlight = services.memory().inFlight();
        InFlightCalls.Boarding<byte[]> boarding = inFlight.board(prepared, answers);
        if (boarding instanceof InFlightCalls.Boarding.Beside<byte[]> beside) {
            return new Answered(beside.answer(), null);
        }
        InFlightCalls.Flight flight = ((InFlightCalls.Boarding.Leading<byte[]>) boarding).flight();
        boolean open = false;
        try {
            Begun begun = patiently(prepared, () -> granted(prepared, answers, flight));
            open = begun instanceof GatewayRun;
            return begun;
        } finally {
            if (!open) {
                inFlight.end(prepared, flight);
            }
        }
    }

    private @Nullable Answer<byte[]> remembered(PreparedCall<byte[], byte[]> prepared, Answers<byte[]> answers) {
        InFlightCalls.Landed known = services.memory().results().get(prepared.id());
        return known != null && prepared.sameMeaning(known.fingerprint())
                ? answers.told(answers.replayed(known.result(), known.first()), prepared.id())
                : null;
    }

    private static Answered rejected(Call<?> call, SemelException.Invalid why) {
        return new Answered(Answers.rejected(Preparation.correlationId(call), String.valueOf(why.getMessage())), null);
    }

    /** Asks again as long as the call's patience while another process is at it. */
    private <T> T patiently(PreparedCall<byte[], byte[]> prepared, Supplier<T> attempt) {
        var last = new AtomicReference<T>();
        Patience.await(services, prepared, () -> {
            last.set(attempt.get());
            return last.get() instanceof Answered told
                    ? told.answer()
                    : new Answer.Executed<>(null, prepared.correlationId());
        });
        return last.get();
    }

    private Begun granted(PreparedCall<byte[], byte[]> prepared, Answers<byte[]> answers, InFlightCalls.Flight flight) {
        LeasedRunner runner = new LeasedRunner(services);
        while (true) {
            CurrentModes.Reading modes = prepared.modes(services);
            if (modes.mode() == Mode.HALTED || prepared.late(services)) {
                Answer<byte[]> known = runner.lookUp(prepared, answers);
                Answer<byte[]> refusal = modes.mode() == Mode.HALTED ? answers.halted() : answers.late();
                return new Answered(known != null ? known : refusal, null);
            }
            Reserved reserved = services.ledger().reserve(modes.version(), runner.reservation(prepared));
            if (reserved instanceof Reserved.ModesChanged) {
                services.modes().reload();
            } else if (reserved instanceof Reserved.Locked) {
                return new Answered(answers.inProgress(), null);
            } else if (reserved instanceof Reserved.Existing existing) {
                return LeasedRunner.mayBeAskedFor(prepared, existing)
                        ? granted(prepared.as(existing.row()), answers, flight)
                        : new Answered(
                                runner.existing(prepared, existing, answers),
                                existing.row().state());
            } else if (reserved instanceof Reserved.Granted granted) {
                flight.becameVisible();
                return GatewayRun.start(services, prepared, answers, granted, flight, modes.mode());
            }
        }
    }

    /**
     * Runs inside one transaction with the record: reserved, run and ended in one commit, on the calling thread. It may be run
     * more than once where many callers share a commit.
     *
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached; nothing was committed
     */
    public Settled within(Operation.Atomic<byte[], byte[]> operation, Call<byte[]> call, Inside inside) {
        Span span = CallSpans.begin(services, operation, call);
        var end = new AtomicReference<@Nullable End>();
        Inside heard = tx -> {
            end.set(null);
            End left = inside.run(tx);
            end.set(left);
            return left;
        };
        try {
            Settled settled = atomic(operation, call, heard, span);
            if (settled instanceof Answered told) {
                span.ended(told.answer());
            } else if (end.get() instanceof End.Dropped) {
                span.ended(Outcome.FAILED);
            } else {
                span.ended(
                        settled instanceof Ended ended && ended.again() != null
                                ? Outcome.RETRY_LATER
                                : Outcome.EXECUTED);
            }
            return settled;
        } catch (Throwable thrown) {
            span.broke(thrown);
            throw thrown;
        }
    }

    private Settled atomic(Operation.Atomic<byte[], byte[]> operation, Call<byte[]> call, Inside inside, Span span) {
        PreparedCall<byte[], byte[]> prepared;
        try {
            prepared = new PreparedCall<>(services, operation, call).under(span);
        } catch (SemelException.Invalid e) {
            return rejected(call, e);
        }
        AtomicAttempt<byte[], byte[]> attempt = new AtomicAttempt<>(services, prepared, (payload, tx) -> {
            End end = inside.run(tx);
            if (end instanceof End.Kept kept) {
                return kept.answer();
            }
            throw new Undone(end);
        });
        Answer<byte[]> known = remembered(prepared, attempt.answers());
        if (known != null) {
            return new Answered(known, State.COMPLETED);
        }
        var last = new AtomicReference<@Nullable Settled>();
        Answer<byte[]> answer = services.memory()
                .inFlight()
                .fly(
                        prepared,
                        flight -> {
                            Settled settled = patiently(prepared, () -> attempted(prepared, attempt, flight));
                            last.set(settled);
                            return settled instanceof Answered told
                                    ? told.answer()
                                    : new Answer.Executed<>(null, prepared.correlationId());
                        },
                        attempt.answers());
        Settled settled = last.get();
        return settled != null ? settled : new Answered(answer, null);
    }

    /** Carries an end out of the transaction, which is rolled back by it. */
    private static final class Undone extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient End end;

        Undone(End end) {
            super(null, null, false, false);
            this.end = end;
        }
    }

    private Settled attempted(
            PreparedCall<byte[], byte[]> prepared, AtomicAttempt<byte[], byte[]> attempt, InFlightCalls.Flight flight) {
        Answers<byte[]> answers = attempt.answers();
        AtomicFailures<byte[], byte[]> failures = new AtomicFailures<>(services, prepared, answers);
        int overtaken = 0;
        while (true) {
            Attempt<byte[]> ended;
            try {
                ended = new AtomicRunner(services).inTransaction(attempt, prepared.modes(services), 1);
            } catch (SemelException.LeaseLost e) {
                if (++overtaken == 3) {
                    throw e;
                }
                continue;
            } catch (SemelException.OutcomeUnknown e) {
                return new Answered(answers.uncommitted(), null);
            } catch (SemelException.Locked e) {
                if (attempt.hasRun()) {
                    throw e;
                }
                // As for other callers: on SQLite what is committed can be read while another engine holds the file.
                return new Answered(answers.withoutWaiting(), null);
            }
            if (ended instanceof Attempt.Answered<byte[]> answered) {
                if (answered.snapshot() != null) {
                    AtomicRunner.committed(
                            services, prepared, flight, answered.snapshot().result());
                    services.memory().wakeUps().wake(attempt.sent());
                    return new Ended(null);
                }
                return told(answers, failures, answered);
            }
            if (ended instanceof Attempt.Threw<byte[]> threw) {
                return undone(prepared, failures, threw);
            }
            services.modes().reload();
        }
    }

    private static Answered told(
            Answers<byte[]> answers, AtomicFailures<byte[], byte[]> failures, Attempt.Answered<byte[]> answered) {
        Reserved.Existing found = answered.found();
        if (found != null) {
            answers.remember(found);
        }
        return new Answered(
                answers.told(failures.shadowAudited(answered.answer()), answered.record()),
                found == null ? null : found.row().state());
    }

    /** The transaction is rolled back; what the end leaves instead is written by itself. */
    private Settled undone(
            PreparedCall<byte[], byte[]> prepared,
            AtomicFailures<byte[], byte[]> failures,
            Attempt.Threw<byte[]> threw) {
        End end = threw.thrown() instanceof Undone undone
                ? undone.end
                : new End.Failed(
                        Classifier.judge(prepared.policy(), threw.thrown()).failure());
        if (end instanceof End.Refused refused) {
            AuditEntry event =
                    services.audits().events().outcome(EventType.OPERATION_EXECUTED, prepared.about(), Map.of());
            RecordWrite.Times times = new RecordWrite.Times(
                    prepared.policy().retention().failure().toMillis(), 0, threw.number());
            return left(
                    failures, prepared, State.COMPLETED, times, new RecordWrite.Outcome(refused.answer(), null), event);
        }
        if (end instanceof End.Failed failed) {
            NextRequest again = NextRequest.after(services, prepared, failed.failure(), threw.number());
            RecordWrite.Times times = new RecordWrite.Times(
                    again.pause().toMillis(),
                    prepared.policy().retention().failure().toMillis(),
                    again.attempt());
            Settled settled = left(
                    failures,
                    prepared,
                    State.FAILED_RETRYABLE,
                    times,
                    new RecordWrite.Outcome(null, Failures.encode(failed.failure())),
                    again.event());
            return settled instanceof Ended ? new Ended(again.pause()) : settled;
        }
        return new Ended(null);
    }

    private Settled left(
            AtomicFailures<byte[], byte[]> failures,
            PreparedCall<byte[], byte[]> prepared,
            State state,
            RecordWrite.Times times,
            RecordWrite.Outcome outcome,
            @Nullable AuditEntry event) {
        try {
            return failures.leave(new RecordWrite(prepared.id(), prepared.header(), state, times, outcome, event))
                    .<Settled>map(answer -> new Answered(answer, null))
                    .orElseGet(() -> new Ended(null));
        } catch (SemelException.OutcomeUnknown e) {
            // Whether the failure was recorded does not matter: nothing took effect, and the next call finds out.
            return new Ended(Duration.ZERO);
        }
    }
}
