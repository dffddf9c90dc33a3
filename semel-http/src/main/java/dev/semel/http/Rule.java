package dev.semel.http;

import dev.semel.Channel;
import dev.semel.SemelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How the requests of a route are treated. Immutable; starts from {@link #required}, {@link #optional} or {@link #off}.
 *
 * @param key whether a key is needed
 * @param level what is promised
 * @param policy a name of the catalogue or of the configuration: retention, lease, attempt time-out, pauses
 * @param limits of bodies
 * @param patience how long a duplicate waits for the first before it is told "in progress"
 * @param breaker when the route is paused because its handler keeps failing
 */
public record Rule(KeyUse key, Level level, String policy, Limits limits, Duration patience, Channel.Breaker breaker) {
    /** Whether a request needs a key. */
    public enum KeyUse {
        /** Without one it is refused. */
        REQUIRED,
        /** Without one it passes untouched. */
        OPTIONAL,
        /** Passes untouched, key or not. */
        OFF
    }

    /**
     * @param requestBytes largest request body, also once it is unpacked; beyond it 413
     * @param responseBytes largest response body that is kept for replays; a larger one is sent once and not kept
     * @param heldBytes largest response body that is held until its record is finished; a larger one is not sent, and its
     *     request is recorded as done without a body
     * @param holdsStreams whether a response that is to be read while it is written (server-sent events, NDJSON) is held like
     *     any other; otherwise its handler fails
     * @param forms of the fields in a body
     */
    public record Limits(long requestBytes, int responseBytes, long heldBytes, boolean holdsStreams, Forms forms) {
        /** 10 MiB, 256 KiB, 64 MiB, without streams, and forms as containers take them. */
        public static final Limits DEFAULT = new Limits(10L << 20, 256 << 10, 64L << 20, false, Forms.DEFAULT);
    }

    /**
     * As containers have such limits: each field takes many times its bytes in memory. Beyond them 413.
     *
     * @param bytes largest body of a form
     * @param fields how many it may have
     */
    public record Forms(long bytes, int fields) {
        /** 2 MiB and 1,000 fields. */
        public static final Forms DEFAULT = new Forms(2L << 20, 1000);
    }

    public Rule {
        List<String> faults = new ArrayList<>();
        if (limits.requestBytes < 1) {
            faults.add("a largest request body of " + limits.requestBytes + " bytes: use 1 or more");
        }
        if (limits.responseBytes < 0) {
            faults.add("a largest kept response of " + limits.responseBytes + " bytes: use 0 or more");
        }
        if (limits.heldBytes < limits.responseBytes) {
            faults.add("a largest held response of " + limits.heldBytes + " bytes, less than the largest kept one of "
                    + limits.responseBytes + ": use as much or more");
        }
        if (limits.forms.bytes < 1 || limits.forms.fields < 1) {
            faults.add("forms of " + limits.forms.bytes + " bytes and " + limits.forms.fields
                    + " fields: use 1 or more of each");
        }
        if (patience.isNegative()) {
            faults.add("a patience of " + patience + ": use zero or more");
        }
        if (policy.isBlank()) {
            faults.add("no policy: name one of the catalogue, such as api.request");
        }
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("rule", faults);
        }
    }

    /** At the level {@link Level#PLAIN}, which needs nothing of the handler, under the policy {@code api.request}. */
    public static Rule required() {
        return new Rule(
                KeyUse.REQUIRED, Level.PLAIN, "api.request", Limits.DEFAULT, Duration.ZERO, Channel.Breaker.NONE);
    }

    public static Rule optional() {
        return required().withKey(KeyUse.OPTIONAL);
    }

    public static Rule off() {
        return required().withKey(KeyUse.OFF);
    }

    public Rule withKey(KeyUse value) {
        return new Rule(value, level, policy, limits, patience, breaker);
    }

    public Rule withLevel(Level value) {
        return new Rule(key, value, policy, limits, patience, breaker);
    }

    public Rule withPolicy(String value) {
        return new Rule(key, level, value, limits, patience, breaker);
    }

    public Rule withLargestRequest(long bytes) {
        return with(new Limits(bytes, limits.responseBytes, limits.heldBytes, limits.holdsStreams, limits.forms));
    }

    /** Raises the largest held response to this if it is less. */
    public Rule withLargestKeptResponse(int bytes) {
        return with(new Limits(
                limits.requestBytes, bytes, Math.max(bytes, limits.heldBytes), limits.holdsStreams, limits.forms));
    }

    public Rule withLargestHeldResponse(long bytes) {
        return with(new Limits(limits.requestBytes, limits.responseBytes, bytes, limits.holdsStreams, limits.forms));
    }

    /** For handlers that answer with a stream whose client can wait for its end. */
    public Rule withHeldStreams() {
        return with(new Limits(limits.requestBytes, limits.responseBytes, limits.heldBytes, true, limits.forms));
    }

    public Rule withForms(Forms value) {
        return with(
                new Limits(limits.requestBytes, limits.responseBytes, limits.heldBytes, limits.holdsStreams, value));
    }

    private Rule with(Limits value) {
        return new Rule(key, level, policy, value, patience, breaker);
    }

    public Rule withPatience(Duration value) {
        return new Rule(key, level, policy, limits, value, breaker);
    }

    public Rule withBreaker(Channel.Breaker value) {
        return new Rule(key, level, policy, limits, patience, value);
    }
}
