package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.audit.FirstRun;
import dev.semel.key.Fingerprint;
import dev.semel.key.RecordId;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The runs under way in this process, by what they lock. A duplicate waits here, in memory and without a connection, and is
 * told the leader's result when there is one.
 */
public final class InFlightCalls {
    private final Map<RecordId, Flight> flights = new ConcurrentHashMap<>();
    private final TimeSource time;

    public InFlightCalls(TimeSource time) {
        this.time = time;
    }

    /** One run under way. */
    static final class Flight {
        private final TimeSource.Gate gate;
        private final Thread leader = Thread.currentThread();
        private final Fingerprint fingerprint;
        private volatile boolean visible;
        private volatile @Nullable Landed landed;

        Flight(TimeSource.Gate gate, Fingerprint fingerprint) {
            this.gate = gate;
            this.fingerprint = fingerprint;
        }

        /** The record is committed, so another payload is a conflict from now on. */
        void becameVisible() {
            visible = true;
        }

        /** The result is committed. */
        void landed(Landed value) {
            landed = value;
        }
    }

    /** A committed result, for those who waited and those who come later. */
    record Landed(Fingerprint fingerprint, byte @Nullable [] result, FirstRun first) {}

    /** Enters the flight as its leader, or gives nothing when somebody else is. */
    @Nullable
    Flight tryLead(PreparedCall<?, ?> prepared) {
        Flight mine = new Flight(time.gate(), prepared.header().fingerprint());
        return flights.putIfAbsent(prepared.identity().lock(), mine) == null ? mine : null;
    }

    void end(PreparedCall<?, ?> prepared, Flight flight) {
        flights.remove(prepared.identity().lock(), flight);
        flight.gate.open();
    }

    /**
     * Leads, or waits as long as the call's patience for whoever leads.
     *
     * @param leading does the work
     * @param answers turns what a waiter learns into its answer
     */
    <R> Answer<R> fly(PreparedCall<?, R> prepared, Function<Flight, Answer<R>> leading, Answers<R> answers) {
        Boarding<R> boarding = board(prepared, answers);
        if (boarding instanceof Boarding.Beside<R> beside) {
            return beside.answer();
        }
        Flight mine = ((Boarding.Leading<R>) boarding).flight();
        try {
            return leading.apply(mine);
        } finally {
            end(prepared, mine);
        }
    }

    /** How a call came into its flight. */
    sealed interface Boarding<R> {
        /** It leads, and says when the flight has ended. */
        record Leading<R>(Flight flight) implements Boarding<R> {}

        /** It waited, or would not, and was told. */
        record Beside<R>(Answer<R> answer) implements Boarding<R> {}
    }

    /** Leads, or waits as long as the call's patience for whoever leads. */
    <R> Boarding<R> board(PreparedCall<?, R> prepared, Answers<R> answers) {
        long until = time.nanos() + bounded(prepared.call().patience());
        while (true) {
            Flight mine = tryLead(prepared);
            if (mine != null) {
                return new Boarding.Leading<>(mine);
            }
            Flight other = flights.get(prepared.identity().lock());
            if (other != null) {
                Answer<R> answer = beside(other, prepared, until, answers);
                if (answer != null) {
                    return new Boarding.Beside<>(answer);
                }
            }
        }
    }

    private <R> @Nullable Answer<R> beside(Flight other, PreparedCall<?, R> prepared, long until, Answers<R> answers) {
        if (other.visible && !prepared.sameMeaning(other.fingerprint)) {
            return answers.told(answers.conflict(), prepared.id());
        }
        Duration left = Duration.ofNanos(until - time.nanos());
        boolean self = other.leader == Thread.currentThread();
        if (self) {
            return answers.inProgress();
        }
        if (left.isNegative() || left.isZero() || !await(other.gate, left)) {
            return other.visible ? answers.inProgress() : answers.withoutWaiting();
        }
        Landed landed = other.landed;
        if (landed == null) {
            return null;
        }
        Answer<R> answer = prepared.sameMeaning(landed.fingerprint())
                ? answers.replayed(landed.result(), landed.first())
                : answers.conflict();
        return answers.told(answer, prepared.id());
    }

    private static boolean await(TimeSource.Gate gate, Duration left) {
        try {
            return gate.await(left);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    static long bounded(Duration patience) {
        return patience.compareTo(Duration.ofDays(1)) > 0 ? Duration.ofDays(1).toNanos() : patience.toNanos();
    }
}
