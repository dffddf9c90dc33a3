package dev.semel.http;

import dev.semel.Channel;
import dev.semel.SemelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rule of a route. Immutable; starts from {@link #required}, {@link #optional} or {@link #off}.
 *
 * @param keyRule whether a key is needed, and whether that is enforced
 * @param level the guarantee
 * @param policy the name of a policy: retention, lease, attempt timeout, pauses
 * @param limits the limits of bodies
 * @param patience how long a duplicate waits for the first request before it gets "in progress"
 * @param controls what stops the route for a while
 */
public record Rule(KeyRule keyRule, Level level, String policy, Limits limits, Duration patience, Controls controls) {
    /**
     * The rule for keys.
     *
     * @param logOnly whether every request passes untouched, and the filter only logs and counts what it would have done
     */
    public record KeyRule(KeyUse use, boolean logOnly) {}

    /**
     * What stops a route for a while.
     *
     * @param breaker the circuit breaker that pauses the route when its handler keeps failing
     * @param labels the groups it belongs to, each 1 to 120 characters without control characters: the mode of a group applies to it
     */
    public record Controls(Channel.Breaker breaker, Set<String> labels) {
        /** No breaker and no labels. */
        public static final Controls NONE = new Controls(Channel.Breaker.NONE, Set.of());

        public Controls {
            labels = Set.copyOf(labels);
        }
    }

    /** Whether a request needs a key. */
    public enum KeyUse {
        /** A request without a key is rejected. */
        REQUIRED,
        /** A request without a key passes untouched. */
        OPTIONAL,
        /** Every request passes untouched. */
        OFF
    }

    /**
     * @param requestBytes largest request body, also after decompression; a larger one gets 413
     * @param responseBytes largest response body that is stored for replays; a larger one is sent once and not stored
     * @param heldBytes largest response body that is held until its record is finished; a larger one is not sent, and its
     *     request is recorded as done without a body
     * @param holdsStreams whether a streaming response (server-sent events, NDJSON) is held like any other; otherwise its
     *     handler fails
     * @param forms the limits of form fields
     */
    public record Limits(long requestBytes, int responseBytes, long heldBytes, boolean holdsStreams, Forms forms) {
        /** 10 MiB, 256 KiB, 64 MiB, no held streams, and the form limits of containers. */
        public static final Limits DEFAULT = new Limits(10L << 20, 256 << 10, 64L << 20, false, Forms.DEFAULT);
    }

    /**
     * Limits of forms, as containers have them: a field needs many times its bytes in memory. A larger form gets 413.
     *
     * @param bytes largest body of a form
     * @param fields largest number of fields
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
        controls.labels.forEach(label -> checkLabel(label, faults));
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("rule", faults);
        }
    }

    /** A rule without labels. */
    public Rule(
            KeyRule keyRule, Level level, String policy, Limits limits, Duration patience, Channel.Breaker breaker) {
        this(keyRule, level, policy, limits, patience, new Controls(breaker, Set.of()));
    }

    private static void checkLabel(String label, List<String> faults) {
        try {
            SemelException.Invalid.unlessName("label", label, 120);
        } catch (SemelException.Invalid e) {
            faults.add(String.valueOf(e.getMessage()));
        }
    }

    /** At the level {@link Level#PLAIN}, which needs no change in the handler, under the policy {@code api.request}. */
    public static Rule required() {
        return new Rule(
                new KeyRule(KeyUse.REQUIRED, false),
                Level.PLAIN,
                "api.request",
                Limits.DEFAULT,
                Duration.ZERO,
                Controls.NONE);
    }

    /** As {@link #required}, but a request without a key passes untouched. */
    public static Rule optional() {
        return required().withKey(KeyUse.OPTIONAL);
    }

    /** Every request passes untouched. */
    public static Rule off() {
        return required().withKey(KeyUse.OFF);
    }

    /** Whether a request needs a key. */
    public KeyUse key() {
        return keyRule.use;
    }

    /** Whether requests are only logged and run as without the filter. */
    public boolean isLogOnly() {
        return keyRule.logOnly;
    }

    /** Whether a request needs a key. */
    public Rule withKey(KeyUse value) {
        return with(new KeyRule(value, keyRule.logOnly));
    }

    /**
     * For a first roll-out: every request passes untouched, and the filter only logs and counts what it would have done. It records
     * requests with a key, so that it recognizes their retries, but nothing that it records counts once the rule is enforced.
     */
    public Rule withLogOnly(boolean value) {
        return with(new KeyRule(keyRule.use, value));
    }

    private Rule with(KeyRule value) {
        return new Rule(value, level, policy, limits, patience, controls);
    }

    /** The guarantee of the route. */
    public Rule withLevel(Level value) {
        return new Rule(keyRule, value, policy, limits, patience, controls);
    }

    /** The policy by its name: retention, lease, attempt time-out, pauses. */
    public Rule withPolicy(String value) {
        return new Rule(keyRule, level, value, limits, patience, controls);
    }

    /** The largest request body; a larger one gets 413. */
    public Rule withLargestRequest(long bytes) {
        return with(new Limits(bytes, limits.responseBytes, limits.heldBytes, limits.holdsStreams, limits.forms));
    }

    /** Raises the largest held response to this if it is less. */
    public Rule withLargestKeptResponse(int bytes) {
        return with(new Limits(
                limits.requestBytes, bytes, Math.max(bytes, limits.heldBytes), limits.holdsStreams, limits.forms));
    }

    /** The largest response that is held until its record is finished. */
    public Rule withLargestHeldResponse(long bytes) {
        return with(new Limits(limits.requestBytes, limits.responseBytes, bytes, limits.holdsStreams, limits.forms));
    }

    /** For streaming handlers whose clients can wait for the end of the stream. */
    public Rule withHeldStreams() {
        return withHeldStreams(true);
    }

    /** As {@link #withHeldStreams()}, or back to a handler that fails when it streams. */
    public Rule withHeldStreams(boolean value) {
        return with(new Limits(limits.requestBytes, limits.responseBytes, limits.heldBytes, value, limits.forms));
    }

    /** The limits of form fields. */
    public Rule withForms(Forms value) {
        return with(
                new Limits(limits.requestBytes, limits.responseBytes, limits.heldBytes, limits.holdsStreams, value));
    }

    private Rule with(Limits value) {
        return new Rule(keyRule, level, policy, value, patience, controls);
    }

    /** How long a duplicate waits for the first request before it is told "in progress". */
    public Rule withPatience(Duration value) {
        return new Rule(keyRule, level, policy, limits, value, controls);
    }

    /** The circuit breaker that pauses the route when its handler keeps failing. */
    public Channel.Breaker breaker() {
        return controls.breaker;
    }

    /** Pauses the route while its handler keeps failing. */
    public Rule withBreaker(Channel.Breaker value) {
        return with(new Controls(value, controls.labels));
    }

    /** The groups it belongs to. */
    public Set<String> labels() {
        return controls.labels;
    }

    /**
     * Makes the route part of a group, beside the groups that it belongs to: modes can be set for all operations, channels and routes
     * with one label. No part of an identity.
     *
     * @param label 1 to 120 characters without control characters
     */
    public Rule withLabel(String label) {
        Set<String> more = new HashSet<>(controls.labels);
        more.add(label);
        return with(new Controls(controls.breaker, more));
    }

    private Rule with(Controls value) {
        return new Rule(keyRule, level, policy, limits, patience, value);
    }
}
