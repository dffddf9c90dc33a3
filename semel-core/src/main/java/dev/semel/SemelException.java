package dev.semel;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Everything that Semel itself throws. Each condition has its own class, and each message says what to do next. */
public abstract class SemelException extends RuntimeException {
    private static final long serialVersionUID = 1;

    protected SemelException(String message) {
        super(message);
    }

    protected SemelException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** The caller gave something that cannot be: a key of no or too many characters, a payload that is not JSON. */
    public static class Invalid extends SemelException {
        private static final long serialVersionUID = 1;

        public Invalid(String message) {
            super(message);
        }

        public Invalid(String message, Throwable cause) {
            super(message, cause);
        }

        /**
         * Refuses what no store can keep alike as a name: 1 to so many characters, no control characters, no half of a surrogate
         * pair.
         *
         * @param what the field, for the message
         */
        public static void unlessName(String what, String value, int max) {
            Text.checkName(what, value, max);
        }

        /** As {@link #unlessName}, for a sentence: of control characters only NUL is refused. */
        public static void unlessText(String what, String value, int max) {
            Text.checkStored(what, value, max);
        }
    }

    /**
     * The store refuses to keep what a call would write, because of the data itself: a character that it cannot encode, a value
     * over one of its limits, a constraint that was added to its tables. Nothing was written for this record. The same call is
     * refused again; calls about other records are not affected.
     */
    public static final class DataRefused extends Invalid {
        private static final long serialVersionUID = 1;

        public DataRefused(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The settings contradict each other or the store. The operator's to mend; all faults are named at once. */
    public static class Misconfigured extends SemelException {
        private static final long serialVersionUID = 1;
        private final List<String> faults;

        public Misconfigured(String what, List<String> faults) {
            super(what + ": " + String.join("; ", faults) + ".");
            this.faults = List.copyOf(faults);
        }

        /** Each fault by itself, in words. */
        public List<String> faults() {
            return faults;
        }
    }

    /** The store cannot be reached, or refuses to serve. Nothing was run on its behalf; the same call may be repeated. */
    public static class StoreUnavailable extends SemelException {
        private static final long serialVersionUID = 1;

        public StoreUnavailable(String message) {
            super(message);
        }

        public StoreUnavailable(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Another transaction holds a lock on the record and did not end in time: its owner may be paused. Nothing was written
     * on behalf of this call; the same call may be repeated.
     */
    public static final class Locked extends StoreUnavailable {
        private static final long serialVersionUID = 1;

        public Locked(String message) {
            super(message);
        }

        public Locked(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** A commit was sent and its outcome is not known yet. Repeat the same call: it finds the outcome. */
    public static final class OutcomeUnknown extends SemelException {
        private static final long serialVersionUID = 1;

        public OutcomeUnknown(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** This run's record was granted to another run. Its open transaction was rolled back. */
    public static final class LeaseLost extends SemelException {
        private static final long serialVersionUID = 1;
        private final long fence;

        public LeaseLost(String message, long fence) {
            super(message);
            this.fence = fence;
        }

        /** The fence that was refused. */
        public long fence() {
            return fence;
        }
    }

    /** The caller's own transaction ran into a duplicate at its isolation level: roll it back and run it again. */
    public static final class TransactionMustBeRetried extends SemelException {
        private static final long serialVersionUID = 1;

        public TransactionMustBeRetried(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * A handler has ended the transaction in which Semel ran it, past the guard of its connection, or its connection
     * was lost and may have been ended that way. The writes up to then may be committed without their record: check
     * them before you repeat the call.
     */
    public static final class TransactionEnded extends SemelException {
        private static final long serialVersionUID = 1;

        public TransactionEnded(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * {@link Semel#retry} has given up: its policy leaves no other attempt, another one would not help, or the thread was interrupted.
     * The cause is the exception of the last attempt. Thrown on by a handler, it is classified by the failure it carries.
     */
    public static final class RetryFailed extends SemelException {
        private static final long serialVersionUID = 1;
        private final transient Failure failure;
        private final int attempts;

        public RetryFailed(String message, Failure failure, int attempts, @Nullable Throwable cause) {
            super(message, cause);
            this.failure = Objects.requireNonNull(failure);
            this.attempts = attempts;
        }

        /** Of the last attempt. */
        public Failure failure() {
            return failure;
        }

        /** How many were made; 0 when its deadline had passed before the first. */
        public int attempts() {
            return attempts;
        }
    }

    /** {@link Answer#orThrow} on an answer that is not a result. */
    public static final class NoResult extends SemelException {
        private static final long serialVersionUID = 1;
        private final transient Answer<?> answer;

        public NoResult(Answer<?> answer, String message) {
            super(message);
            this.answer = Objects.requireNonNull(answer);
        }

        /** The call's answer. */
        public Answer<?> answer() {
            return answer;
        }
    }

    /** {@link Sent#orThrow} on a message that was not accepted; also thrown by a send inside a transaction. */
    public static final class NotSent extends SemelException {
        private static final long serialVersionUID = 1;
        private final transient Sent sent;

        public NotSent(Sent sent, Answer.Notice notice) {
            super(sent.getClass().getSimpleName() + ": " + notice.reason() + " (correlation " + notice.correlationId()
                    + ")");
            this.sent = Objects.requireNonNull(sent);
        }

        /** The sender's answer. */
        public Sent sent() {
            return sent;
        }
    }
}
