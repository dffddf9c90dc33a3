package dev.semel.http;

import dev.semel.Failure;
import dev.semel.policy.RetryAfter;
import dev.semel.time.TimeSource;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The meaning of a handler's response for the ledger: the only place that interprets statuses. */
record ResponseMeaning(Kind kind, Failure failure) {
    private static final Failure NONE = Failure.of(Failure.Category.UNKNOWN, "No failure.");

    /** A response that leaves no record. */
    static final ResponseMeaning DROPPED = new ResponseMeaning(Kind.DROP, NONE);

    /** The effect on the record. */
    enum Kind {
        /** Done; stored for the retention of successes. */
        KEEP,
        /** Rejected permanently; stored for the retention of failures. */
        REFUSE,
        /** Leaves no record: a retry, or another caller, may get another response. */
        DROP,
        /** Failed: retried, or UNKNOWN. */
        FAIL
    }

    static ResponseMeaning of(
            IncomingRequest incoming, HeldResponse held, @Nullable ClassifiedException thrown, TimeSource time) {
        if (thrown != null) {
            return thrown.meaning() == Hooks.Exceptions.Meaning.REFUSAL
                    ? DROPPED
                    : new ResponseMeaning(
                            Kind.FAIL, thrown.failure(incoming.match().operation()));
        }
        int status = held.getStatus();
        Kind kind = kind(status);
        if (kind != Kind.FAIL) {
            return new ResponseMeaning(kind, NONE);
        }
        Failure failure =
                ClassifiedException.failure(incoming.request(), incoming.match().operation(), status);
        return new ResponseMeaning(
                Kind.FAIL,
                RetryAfter.parse(held.getHeader("Retry-After"), Instant.ofEpochMilli(time.millis()))
                        .map(failure::withRetryAfter)
                        .orElse(failure));
    }

    static Kind kind(int status) {
        if (status == 401 || status == 403 || status == 413 || status == 429) {
            return Kind.DROP;
        }
        return status < 400 ? Kind.KEEP : status < 500 ? Kind.REFUSE : Kind.FAIL;
    }
}
