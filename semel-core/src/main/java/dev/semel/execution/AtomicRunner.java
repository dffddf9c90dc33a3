package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.AtomicHandler;
import dev.semel.Call;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.audit.FirstRun;
import dev.semel.store.CommitRefused;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Ended;
import dev.semel.watch.Span;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Direct atomic calls: single-flight, attempts with their back-off outside any transaction, and what failures leave. */
public final class AtomicRunner {
    private final EngineServices services;

    public AtomicRunner(EngineServices services) {
        this.services = services;
    }

    public <P, R> Answer<R> run(Operation.Atomic<P, R> operation, Call<P> call, AtomicHandler<P, R> handler) {
        return run(operation, call, handler, CallSpans.begin(services, operation, call));
    }

    <P, R> Answer<R> run(Operation.Atomic<P, R> operation, Call<P> call, AtomicHandler<P, R> handler, Span span) {
        try {
            return span.ended(answer(operation, call, handler, span));
        } catch (Throwable thrown) {
            span.broke(thrown);
            throw thrown;
        }
    }

    private <P, R> Answer<R> answer(
            Operation.Atomic<P, R> operation, Call<P> call, AtomicHandler<P, R> handler, Span span) {
        PreparedCall<P, R> prepared;
        try {
            prepared = new PreparedCall<>(services, operation, call).under(span);
        } catch (SemelException.Invalid e) {
            return Answers.rejected(Preparation.correlationId(call), String.valueOf(e.getMessage()));
        }
        AtomicAttempt<P, R> attempt = new AtomicAttempt<>(services, prepared, handler);
        Nesting outer = Nesting.current(services);
        if (outer != null) {
            return outer.holds(prepared.identity().lock())
                    ? attempt.answers().inProgress()
                    : inside(outer.tx(), attempt, prepared);
        }
        InFlightCalls.Landed known = services.memory().results().get(prepared.id());
        if (known != null && prepared.sameMeaning(known.fingerprint())) {
            return attempt.answers().told(attempt.answers().replayed(known.result(), known.first()), prepared.id());
        }
        try {
            return services.memory()
                    .inFlight()
                    .fly(
                            prepared,
                            flight -> Patience.await(services, prepared, () -> attempts(prepared, attempt, flight)),
                            attempt.answers());
        } catch (SemelException.DataRefused e) {
            return Answers.rejected(prepared.correlationId(), String.valueOf(e.getMessage()));
        }
    }

    /** In a transaction that somebody else ends: one try, under a savepoint, leaving no failure behind. */
    <P, R> Answer<R> inside(Transactions.Tx tx, AtomicAttempt<P, R> attempt, PreparedCall<P, R> prepared) {
        String tenant = prepared.header().tenant();
        String operation = prepared.header().operation();
        CurrentModes.Reading modes = services.modes().in(tx, tenant, operation);
        for (int tries = 0; tries < 3; tries++) {
            CurrentModes.Reading current = modes;
            Attempt<R> ended = inPart(tx, attempt, current);
            if (ended instanceof Attempt.Answered<R> answered) {
                return attempt.answers().counted(answered.answer(), answered.record());
            }
            if (ended instanceof Attempt.Threw<R> threw) {
                return new AtomicFailures<>(services, prepared, attempt.answers()).withoutRecord(threw);
            }
            modes = services.modes().afresh(tx, tenant, operation);
        }
        return attempt.answers().halted();
    }

    private static <R> Attempt<R> inPart(Transactions.Tx tx, AtomicAttempt<?, R> attempt, CurrentModes.Reading modes) {
        try {
            return checked(() -> tx.part(() -> attempt.in(tx, modes, 1)));
        } catch (CommitRefused e) {
            return attempt.refused(e);
        } catch (SemelException.DataRefused e) {
            return attempt.refused(e);
        }
    }

    private <P, R> Answer<R> attempts(
            PreparedCall<P, R> prepared, AtomicAttempt<P, R> attempt, InFlightCalls.Flight flight) {
        AtomicFailures<P, R> failures = new AtomicFailures<>(services, prepared, attempt.answers());
        int number = 1;
        int overtaken = 0;
        while (true) {
            Attempt<R> ended;
            try {
                ended = inTransaction(attempt, prepared.modes(services), number);
            } catch (SemelException.LeaseLost e) {
                if (++overtaken == 3) {
                    throw e;
                }
                continue;
            } catch (SemelException.OutcomeUnknown e) {
                return attempt.answers().uncommitted();
            } catch (SemelException.Locked e) {
                if (attempt.hasRun()) {
                    // Rolled back, and nobody else is running it.
                    throw e;
                }
                // On SQLite by the handler of another engine, which holds the whole file: what is committed can be
                // read.
                return attempt.answers().withoutWaiting();
            }
            if (ended instanceof Attempt.Answered<R> answered) {
                if (answered.found() != null) {
                    attempt.answers().remember(answered.found());
                }
                if (answered.snapshot() != null) {
                    committed(services, prepared, flight, answered.snapshot().result());
                    services.memory().wakeUps().wake(attempt.sent());
                }
                return attempt.answers().told(failures.shadowAudited(answered.answer()), answered.record());
            }
            if (ended instanceof Attempt.Threw<R> threw) {
                Answer<R> answer = failures.after(threw);
                if (answer != null) {
                    return answer;
                }
                number = threw.number() + 1;
            } else {
                services.modes().reload();
            }
        }
    }

    /** One try in a transaction of its own. What the database refuses to commit is a failure of the handler's. */
    <R> Attempt<R> inTransaction(AtomicAttempt<?, R> attempt, CurrentModes.Reading modes, int number) {
        return checked(() -> {
            try {
                return transactions(services.store()).run(tx -> attempt.in(tx, modes, number));
            } catch (CommitRefused e) {
                return attempt.refused(e);
            } catch (SemelException.DataRefused e) {
                return attempt.refused(e);
            }
        });
    }

    /** The result is final: waiters and later callers of this process may have it. */
    static void committed(
            EngineServices services,
            PreparedCall<?, ?> prepared,
            InFlightCalls.Flight flight,
            byte @Nullable [] result) {
        FirstRun first = FirstRun.of(prepared.header(), FirstRun.NOT_KNOWN);
        InFlightCalls.Landed landed = new InFlightCalls.Landed(prepared.header().fingerprint(), result, first);
        flight.landed(landed);
        services.memory()
                .results()
                .put(prepared.id(), landed, prepared.policy().retention().success());
    }

    static Transactions transactions(Store store) {
        return store.transactions()
                .orElseThrow(() -> new SemelException.Misconfigured(
                        "store " + store.name(),
                        List.of(
                                "it cannot commit the application's writes together with its own, which an atomic operation"
                                        + " needs: use a leased operation, or a SQL store")));
    }

    /** Handlers' exceptions never come this way: they end in {@link Attempt.Threw}. */
    static <T> T checked(Nesting.Body<T> body) {
        try {
            return body.run();
        } catch (RuntimeException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SemelException.StoreUnavailable(
                    "The caller was interrupted while it waited for the store. Nothing was run.", e);
        } catch (Exception e) {
            throw new SemelException.StoreUnavailable(
                    "The store failed: " + e.getMessage() + ". Nothing was committed.", e);
        }
    }

    /** Not kept: for work that only looks. */
    static <T> Ended<T> looked(T value) {
        return Ended.undo(value);
    }
}
