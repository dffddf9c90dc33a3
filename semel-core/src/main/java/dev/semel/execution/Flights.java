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
public final class Flights {
    private final Map<RecordId, Flight> flights = new ConcurrentHashMap<>();
    private final TimeSource time;

    public Flights(TimeSource time) {
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
    Flight tryLead(Asked<?, ?> asked) {
        Flight mine = new Flight(time.gate(), asked.header().fingerprint());
        return flights.putIfAbsent(asked.identity().lock(), mine) == null ? mine : null;
    }

    void end(Asked<?, ?> asked, Flight flight) {
        flights.remove(asked.identity().lock(), flight);
        flight.gate.open();
    }

    /**
     * Leads, or waits as long as the call's patience for whoever leads.
     *
     * @param leading does the work
     * @param answers turns what a waiter learns into its answer
     */
    <R> Answer<R> fly(Asked<?, R> asked, Function<Flight, Answer<R>> leading, Answers<R> answers) {
        Boarding<R> boarding = board(asked, answers);
        if (boarding instanceof Boarding.Beside<R> beside) {
            return beside.answer();
        }
        Flight mine = ((Boarding.Leading<R>) boarding).flight();
        try {
            return leading.apply(mine);
        } finally {
            end(asked, mine);
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
    <R> Boarding<R> board(Asked<?, R> asked, Answers<R> answers) {
        long until = time.nanos() + bounded(asked.call().patience());
        while (true) {
            Flight mine = tryLead(asked);
            if (mine != null) {
                return new Boarding.Leading<>(mine);
            }
            Flight other = flights.get(asked.identity().lock());
            if (other != null) {
                Answer<R> answer = beside(other, asked, until, answers);
                if (answer != null) {
                    return new Boarding.Beside<>(answer);
                }
            }
        }
    }

    private <R> @Nullable Answer<R> beside(Flight other, Asked<?, R> asked, long until, Answers<R> answers) {
        if (other.visible && !asked.sameMeaning(other.fingerprint)) {
            return answers.told(answers.conflict(), asked.id());
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
        Answer<R> answer = asked.sameMeaning(landed.fingerprint())
                ? answers.replayed(landed.result(), landed.first())
                : answers.conflict();
        return answers.told(answer, asked.id());
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
