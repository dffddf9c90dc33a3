package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.LeasedHandler;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.ledger.Transition;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.watch.Outcome;
import dev.semel.watch.Span;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Leased calls: granted in one commit, run under a lease and a fence, finished in another commit under that fence. */
public final class LeasedRunner {
    /** No switchboard is ever at this version. */
    private static final long NO_MODES = -1;

    private final Environment environment;

    public LeasedRunner(Environment environment) {
        this.environment = environment;
    }

    public <P, R> Answer<R> run(Operation.Leased<P, R> operation, Call<P> call, LeasedHandler<P, R> handler) {
        return run(operation, call, handler, Spans.begin(environment, operation, call));
    }

    <P, R> Answer<R> run(Operation.Leased<P, R> operation, Call<P> call, LeasedHandler<P, R> handler, Span span) {
        try {
            return span.ended(answer(operation, call, handler, span));
        } catch (Throwable thrown) {
            span.broke(thrown);
            throw thrown;
        }
    }

    private <P, R> Answer<R> answer(
            Operation.Leased<P, R> operation, Call<P> call, LeasedHandler<P, R> handler, Span span) {
        Asked<P, R> asked;
        try {
            asked = new Asked<>(environment, operation, call).under(span);
        } catch (SemelException.Invalid e) {
            return Answers.rejected(Preparation.correlationId(call), String.valueOf(e.getMessage()));
        }
        if (Nesting.current(environment) != null) {
            throw new SemelException.Invalid(asked.name() + ": a leased operation cannot run inside an atomic handler,"
                    + " whose transaction may still roll back. Run it after the atomic operation has been answered.");
        }
        Answers<R> answers = new Answers<>(environment, asked);
        Flights.Landed known = environment.memory().snapshots().get(asked.id());
        if (known != null && asked.sameMeaning(known.fingerprint())) {
            return answers.told(answers.replayed(known.result(), known.first()), asked.id());
        }
        try {
            return fly(asked, handler, answers);
        } catch (SemelException.DataRefused e) {
            return Answers.rejected(asked.correlationId(), String.valueOf(e.getMessage()));
        }
    }

    private <P, R> Answer<R> fly(Asked<P, R> asked, LeasedHandler<P, R> handler, Answers<R> answers) {
        return environment
                .memory()
                .flights()
                .fly(
                        asked,
                        flight -> Patience.await(environment, asked, () -> attempts(asked, handler, flight)),
                        answers);
    }

    /**
     * A run that has no caller: the record is granted again if it is still as it was seen, and is left alone if not. One that
     * its owner released meanwhile is not made anew, as nobody asks for it.
     */
    public <P, R> void takeOver(Operation.Leased<P, R> operation, Row row, LeasedHandler<P, R> handler) {
        Span span = environment.begin(operation.name(), row.header().tenant());
        try {
            Asked<P, R> asked = Asked.of(environment, operation, row).under(span);
            Flights.Flight flight = environment.memory().flights().tryLead(asked);
            if (flight == null) {
                span.ended(Outcome.LOST);
                return;
            }
            try {
                Answer<R> answer = takeOver(asked, row.status().fence(), handler, flight);
                if (answer == null) {
                    span.ended(Outcome.LOST);
                } else {
                    span.ended(answer);
                }
            } finally {
                environment.memory().flights().end(asked, flight);
            }
        } catch (Throwable thrown) {
            span.broke(thrown);
            throw thrown;
        }
    }

    /** The answer that nobody waits for; nothing when the record is no longer the one that was seen, or may not start. */
    private <P, R> @Nullable Answer<R> takeOver(
            Asked<P, R> asked, long seen, LeasedHandler<P, R> handler, Flights.Flight flight) {
        LeasedRun<P, R> run = new LeasedRun<>(environment, asked, new Answers<>(environment, asked), handler);
        long fence = seen;
        while (true) {
            ModesView.Reading modes = asked.modes(environment);
            if (modes.mode() == Mode.HALTED) {
                return null;
            }
            long since = environment.time().nanos();
            Reserved reserved = environment.commits().reserve(modes.version(), reservation(asked, fence));
            if (reserved instanceof Reserved.ModesChanged) {
                environment.modes().reload();
            } else if (reserved instanceof Reserved.Granted granted) {
                environment.modes().confirmed(modes.version(), since);
                fence = granted.fence();
                flight.becameVisible();
                Answer<R> answer = modes.mode() == Mode.SHADOW ? run.shadow(granted) : run.underGrant(granted, flight);
                if (answer != null) {
                    return answer;
                }
            } else {
                return null;
            }
        }
    }

    /** Parks a record whose lease is over and which may not be run again; its payload need not be readable. */
    public void lose(Operation.Leased<?, ?> operation, Row row) {
        lose(Asked.unread(environment, operation, row), row);
    }

    /** Whether an interrupted run of the operation may be run again at all. */
    public boolean mayRepeat(Operation.Leased<?, ?> operation, Row row) {
        Policy policy =
                environment.tools().catalogue().get(operation.definition().policy());
        return (operation.repeatable() || policy.options().repeatable())
                && row.status().attempt() < policy.retry().maxAttempts();
    }

    private <P, R> Answer<R> attempts(Asked<P, R> asked, LeasedHandler<P, R> handler, Flights.Flight flight) {
        Answers<R> answers = new Answers<>(environment, asked);
        LeasedRun<P, R> run = new LeasedRun<>(environment, asked, answers, handler);
        while (true) {
            ModesView.Reading modes = asked.modes(environment);
            if (modes.mode() == Mode.HALTED || asked.late(environment)) {
                Answer<R> known = lookUp(asked, answers);
                return known != null ? known : modes.mode() == Mode.HALTED ? answers.halted() : answers.late();
            }
            long since = environment.time().nanos();
            Reserved reserved = environment.commits().reserve(modes.version(), reservation(asked));
            if (reserved instanceof Reserved.ModesChanged) {
                environment.modes().reload();
            } else if (reserved instanceof Reserved.Locked) {
                return answers.inProgress();
            } else if (reserved instanceof Reserved.Existing existing) {
                return mayBeAskedFor(asked, existing)
                        ? attempts(asked.as(existing.row()), handler, flight)
                        : existing(asked, existing, answers);
            } else if (reserved instanceof Reserved.Granted granted) {
                environment.modes().confirmed(modes.version(), since);
                flight.becameVisible();
                Answer<R> answer = modes.mode() == Mode.SHADOW ? run.shadow(granted) : run.underGrant(granted, flight);
                if (answer != null) {
                    return answer;
                }
            }
        }
    }

    /** The store grants only what is asked for exactly; the same call may be there in other words. */
    static boolean mayBeAskedFor(Asked<?, ?> asked, Reserved.Existing existing) {
        Row row = existing.row();
        boolean open = row.state() == State.FAILED_RETRYABLE || row.state() == State.IN_PROGRESS;
        return open
                && !row.inLine()
                && row.status().at() <= existing.now()
                && !asked.asksFor(row)
                && asked.sameMeaning(row.header().fingerprint());
    }

    /** Asks for a grant that cannot be given, so that the store judges by its own clock what counts as there. */
    <P, R> @Nullable Answer<R> lookUp(Asked<P, R> asked, Answers<R> answers) {
        Reserved reserved = environment.commits().reserve(NO_MODES, reservation(asked));
        if (reserved instanceof Reserved.Locked) {
            return answers.inProgress();
        }
        return reserved instanceof Reserved.Existing existing && !mayBeAskedFor(asked, existing)
                ? existing(asked, existing, answers)
                : null;
    }

    Reservation reservation(Asked<?, ?> asked) {
        return reservation(asked, 0);
    }

    /** @param onlyUnder the fence that the record must be under; 0 for whatever is there or absent */
    private Reservation reservation(Asked<?, ?> asked, long onlyUnder) {
        Operation.Leased<?, ?> operation = (Operation.Leased<?, ?>) asked.operation();
        return new Reservation(
                asked.identity(),
                asked.header(),
                asked.payload(),
                new Reservation.Grant(
                        environment.tools().random().nextLong(1, Long.MAX_VALUE),
                        asked.policy().limits().lease().toMillis(),
                        repeatable(operation, asked),
                        asked.policy().retry().maxAttempts(),
                        onlyUnder),
                null,
                environment.audits().events().outcome(EventType.OPERATION_TAKEN_OVER, asked.about(), Map.of()));
    }

    static boolean repeatable(Operation.Leased<?, ?> operation, Asked<?, ?> asked) {
        return operation.repeatable() || asked.policy().options().repeatable();
    }

    /** A lease that is over and was not granted again belongs to a run that may not be repeated: it is parked. */
    <R> Answer<R> existing(Asked<?, R> asked, Reserved.Existing existing, Answers<R> answers) {
        Row row = existing.row();
        answers.remember(existing);
        Answer<R> answer = answers.of(row, existing.now());
        boolean over = row.state() == State.IN_PROGRESS && row.status().at() <= existing.now() && !row.inLine();
        if (over && answer instanceof Answer.InProgress) {
            // Its owner may have ended it, or renewed its lease, since it was looked at: then it is not UNKNOWN.
            return lose(asked, row) instanceof Moved.Refused
                    ? answers.withoutWaiting()
                    : answers.unknown("Its run was interrupted; whether it took effect is being looked into.");
        }
        return answer != null ? answers.told(answer, row.id()) : answers.inProgress();
    }

    private Moved lose(Asked<?, ?> asked, Row row) {
        Move.Change over = new Move.Change(0, 0, row.status().attempts(), true, null, row.failure());
        Move move = Transition.LOSE.of(
                row.id(),
                row.status().fence(),
                over,
                environment
                        .audits()
                        .events()
                        .outcome(
                                EventType.OPERATION_UNKNOWN,
                                Events.About.stored(
                                        row.id(), row.header(), asked.policy().code()),
                                Map.of("category", "lease_lost")));
        Moved moved = environment.commits().move(move);
        if (moved instanceof Moved.Applied) {
            asked.unknown(environment);
        }
        return moved;
    }
}
