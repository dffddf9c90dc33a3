package dev.semel.http;

import dev.semel.Failure;
import dev.semel.policy.RetryAfter;
import dev.semel.time.TimeSource;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a handler's answer leaves in the ledger: the one place that reads statuses. */
record ResponseMeaning(Kind kind, Failure failure) {
    private static final Failure NONE = Failure.of(Failure.Category.UNKNOWN, "No failure.");

    /** An answer that leaves no record. */
    static final ResponseMeaning DROPPED = new ResponseMeaning(Kind.DROP, NONE);

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

    static ResponseMeaning of(Handling.Asked asked, HeldResponse held, @Nullable Thrown thrown, TimeSource time) {
        if (thrown != null) {
            return thrown.meaning() == Hooks.Exceptions.Meaning.REFUSAL
                    ? DROPPED
                    : new ResponseMeaning(
                            Kind.FAIL, thrown.failure(asked.match().operation()));
        }
        int status = held.getStatus();
        if (status == 401 || status == 403 || status == 413 || status == 429) {
            return DROPPED;
        }
        if (status < 400) {
            return new ResponseMeaning(Kind.KEEP, NONE);
        }
        if (status < 500) {
            return new ResponseMeaning(Kind.REFUSE, NONE);
        }
        Failure failure = Thrown.failure(asked.request(), asked.match().operation(), status);
        return new ResponseMeaning(
                Kind.FAIL,
                RetryAfter.parse(held.getHeader("Retry-After"), Instant.ofEpochMilli(time.millis()))
                        .map(failure::withRetryAfter)
                        .orElse(failure));
    }
}
