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
    private final Environment environment;

    public AtomicRunner(Environment environment) {
        this.environment = environment;
    }

    public <P, R> Answer<R> run(Operation.Atomic<P, R> operation, Call<P> call, AtomicHandler<P, R> handler) {
        return run(operation, call, handler, Spans.begin(environment, operation, call));
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
        Asked<P, R> asked;
        try {
            asked = new Asked<>(environment, operation, call).under(span);
        } catch (SemelException.Invalid e) {
            return Answers.rejected(Preparation.correlationId(call), String.valueOf(e.getMessage()));
        }
        AtomicAttempt<P, R> attempt = new AtomicAttempt<>(environment, asked, handler);
        Nesting outer = Nesting.current(environment);
        if (outer != null) {
            return outer.holds(asked.identity().lock())
                    ? attempt.answers().inProgress()
                    : inside(outer.tx(), attempt, asked);
        }
        Flights.Landed known = environment.memory().snapshots().get(asked.id());
        if (known != null && asked.sameMeaning(known.fingerprint())) {
            return attempt.answers().told(attempt.answers().replayed(known.result(), known.first()), asked.id());
        }
        try {
            return environment
                    .memory()
                    .flights()
                    .fly(
                            asked,
                            flight -> Patience.await(environment, asked, () -> attempts(asked, attempt, flight)),
                            attempt.answers());
        } catch (SemelException.DataRefused e) {
            return Answers.rejected(asked.correlationId(), String.valueOf(e.getMessage()));
        }
    }

    /** In a transaction that somebody else ends: one try, under a savepoint, leaving no failure behind. */
    <P, R> Answer<R> inside(Transactions.Tx tx, AtomicAttempt<P, R> attempt, Asked<P, R> asked) {
        String tenant = asked.header().tenant();
        String operation = asked.header().operation();
        ModesView.Reading modes = environment.modes().in(tx, tenant, operation);
        for (int tries = 0; tries < 3; tries++) {
            ModesView.Reading current = modes;
            Attempt<R> ended = inPart(tx, attempt, current);
            if (ended instanceof Attempt.Answered<R> answered) {
                return attempt.answers().counted(answered.answer(), answered.record());
            }
            if (ended instanceof Attempt.Threw<R> threw) {
                return new AtomicFailures<>(environment, asked, attempt.answers()).withoutRecord(threw);
            }
            modes = environment.modes().afresh(tx, tenant, operation);
        }
        return attempt.answers().halted();
    }

    private static <R> Attempt<R> inPart(Transactions.Tx tx, AtomicAttempt<?, R> attempt, ModesView.Reading modes) {
        try {
            return checked(() -> tx.part(() -> attempt.in(tx, modes, 1)));
        } catch (CommitRefused e) {
            return attempt.refused(e);
        } catch (SemelException.DataRefused e) {
            return attempt.refused(e);
        }
    }

    private <P, R> Answer<R> attempts(Asked<P, R> asked, AtomicAttempt<P, R> attempt, Flights.Flight flight) {
        AtomicFailures<P, R> failures = new AtomicFailures<>(environment, asked, attempt.answers());
        int number = 1;
        int overtaken = 0;
        while (true) {
            Attempt<R> ended;
            try {
                ended = inTransaction(attempt, asked.modes(environment), number);
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
                    committed(environment, asked, flight, answered.snapshot().result());
                    environment.memory().bells().ring(attempt.sent());
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
                environment.modes().reload();
            }
        }
    }

    /** One try in a transaction of its own. What the database refuses to commit is a failure of the handler's. */
    <R> Attempt<R> inTransaction(AtomicAttempt<?, R> attempt, ModesView.Reading modes, int number) {
        return checked(() -> {
            try {
                return transactions(environment.store()).run(tx -> attempt.in(tx, modes, number));
            } catch (CommitRefused e) {
                return attempt.refused(e);
            } catch (SemelException.DataRefused e) {
                return attempt.refused(e);
            }
        });
    }

    /** The result is final: waiters and later callers of this process may have it. */
    static void committed(Environment environment, Asked<?, ?> asked, Flights.Flight flight, byte @Nullable [] result) {
        FirstRun first = FirstRun.of(asked.header(), FirstRun.NOT_KNOWN);
        Flights.Landed landed = new Flights.Landed(asked.header().fingerprint(), result, first);
        flight.landed(landed);
        environment
                .memory()
                .snapshots()
                .put(asked.id(), landed, asked.policy().retention().success());
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
