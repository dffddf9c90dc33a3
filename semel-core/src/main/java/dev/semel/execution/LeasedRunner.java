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

    private final EngineServices services;

    public LeasedRunner(EngineServices services) {
        this.services = services;
    }

    public <P, R> Answer<R> run(Operation.Leased<P, R> operation, Call<P> call, LeasedHandler<P, R> handler) {
        return run(operation, call, handler, CallSpans.begin(services, operation, call));
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
        PreparedCall<P, R> prepared;
        try {
            prepared = new PreparedCall<>(services, operation, call).under(span);
        } catch (SemelException.Invalid e) {
            return Answers.rejected(Preparation.correlationId(call), String.valueOf(e.getMessage()));
        }
        if (Nesting.current(services) != null) {
            throw new SemelException.Invalid(
                    prepared.name() + ": a leased operation cannot run inside an atomic handler,"
                            + " whose transaction may still roll back. Run it after the atomic operation has been answered.");
        }
        Answers<R> answers = new Answers<>(services, prepared);
        InFlightCalls.Landed known = services.memory().results().get(prepared.id());
        if (known != null && prepared.sameMeaning(known.fingerprint())) {
            return answers.told(answers.replayed(known.result(), known.first()), prepared.id());
        }
        try {
            return fly(prepared, handler, answers);
        } catch (SemelException.DataRefused e) {
            return Answers.rejected(prepared.correlationId(), String.valueOf(e.getMessage()));
        }
    }

    private <P, R> Answer<R> fly(PreparedCall<P, R> prepared, LeasedHandler<P, R> handler, Answers<R> answers) {
        return services.memory()
                .inFlight()
                .fly(
                        prepared,
                        flight -> Patience.await(services, prepared, () -> attempts(prepared, handler, flight)),
                        answers);
    }

    /**
     * A run that has no caller: the record is granted again if it is still as it was seen, and is left alone if not. One that
     * its owner released meanwhile is not made anew, as nobody asks for it.
     */
    public <P, R> void takeOver(Operation.Leased<P, R> operation, Row row, LeasedHandler<P, R> handler) {
        Span span = services.begin(operation.name(), row.header().tenant());
        try {
            PreparedCall<P, R> prepared =
                    PreparedCall.of(services, operation, row).under(span);
            InFlightCalls.Flight flight = services.memory().inFlight().tryLead(prepared);
            if (flight == null) {
                span.ended(Outcome.LOST);
                return;
            }
            try {
                Answer<R> answer = takeOver(prepared, row.status().fence(), handler, flight);
                if (answer == null) {
                    span.ended(Outcome.LOST);
                } else {
                    span.ended(answer);
                }
            } finally {
                services.memory().inFlight().end(prepared, flight);
            }
        } catch (Throwable thrown) {
            span.broke(thrown);
            throw thrown;
        }
    }

    /** The answer that nobody waits for; nothing when the record is no longer the one that was seen, or may not start. */
    private <P, R> @Nullable Answer<R> takeOver(
            PreparedCall<P, R> prepared, long seen, LeasedHandler<P, R> handler, InFlightCalls.Flight flight) {
        LeasedRun<P, R> run = new LeasedRun<>(services, prepared, new Answers<>(services, prepared), handler);
        long fence = seen;
        while (true) {
            CurrentModes.Reading modes = prepared.modes(services);
            if (modes.mode() == Mode.HALTED) {
                return null;
            }
            long since = services.time().nanos();
            Reserved reserved = services.ledger().reserve(modes.version(), reservation(prepared, fence));
            if (reserved instanceof Reserved.ModesChanged) {
                services.modes().reload();
            } else if (reserved instanceof Reserved.Granted granted) {
                services.modes().confirmed(modes.version(), since);
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
        lose(PreparedCall.unread(services, operation, row), row);
    }

    /** Whether an interrupted run of the operation may be run again at all. */
    public boolean mayRepeat(Operation.Leased<?, ?> operation, Row row) {
        Policy policy = services.tools().catalogue().get(operation.definition().policy());
        return (operation.repeatable() || policy.options().repeatable())
                && row.status().attempt() < policy.retry().maxAttempts();
    }

    private <P, R> Answer<R> attempts(
            PreparedCall<P, R> prepared, LeasedHandler<P, R> handler, InFlightCalls.Flight flight) {
        Answers<R> answers = new Answers<>(services, prepared);
        LeasedRun<P, R> run = new LeasedRun<>(services, prepared, answers, handler);
        while (true) {
            CurrentModes.Reading modes = prepared.modes(services);
            if (modes.mode() == Mode.HALTED || prepared.late(services)) {
                Answer<R> known = lookUp(prepared, answers);
                return known != null ? known : modes.mode() == Mode.HALTED ? answers.halted() : answers.late();
            }
            long since = services.time().nanos();
            Reserved reserved = services.ledger().reserve(modes.version(), reservation(prepared));
            if (reserved instanceof Reserved.ModesChanged) {
                services.modes().reload();
            } else if (reserved instanceof Reserved.Locked) {
                return answers.inProgress();
            } else if (reserved instanceof Reserved.Existing existing) {
                return mayBeAskedFor(prepared, existing)
                        ? attempts(prepared.as(existing.row()), handler, flight)
                        : existing(prepared, existing, answers);
            } else if (reserved instanceof Reserved.Granted granted) {
                services.modes().confirmed(modes.version(), since);
                flight.becameVisible();
                Answer<R> answer = modes.mode() == Mode.SHADOW ? run.shadow(granted) : run.underGrant(granted, flight);
                if (answer != null) {
                    return answer;
                }
            }
        }
    }

    /** The store grants only what is asked for exactly; the same call may be there in other words. */
    static boolean mayBeAskedFor(PreparedCall<?, ?> prepared, Reserved.Existing existing) {
        Row row = existing.row();
        boolean open = row.state() == State.FAILED_RETRYABLE || row.state() == State.IN_PROGRESS;
        return open
                && !row.inLine()
                && row.status().at() <= existing.now()
                && !prepared.asksFor(row)
                && prepared.sameMeaning(row.header().fingerprint());
    }

    /** Asks for a grant that cannot be given, so that the store judges by its own clock what counts as there. */
    <P, R> @Nullable Answer<R> lookUp(PreparedCall<P, R> prepared, Answers<R> answers) {
        Reserved reserved = services.ledger().reserve(NO_MODES, reservation(prepared));
        if (reserved instanceof Reserved.Locked) {
            return answers.inProgress();
        }
        return reserved instanceof Reserved.Existing existing && !mayBeAskedFor(prepared, existing)
                ? existing(prepared, existing, answers)
                : null;
    }

    Reservation reservation(PreparedCall<?, ?> prepared) {
        return reservation(prepared, 0);
    }

    /** @param onlyUnder the fence that the record must be under; 0 for whatever is there or absent */
    private Reservation reservation(PreparedCall<?, ?> prepared, long onlyUnder) {
        Operation.Leased<?, ?> operation = (Operation.Leased<?, ?>) prepared.operation();
        return new Reservation(
                prepared.identity(),
                prepared.header(),
                prepared.payload(),
                new Reservation.Grant(
                        services.tools().random().nextLong(1, Long.MAX_VALUE),
                        prepared.policy().limits().lease().toMillis(),
                        repeatable(operation, prepared),
                        prepared.policy().retry().maxAttempts(),
                        onlyUnder),
                null,
                services.audits().events().outcome(EventType.OPERATION_TAKEN_OVER, prepared.about(), Map.of()));
    }

    static boolean repeatable(Operation.Leased<?, ?> operation, PreparedCall<?, ?> prepared) {
        return operation.repeatable() || prepared.policy().options().repeatable();
    }

    /** A lease that is over and was not granted again belongs to a run that may not be repeated: it is parked. */
    <R> Answer<R> existing(PreparedCall<?, R> prepared, Reserved.Existing existing, Answers<R> answers) {
        Row row = existing.row();
        answers.remember(existing);
        Answer<R> answer = answers.of(row, existing.now());
        boolean over = row.state() == State.IN_PROGRESS && row.status().at() <= existing.now() && !row.inLine();
        if (over && answer instanceof Answer.InProgress) {
            // Its owner may have ended it, or renewed its lease, since it was looked at: then it is not UNKNOWN.
            return lose(prepared, row) instanceof Moved.Refused
                    ? answers.withoutWaiting()
                    : answers.unknown("Its run was interrupted; whether it took effect is being looked into.");
        }
        return answer != null ? answers.told(answer, row.id()) : answers.inProgress();
    }

    private Moved lose(PreparedCall<?, ?> prepared, Row row) {
        Move.Change over = new Move.Change(0, 0, row.status().attempts(), true, null, row.failure());
        Move move = Transition.LOSE.of(
                row.id(),
                row.status().fence(),
                over,
                services.audits()
                        .events()
                        .outcome(
                                EventType.OPERATION_UNKNOWN,
                                Events.About.stored(
                                        row.id(),
                                        row.header(),
                                        prepared.policy().code()),
                                Map.of("category", "lease_lost")));
        Moved moved = services.ledger().move(move);
        if (moved instanceof Moved.Applied) {
            prepared.unknown(services);
        }
        return moved;
    }
}
