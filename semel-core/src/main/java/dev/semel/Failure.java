package dev.semel;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Why a run did not succeed, as it is stored, replayed and shown. Its texts come from anywhere, so they are made harmless
 * rather than refused: a failure can always be recorded.
 *
 * @param category what kind of failure it is; policies, metrics and dead letters group by it
 * @param reason one sentence a user can read: a single line of at most 300 characters without control characters; what is
 *     longer is cut; the category's code when there is none
 * @param exception class name of the exception, if there was one
 * @param retryAfter how long the other side asked to wait at least; a negative one counts as zero
 */
public record Failure(
        Category category,
        String reason,
        @Nullable String exception,
        @Nullable Duration retryAfter) {

    /** The longest reason in characters. */
    public static final int MAX_REASON = 300;

    public Failure {
        reason = Text.oneLine(reason, MAX_REASON);
        if (reason.isEmpty()) {
            reason = category.code();
        }
        if (exception != null) {
            exception = Text.oneLine(exception, 255);
        }
        if (retryAfter != null && retryAfter.isNegative()) {
            retryAfter = Duration.ZERO;
        }
    }

    /** @param reason a sentence for people, made one bounded line; it is stored, shown and logged */
    public static Failure of(Category category, String reason) {
        return new Failure(category, reason, null, null);
    }

    /** Remembers the class of what was thrown; its message is not kept, as it may hold data. */
    public Failure withException(Throwable thrown) {
        return new Failure(category, reason, thrown.getClass().getName(), retryAfter);
    }

    /** The next attempt is not made before this has passed. */
    public Failure withRetryAfter(Duration value) {
        return new Failure(category, reason, exception, value);
    }

    /** The exception that a handler throws to classify its failure. */
    public Thrown asException() {
        return new Thrown(this, null);
    }

    /** The kind of failure; the codes are public and stable. */
    public enum Category {
        NETWORK(true, false, true),
        TIMEOUT(true, false, true),
        RATE_LIMITED(true, false, false),
        UPSTREAM_ERROR(true, false, true),
        AUTH(false, true, false),
        VALIDATION(false, true, false),
        MAPPING(false, true, false),
        CONFLICT(false, false, false),
        NOT_FOUND(false, true, false),
        BUSINESS_RULE(false, true, false),
        DISABLED(false, false, false),
        RENDER(true, false, false),
        INVALID_OUTPUT(false, false, false),
        LEASE_LOST(true, false, true),
        BUG(false, false, true),
        UNKNOWN(true, false, true);

        private final boolean retried;
        private final boolean stored;
        private final boolean indeterminate;

        Category(boolean retried, boolean stored, boolean indeterminate) {
            this.retried = retried;
            this.stored = stored;
            this.indeterminate = indeterminate;
        }

        /** Whether trying again may help, unless the policy says otherwise. */
        public boolean retried() {
            return retried;
        }

        /** Whether it would be the same again, so that it is stored and replayed as the answer. */
        public boolean stored() {
            return stored;
        }

        /** Whether the outside world may have acted although the run failed. */
        public boolean indeterminate() {
            return indeterminate;
        }

        /** The public code: {@code rate_limited}. */
        public String code() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The category of a public code. */
        public static Optional<Category> ofCode(String code) {
            return Arrays.stream(values()).filter(c -> c.code().equals(code)).findFirst();
        }
    }

    /** Thrown by a handler that knows what went wrong; classified by what it says, not by its class. */
    public static final class Thrown extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient Failure failure;

        public Thrown(Failure failure, @Nullable Throwable cause) {
            super(failure.category().code() + ": " + failure.reason(), cause);
            this.failure = failure;
        }

        /** The handler's description of the failure. */
        public Failure failure() {
            return failure;
        }
    }
}
