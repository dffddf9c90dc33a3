package dev.semel.watch;

import dev.semel.Answer;
import dev.semel.Sent;
import java.util.Locale;

/** The outcome of a call, a send or a delivery, in one word. The codes are public and stable. */
public enum Outcome {
    EXECUTED,
    REPLAYED,
    SHADOWED,
    REJECTED,
    CONFLICT,
    FAILED,
    UNKNOWN,
    IN_PROGRESS,
    RETRY_LATER,
    HALTED,
    /** A message that was stored. */
    ACCEPTED,
    /** A message that was there already. */
    DUPLICATE,
    /** A delivery that gave its attempt back: switched off, or refused for its credentials. */
    HANDED_BACK,
    /** A delivery whose record was granted to another meanwhile; nothing of it was recorded. */
    LOST,
    /** No answer: an exception, such as for a store that is away. */
    ERROR;

    private final String code = name().toLowerCase(Locale.ROOT);

    /** As it stands in metrics, traces and logs: the name in lower case. */
    public String code() {
        return code;
    }

    /** The outcome that an answer tells of. */
    public static Outcome of(Answer<?> answer) {
        if (answer instanceof Answer.Executed) {
            return EXECUTED;
        } else if (answer instanceof Answer.Replayed) {
            return REPLAYED;
        } else if (answer instanceof Answer.Shadowed) {
            return SHADOWED;
        } else if (answer instanceof Answer.Rejected) {
            return REJECTED;
        } else if (answer instanceof Answer.Conflict) {
            return CONFLICT;
        } else if (answer instanceof Answer.Failed) {
            return FAILED;
        } else if (answer instanceof Answer.Unknown) {
            return UNKNOWN;
        } else if (answer instanceof Answer.InProgress) {
            return IN_PROGRESS;
        } else if (answer instanceof Answer.RetryLater) {
            return RETRY_LATER;
        } else {
            return HALTED;
        }
    }

    /** The outcome of a send: ACCEPTED, DUPLICATE, CONFLICT or REJECTED. */
    public static Outcome of(Sent sent) {
        return sent.fold(accepted -> accepted.first() ? ACCEPTED : DUPLICATE, conflict -> CONFLICT, bad -> REJECTED);
    }
}
