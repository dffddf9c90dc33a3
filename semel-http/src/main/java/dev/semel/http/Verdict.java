package dev.semel.http;

import dev.semel.Failure;
import dev.semel.policy.RetryAfter;
import dev.semel.time.TimeSource;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a handler's answer leaves in the ledger: the one place that reads statuses. */
record Verdict(Kind kind, Failure failure) {
    private static final Failure NONE = Failure.of(Failure.Category.UNKNOWN, "It did not fail.");
    private static final int DEEPEST = 32;

    /** What becomes of the record. */
    enum Kind {
        /** Done; kept for the retention of successes. */
        KEEP,
        /** Refused, and would be again; kept for the retention of failures. */
        REFUSE,
        /** Leaves no record: another time, or another caller, it may be answered otherwise. */
        DROP,
        /** Not an answer: tried again, or UNKNOWN. */
        FAIL
    }

    static Verdict of(Handling.Asked asked, HeldResponse held, @Nullable Throwable thrown, TimeSource time) {
        if (thrown != null) {
            Failure failure = Failure.of(
                    Failure.Category.UNKNOWN,
                    "The handler of " + asked.match().operation() + " ended with an exception.");
            return new Verdict(Kind.FAIL, failure.withException(thrown));
        }
        int status = held.getStatus();
        if (status == 401 || status == 403 || status == 413 || status == 429) {
            return new Verdict(Kind.DROP, NONE);
        }
        if (status < 400) {
            return new Verdict(Kind.KEEP, NONE);
        }
        if (status < 500) {
            return new Verdict(Kind.REFUSE, NONE);
        }
        Failure failure = Failure.of(
                Failure.Category.UPSTREAM_ERROR,
                "The handler of " + asked.match().operation() + " answered " + status + ".");
        return new Verdict(
                Kind.FAIL,
                RetryAfter.parse(held.getHeader("Retry-After"), Instant.ofEpochMilli(time.millis()))
                        .map(failure::withRetryAfter)
                        .orElse(failure));
    }

    /** Frameworks wrap what their handlers throw. */
    static boolean isVersionMismatch(Throwable thrown) {
        Throwable current = thrown;
        for (int depth = 0; current != null && depth < DEEPEST; depth++) {
            if (current instanceof VersionMismatch) {
                return true;
            }
            current = current.getCause();
        }
        return false;
    }
}
