package dev.semel.testkit.history;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;

/** One line of a history. A record is named as the run likes, the same everywhere; payloads and results go by their hash. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
    @JsonSubTypes.Type(value = Event.Invoked.class, name = "invoked"),
    @JsonSubTypes.Type(value = Event.Started.class, name = "started"),
    @JsonSubTypes.Type(value = Event.Ended.class, name = "ended"),
    @JsonSubTypes.Type(value = Event.Delivered.class, name = "delivered"),
    @JsonSubTypes.Type(value = Event.Audited.class, name = "audited"),
    @JsonSubTypes.Type(value = Event.Chained.class, name = "chained"),
    @JsonSubTypes.Type(value = Event.Left.class, name = "left")
})
public sealed interface Event {
    Stamp stamp();

    String record();

    /**
     * Who wrote it, and when.
     *
     * @param nanos monotonic, and the same clock for all processes of a run
     */
    record Stamp(String process, long nanos) {}

    /** The grant under which something was done; fence 0 when there was none. */
    record Grant(long fence, int attempt) {
        public static final Grant NONE = new Grant(0, 0);
    }

    /** A place in a lane. */
    record Place(String lane, long number) {}

    /** A call was made. Written before it. */
    record Invoked(
            Stamp stamp, String record, long call, @Nullable String payload) implements Event {}

    /** The handler of a call was entered: its grant is known. */
    record Started(Stamp stamp, String record, long call, Grant grant) implements Event {}

    /** A call came back. Written after it. */
    record Ended(
            Stamp stamp,
            String record,
            long call,
            Ending ending,
            Grant grant,
            @Nullable String result) implements Event {}

    /** Something reached the outside, or was committed as an effect. */
    record Delivered(
            Stamp stamp,
            String record,
            Grant grant,
            @Nullable String payload,
            Reception reception,
            @Nullable Place place)
            implements Event {}

    /** An audit event that was read after the run. */
    record Audited(Stamp stamp, String record, String type, Grant grant) implements Event {}

    /** The chain of the audit was verified after the run. */
    record Chained(Stamp stamp, boolean unbroken, String finding) implements Event {
        @Override
        public String record() {
            return "";
        }
    }

    /**
     * A record as it was left, read after the run.
     *
     * @param state as in {@code dev.semel.store.State}
     * @param held whether it is halted, paused or parked, and so need not have ended
     */
    record Left(
            Stamp stamp,
            String record,
            String state,
            @Nullable String result,
            boolean held) implements Event {}

    /** How a call ended. */
    enum Ending {
        /** This call ran it: the result. */
        EXECUTED,
        /** The stored result of an earlier one. */
        REPLAYED,
        /** Taken in for later. */
        ACCEPTED,
        /** It failed for good, or the stored failure of an earlier one. */
        FAILED,
        /** Not now: in progress, waiting for its next attempt, or of unknown outcome. */
        BUSY,
        /** Another payload under the same key. */
        CONFLICT,
        /** Nothing was granted, because of a mode or a rule. */
        REFUSED,
        /** An operator made it run again. */
        REOPENED,
        /** An operator, or the end of its retention, made the key new again. */
        FORGOTTEN,
        /** It did not take effect. */
        FAIL,
        /** It may or may not have taken effect. */
        UNKNOWN;

        /** Whether the caller got the answer that the record is in the ledger. */
        boolean acknowledges() {
            return this == EXECUTED || this == REPLAYED || this == ACCEPTED || this == FAILED;
        }
    }

    /** The receiver's decision about a delivery. */
    enum Reception {
        /** Took effect. */
        APPLIED,
        /** Recognised by its key as delivered before. */
        REPEATED,
        /** Came under a fence lower than one already seen. */
        REFUSED
    }
}
