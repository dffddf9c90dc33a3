package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.AtomicContext;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.execution.Settled.Begun;
import dev.semel.execution.Settled.Ended;
import dev.semel.execution.Settled.Told;
import dev.semel.policy.Classifier;
import dev.semel.store.AuditEntry;
import dev.semel.store.Landing;
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
public final class Exchanges {
    private final Environment environment;
    private final Consumer<Operation<?, ?>> seen;

    /** @param seen is told of operations whose expired leases are to be looked after */
    public Exchanges(Environment environment, Consumer<Operation<?, ?>> seen) {
        this.environment = environment;
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
        environment.tools().catalogue().get(operation.definition().policy());
        seen.accept(operation);
    }

    /** Whether the ledger would take so large an answer. */
    public boolean canKeep(byte[] answer) {
        try {
            environment.tools().codec().encode(answer, byte[].class);
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
        Span span = Spans.begin(environment, operation, call);
        try {
            Begun begun = opened(operation, call, span);
            if (begun instanceof Told told) {
                span.ended(told.answer());
            }
            return begun;
        } catch (Throwable thrown) {
            span.broke(thrown);
            throw thrown;
        }
    }

    private Begun opened(Operation.Leased<byte[], byte[]> operation, Call<byte[]> call, Span span) {
        Asked<byte[], byte[]> asked;
        try {
            asked = new Asked<>(environment, operation, call).under(span);
        } catch (SemelException.Invalid e) {
            return rejected(call, e);
        }
        Answers<byte[]> answers = new Answers<>(environment, asked);
        Answer<byte[]> known = remembered(asked, answers);
        if (known != null) {
            return new Told(known, State.COMPLETED);
        }
        Flights flights = environment.memory().flights();
        Flights.Boarding<byte[]> boarding = flights.board(asked, answers);
        if (boarding instanceof Flights.Boarding.Beside<byte[]> beside) {
            return new Told(beside.answer(), null);
        }
        Flights.Flight flight = ((Flights.Boarding.Leading<byte[]>) boarding).flight();
        boolean open = false;
        try {
            Begun begun = patiently(asked, () -> granted(asked, answers, flight));
            open = begun instanceof OpenRun;
            return begun;
        } finally {
            if (!open) {
                flights.end(asked, flight);
            }
        }
    }

    private @Nullable Answer<byte[]> remembered(Asked<byte[], byte[]> asked, Answers<byte[]> answers) {
        Flights.Landed known = environment.memory().snapshots().get(asked.id());
        return known != null && asked.sameMeaning(known.fingerprint())
                ? answers.told(answers.replayed(known.result(), known.first()), asked.id())
                : null;
    }

    private static Told rejected(Call<?> call, SemelException.Invalid why) {
        return new Told(Answers.rejected(Preparation.correlationId(call), String.valueOf(why.getMessage())), null);
    }

    /** Asks again as long as the call's patience while another process is at it. */
    private <T> T patiently(Asked<byte[], byte[]> asked, Supplier<T> attempt) {
        var last = new AtomicReference<T>();
        Patience.await(environment, asked, () -> {
            last.set(attempt.get());
            return last.get() instanceof Told told ? told.answer() : new Answer.Executed<>(null, asked.correlationId());
        });
        return last.get();
    }

    private Begun granted(Asked<byte[], byte[]> asked, Answers<byte[]> answers, Flights.Flight flight) {
        LeasedRunner runner = new LeasedRunner(environment);
        while (true) {
            ModesView.Reading modes = asked.modes(environment);
            if (modes.mode() == Mode.HALTED || asked.late(environment)) {
                Answer<byte[]> known = runner.lookUp(asked, answers);
                Answer<byte[]> refusal = modes.mode() == Mode.HALTED ? answers.halted() : answers.late();
                return new Told(known != null ? known : refusal, null);
            }
            Reserved reserved = environment.commits().reserve(modes.version(), runner.reservation(asked));
            if (reserved instanceof Reserved.ModesChanged) {
                environment.modes().reload();
            } else if (reserved instanceof Reserved.Locked) {
                return new Told(answers.inProgress(), null);
            } else if (reserved instanceof Reserved.Existing existing) {
                return LeasedRunner.mayBeAskedFor(asked, existing)
                        ? granted(asked.as(existing.row()), answers, flight)
                        : new Told(
                                runner.existing(asked, existing, answers),
                                existing.row().state());
            } else if (reserved instanceof Reserved.Granted granted) {
                flight.becameVisible();
                return OpenRun.start(environment, asked, answers, granted, flight, modes.mode());
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
        Span span = Spans.begin(environment, operation, call);
        var end = new AtomicReference<@Nullable End>();
        Inside heard = tx -> {
            end.set(null);
            End left = inside.run(tx);
            end.set(left);
            return left;
        };
        try {
            Settled settled = atomic(operation, call, heard, span);
            if (settled instanceof Told told) {
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
        Asked<byte[], byte[]> asked;
        try {
            asked = new Asked<>(environment, operation, call).under(span);
        } catch (SemelException.Invalid e) {
            return rejected(call, e);
        }
        AtomicAttempt<byte[], byte[]> attempt = new AtomicAttempt<>(environment, asked, (payload, tx) -> {
            End end = inside.run(tx);
            if (end instanceof End.Kept kept) {
                return kept.answer();
            }
            throw new Undone(end);
        });
        Answer<byte[]> known = remembered(asked, attempt.answers());
        if (known != null) {
            return new Told(known, State.COMPLETED);
        }
        var last = new AtomicReference<@Nullable Settled>();
        Answer<byte[]> answer = environment
                .memory()
                .flights()
                .fly(
                        asked,
                        flight -> {
                            Settled settled = patiently(asked, () -> attempted(asked, attempt, flight));
                            last.set(settled);
                            return settled instanceof Told told
                                    ? told.answer()
                                    : new Answer.Executed<>(null, asked.correlationId());
                        },
                        attempt.answers());
        Settled settled = last.get();
        return settled != null ? settled : new Told(answer, null);
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
            Asked<byte[], byte[]> asked, AtomicAttempt<byte[], byte[]> attempt, Flights.Flight flight) {
        Answers<byte[]> answers = attempt.answers();
        AtomicFailures<byte[], byte[]> failures = new AtomicFailures<>(environment, asked, answers);
        int overtaken = 0;
        while (true) {
            Attempt<byte[]> ended;
            try {
                ended = new AtomicRunner(environment).inTransaction(attempt, asked.modes(environment), 1);
            } catch (SemelException.LeaseLost e) {
                if (++overtaken == 3) {
                    throw e;
                }
                continue;
            } catch (SemelException.OutcomeUnknown e) {
                return new Told(answers.uncommitted(), null);
            } catch (SemelException.Locked e) {
                if (attempt.hasRun()) {
                    throw e;
                }
                // As for other callers: on SQLite what is committed can be read while another engine holds the file.
                return new Told(answers.withoutWaiting(), null);
            }
            if (ended instanceof Attempt.Answered<byte[]> answered) {
                if (answered.snapshot() != null) {
                    AtomicRunner.committed(
                            environment, asked, flight, answered.snapshot().result());
                    environment.memory().bells().ring(attempt.sent());
                    return new Ended(null);
                }
                return told(answers, failures, answered);
            }
            if (ended instanceof Attempt.Threw<byte[]> threw) {
                return undone(asked, failures, threw);
            }
            environment.modes().reload();
        }
    }

    private static Told told(
            Answers<byte[]> answers, AtomicFailures<byte[], byte[]> failures, Attempt.Answered<byte[]> answered) {
        Reserved.Existing found = answered.found();
        if (found != null) {
            answers.remember(found);
        }
        return new Told(
                answers.told(failures.shadowAudited(answered.answer()), answered.record()),
                found == null ? null : found.row().state());
    }

    /** The transaction is rolled back; what the end leaves instead is written by itself. */
    private Settled undone(
            Asked<byte[], byte[]> asked, AtomicFailures<byte[], byte[]> failures, Attempt.Threw<byte[]> threw) {
        End end = threw.thrown() instanceof Undone undone
                ? undone.end
                : new End.Failed(
                        Classifier.judge(asked.policy(), threw.thrown()).failure());
        if (end instanceof End.Refused refused) {
            AuditEntry event =
                    environment.audits().events().outcome(EventType.OPERATION_EXECUTED, asked.about(), Map.of());
            Landing.Times times =
                    new Landing.Times(asked.policy().retention().failure().toMillis(), 0, threw.number());
            return left(failures, asked, State.COMPLETED, times, new Landing.Outcome(refused.answer(), null), event);
        }
        if (end instanceof End.Failed failed) {
            Again again = Again.after(environment, asked, failed.failure(), threw.number());
            Landing.Times times = new Landing.Times(
                    again.pause().toMillis(),
                    asked.policy().retention().failure().toMillis(),
                    again.attempt());
            Settled settled = left(
                    failures,
                    asked,
                    State.FAILED_RETRYABLE,
                    times,
                    new Landing.Outcome(null, Failures.encode(failed.failure())),
                    again.event());
            return settled instanceof Ended ? new Ended(again.pause()) : settled;
        }
        return new Ended(null);
    }

    private Settled left(
            AtomicFailures<byte[], byte[]> failures,
            Asked<byte[], byte[]> asked,
            State state,
            Landing.Times times,
            Landing.Outcome outcome,
            @Nullable AuditEntry event) {
        try {
            return failures.leave(new Landing(asked.id(), asked.header(), state, times, outcome, event))
                    .<Settled>map(answer -> new Told(answer, null))
                    .orElseGet(() -> new Ended(null));
        } catch (SemelException.OutcomeUnknown e) {
            // Whether the failure was recorded does not matter: nothing took effect, and the next call finds out.
            return new Ended(Duration.ZERO);
        }
    }
}
