package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.SemelException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A leased handler, or a step of it, has returned a result that cannot be stored: it is over the limit, has no JSON
 * form, or the store rejects it.
 *
 * <p><b>Why the record is UNKNOWN then.</b> Effects outside are not rolled back. So this is no failure: a failure is
 * forgotten after its retention, and its key is run a second time; dead letters are run again in bulk. Nor is the
 * record COMPLETED: a replay would return null as the result. UNKNOWN does not expire, is not repeated automatically, not
 * even where it may be, since it would end in the same way; and a reconciler or a person can say what the result was.
 */
final class ResultNotKept extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(ResultNotKept.class);

    private ResultNotKept(String message, Throwable why) {
        super(message, why);
    }

    static ResultNotKept of(PreparedCall<?, ?> prepared, Throwable why) {
        return of(prepared, "It", why);
    }

    static ResultNotKept ofStep(PreparedCall<?, ?> prepared, String name, Throwable why) {
        return of(prepared, "Its step \"" + name + "\"", why);
    }

    private static ResultNotKept of(PreparedCall<?, ?> prepared, String what, Throwable why) {
        // What others throw may quote the result.
        String said = why instanceof SemelException
                ? String.valueOf(why.getMessage())
                : why.getClass().getName();
        LOG.warn(
                "{} (correlation {}): {} ran, but its result cannot be stored; the record is UNKNOWN",
                prepared.name(),
                prepared.header().correlationId(),
                what,
                why);
        return new ResultNotKept(what + " ran, but its result cannot be stored: " + said, why);
    }

    Failure failure() {
        Failure failure = Failure.of(Failure.Category.INVALID_OUTPUT, String.valueOf(getMessage()));
        return getCause() == null ? failure : failure.withException(getCause());
    }
}
