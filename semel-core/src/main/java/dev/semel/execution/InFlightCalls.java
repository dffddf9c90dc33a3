package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.key.PayloadVersions.StoredPayload;
import dev.semel.key.RecordId;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The calls that run in this process, by the record that they lock. The first one leads; a duplicate waits here, in
 * memory and without a connection, and gets the leader's result when there is one.
 */
public final class InFlightCalls {
    private final Map<RecordId, Leader> leaders = new ConcurrentHashMap<>();
    private final TimeSource time;

    public InFlightCalls(TimeSource time) {
        this.time = time;
    }

    /** The one call of its record that runs in this process. */
    static final class Leader {
        private final RecordId lock;
        private final TimeSource.Gate gate;
        private final Thread thread = Thread.currentThread();
        private final StoredPayload payload;
        private volatile boolean visible;
        private volatile @Nullable CommittedResult result;

        Leader(RecordId lock, TimeSource.Gate gate, StoredPayload payload) {
            this.lock = lock;
            this.gate = gate;
            this.payload = payload;
        }

        /** The record is committed, so another payload is a conflict from now on. */
        void becameVisible() {
            visible = true;
        }

        void committed(CommittedResult value) {
            result = value;
        }
    }

    /** How a call was admitted. */
    sealed interface Admission<R> {
        /** It leads, and must be given to {@link #end}. */
        record Leads<R>(Leader leader) implements Admission<R> {}

        /** It waited for the leader, or would not wait. */
        record NotAdmitted<R>(Answer<R> answer) implements Admission<R> {}
    }

    /** Leads, or waits for the leader as long as the call's patience lasts. */
    <R> Admission<R> admit(PreparedCall<?, R> prepared, Answers<R> answers) {
        long until = time.nanos() + bounded(prepared.call().patience());
        while (true) {
            Leader mine = tryLead(prepared);
            if (mine != null) {
                return new Admission.Leads<>(mine);
            }
            Leader other = leaders.get(prepared.identity().lock());
            Answer<R> answer = other == null ? null : behind(other, prepared, until, answers);
            if (answer != null) {
                return new Admission.NotAdmitted<>(answer);
            }
        }
    }

    /** Leads without waiting; nothing when another call leads. */
    @Nullable
    Leader tryLead(PreparedCall<?, ?> prepared) {
        RecordId lock = prepared.identity().lock();
        Leader mine = new Leader(lock, time.gate(), prepared.stored());
        return leaders.putIfAbsent(lock, mine) == null ? mine : null;
    }

    /** Releases waiting duplicates. May be repeated. */
    void end(Leader leader) {
        leaders.remove(leader.lock, leader);
        leader.gate.open();
    }

    /** The answer to a duplicate; nothing when the leader left no result, so that the duplicate tries to lead. */
    private <R> @Nullable Answer<R> behind(Leader other, PreparedCall<?, R> prepared, long until, Answers<R> answers) {
        if (other.visible && !prepared.sameMeaning(other.payload)) {
            return answers.audited(answers.conflict(), prepared.id());
        }
        if (other.thread == Thread.currentThread()) {
            return answers.inProgress();
        }
        Duration left = Duration.ofNanos(until - time.nanos());
        if (left.isNegative() || left.isZero() || !await(other.gate, left)) {
            return other.visible ? answers.inProgress() : answers.withoutWaiting();
        }
        CommittedResult result = other.result;
        if (result == null) {
            return null;
        }
        Answer<R> answer = prepared.sameMeaning(result.payload())
                ? answers.replayed(result.result(), result.first())
                : answers.conflict();
        return answers.audited(answer, prepared.id());
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
