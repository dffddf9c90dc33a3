package dev.semel.watch;

import dev.semel.Answer;
import dev.semel.key.RecordId;
import dev.semel.time.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One call, or one run of a delivery, from its beginning to its outcome: gathers what becomes known on the way, and tells the
 * watch and the log. Used by one thread at a time. While nobody watches all calls share one that gathers nothing.
 */
public final class Span {
    public static final Span NONE = new Span(Watch.NONE, null, "", "");

    private final Watch watch;
    private final @Nullable TimeSource time;
    private final String operation;
    private final String tenant;
    private final long began;
    private final Watch.Trace trace;
    private @Nullable RecordId record;
    private String correlationId = "none";
    private int attempt;
    private long attemptBegan;
    private long attemptNanos;
    private long fence;
    private long keptMillis = -1;
    private long nanos;
    private @Nullable Outcome outcome;

    private Span(Watch watch, @Nullable TimeSource time, String operation, String tenant) {
        this.watch = watch;
        this.time = time;
        this.operation = operation;
        this.tenant = tenant;
        this.began = time == null ? 0 : time.nanos();
        this.trace = watch.begins(this);
    }

    /** Begins now; {@link #NONE} while neither the watch nor the log wants to know. */
    public static Span begin(Watch watch, TimeSource time, String operation, String tenant) {
        return watch == Watch.NONE && !CallLog.isOn() ? NONE : new Span(watch, time, operation, tenant);
    }

    /** The record it is about. */
    public void about(RecordId id, String correlation) {
        if (this != NONE) {
            record = id;
            correlationId = correlation;
        }
    }

    /** The grant it runs under, or that left what it found. */
    public void under(long grant) {
        if (this != NONE) {
            fence = grant;
        }
    }

    /** How long what it leaves, or found, is kept from now on. */
    public void kept(long millis) {
        if (this != NONE) {
            keptMillis = millis;
        }
    }

    /** Its handler begins, for the first time or again. */
    public void enter(int number) {
        if (this != NONE) {
            boolean first = attempt == 0;
            attempt = number;
            attemptBegan = time == null ? 0 : time.nanos();
            attemptNanos = 0;
            if (first && record != null) {
                CallLog.missed(this);
            }
            trace.enter();
        }
    }

    /** Its handler has ended. */
    public void leave() {
        if (time != null) {
            attemptNanos = time.nanos() - attemptBegan;
        }
        trace.leave();
    }

    /** Ends with an answer, which is returned as it is. Only the first end counts. */
    public <R> Answer<R> ended(Answer<R> answer) {
        if (this != NONE) {
            ended(Outcome.of(answer));
        }
        return answer;
    }

    /** Only the first end counts. */
    public void ended(Outcome with) {
        end(with, null);
    }

    /** There is no answer, but an exception for the caller. */
    public void broke(Throwable thrown) {
        end(Outcome.ERROR, thrown);
    }

    private void end(Outcome with, @Nullable Throwable thrown) {
        if (time == null || outcome != null) {
            return;
        }
        outcome = with;
        nanos = time.nanos() - began;
        trace.ended(this, thrown);
        watch.ended(this);
        CallLog.ended(this);
    }

    /** The name of the operation or channel. */
    public String operation() {
        return operation;
    }

    /** The name of the tenant. */
    public String tenant() {
        return tenant;
    }

    /** The beginning of the record's id, which is a hash of tenant, operation and key; absent for a call that was rejected. */
    public @Nullable String keyHash() {
        return record == null ? null : record.prefix();
    }

    /** By which the request is found in logs and traces; "none" until it is known. */
    public String correlationId() {
        return correlationId;
    }

    /** Of the newest run of the handler; 0 when this call did not run it. */
    public int attempt() {
        return attempt;
    }

    /** How long the newest run of the handler took; 0 until one has ended. */
    public long attemptNanos() {
        return attemptNanos;
    }

    /** 0 when it is not known: a direct atomic call draws its fence in its transaction. */
    public long fence() {
        return fence;
    }

    /** How long what it left, or found, is kept; absent when there is nothing or it is not known. */
    public @Nullable Duration kept() {
        return keptMillis < 0 || outcome != Outcome.EXECUTED && outcome != Outcome.REPLAYED
                ? null
                : Duration.ofMillis(keptMillis);
    }

    /** Whether it got a stored result. */
    public boolean hit() {
        return outcome == Outcome.REPLAYED;
    }

    /** Whether there was no result and the handler had to run. Work without a key misses nothing. */
    public boolean missed() {
        return record != null && attempt > 0 && !hit();
    }

    /** Absent until it has ended. */
    public @Nullable Outcome outcome() {
        return outcome;
    }

    /** How long it took; 0 until it has ended. */
    public long nanos() {
        return nanos;
    }
}
