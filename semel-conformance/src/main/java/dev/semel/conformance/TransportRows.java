package dev.semel.conformance;

import dev.semel.SemelException;
import dev.semel.conformance.AbortedRequest.AbortPoint;
import dev.semel.conformance.Row.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Rows about bodies, ids and rejections. */
final class TransportRows {
    private static final Pattern HASH = Pattern.compile("[0-9a-fA-F]{64}");
    private static final Pattern STACK = Pattern.compile("\\bat [\\w.$]+\\(|Exception\\b");

    private static final int TRIES = 5;

    private static final Outcome OVERTAKEN =
            Outcome.notObserved("the service ran no request whose client had closed" + " its connection");

    private TransportRows() {}

    static List<Row> all() {
        return List.of(
                new Row(
                        "body.too_large",
                        "A body over the limit is rejected with 413 " + ExpectedProblem.TOO_LARGE.code()
                                + ", and the key stays free",
                        TransportRows::tooLarge),
                new Row(
                        "body.short",
                        "A request whose body ends early does not run, and the key stays free",
                        TransportRows::endsEarly),
                new Row(
                        "client.gone",
                        "A client that closed its connection before the response gets that response when it retries",
                        TransportRows::gone),
                new Row(
                        "ids.returned",
                        "X-Request-ID and X-Correlation-ID are returned; a replay has the X-Request-ID of its own"
                                + " request",
                        TransportRows::ids),
                new Row("ids.made", "Missing ids are generated", TransportRows::idsMade),
                new Row(
                        "problem.shape",
                        "A rejection is problem+json with its status, its code and the correlation id, and contains no"
                                + " stack trace, no hash and no key",
                        TransportRows::shape));
    }

    private static Outcome tooLarge(Probe probe) {
        String key = probe.freshKey();
        int more = Math.toIntExact(probe.target().limits().requestBytes() + 1);
        String body = probe.body("x".repeat(more));
        ProbeResponse reply = rejection(probe, key, body);
        if (reply == null) {
            return Outcome.notObserved("the service closed the connection before its response could be read");
        }
        return Outcome.heldIf(
                        reply.isProblem(ExpectedProblem.TOO_LARGE.status(), ExpectedProblem.TOO_LARGE.code()),
                        "got " + reply.told())
                .then(() -> KeyRows.first(probe.send(probe.post(key, probe.freshBody()))));
    }

    /** A service may reject a body and close the connection while it is still sent: then its response can be lost. */
    private static @Nullable ProbeResponse rejection(Probe probe, String key, String body) {
        for (int i = 0; i < TRIES; i++) {
            try {
                return probe.send(probe.post(key, body));
            } catch (SemelException.StoreUnavailable e) {
                probe.pause(Duration.ofMillis(200));
            }
        }
        return null;
    }

    private static Outcome endsEarly(Probe probe) {
        String key = probe.freshKey();
        return ReplayRows.counted(probe, 1, () -> {
            probe.hangUp(key, probe.freshBody(), AbortPoint.BEFORE_THE_END_OF_THE_BODY);
            return KeyRows.first(probe.send(probe.post(key, probe.freshBody())));
        });
    }

    /**
     * Observed only if the aborted request is the one that ran. A retry may overtake it; then a second request is aborted as soon
     * as its response begins.
     */
    private static Outcome gone(Probe probe) {
        Outcome early = ReplayRows.counted(probe, 1, () -> gone(probe, AbortPoint.BEFORE_THE_ANSWER));
        return early == OVERTAKEN
                ? ReplayRows.counted(probe, 1, () -> gone(probe, AbortPoint.DURING_THE_ANSWER))
                : early;
    }

    private static Outcome gone(Probe probe, AbortPoint when) {
        String key = probe.freshKey();
        String body = probe.freshBody();
        probe.hangUp(key, body, when);
        ProbeResponse first = settled(probe, key, body);
        ProbeResponse second = probe.send(probe.post(key, body));
        return Outcome.heldIf(first.isSuccess(), "the retry of the client got " + first.told())
                .then(() -> Outcome.heldIf(
                        second.isReplay() && second.says(first), "a later duplicate got " + second.told()))
                .then(() -> first.isReplay() ? Outcome.HELD : OVERTAKEN);
    }

    /** Retries while the aborted request is still running. */
    private static ProbeResponse settled(Probe probe, String key, String body) {
        ProbeResponse reply = probe.send(probe.post(key, body));
        for (int i = 0; i < 50 && ExpectedProblem.IN_PROGRESS.code().equals(reply.problem("code")); i++) {
            probe.pause(Duration.ofMillis(200));
            reply = probe.send(probe.post(key, body));
        }
        return reply;
    }

    private static Outcome ids(Probe probe) {
        String key = probe.freshKey();
        String body = probe.freshBody();
        String correlation = probe.freshKey();
        for (String request : List.of(probe.freshKey(), probe.freshKey())) {
            ProbeResponse reply = probe.send(
                    probe.post(key, body).header("X-Request-ID", request).header("X-Correlation-ID", correlation));
            if (!request.equals(reply.header("X-Request-ID"))
                    || !correlation.equals(reply.header("X-Correlation-ID"))) {
                return Outcome.broken("the ids were returned as " + reply.header("X-Request-ID") + " and "
                        + reply.header("X-Correlation-ID") + (reply.isReplay() ? " in the replay" : ""));
            }
        }
        return Outcome.HELD;
    }

    private static Outcome idsMade(Probe probe) {
        ProbeResponse reply = probe.send(probe.post(probe.freshKey(), probe.freshBody()));
        boolean both = reply.header("X-Request-ID") != null && reply.header("X-Correlation-ID") != null;
        return Outcome.heldIf(both, "X-Request-ID or X-Correlation-ID is missing");
    }

    private static Outcome shape(Probe probe) {
        String key = probe.freshKey();
        Outcome first = KeyRows.first(probe.send(probe.post(key, probe.freshBody())));
        ProbeResponse mismatch = probe.send(probe.post(key, probe.freshBody()));
        ProbeResponse missing = probe.send(probe.post(null, probe.freshBody()));
        return first.then(() -> shape(mismatch, key)).then(() -> shape(missing, key));
    }

    private static Outcome shape(ProbeResponse reply, String key) {
        String text = new String(reply.body(), StandardCharsets.UTF_8);
        if (reply.problem("code") == null || !String.valueOf(reply.status()).equals(reply.problem("status"))) {
            return Outcome.broken("got " + reply.told() + " without a problem that has this status and a code");
        }
        String correlation = reply.problem("correlation_id");
        if (correlation == null || !correlation.equals(reply.header("X-Correlation-ID"))) {
            return Outcome.broken("the problem's correlation_id is " + correlation + ", the header "
                    + reply.header("X-Correlation-ID"));
        }
        if (text.contains(key)
                || HASH.matcher(text).find()
                || STACK.matcher(text).find()) {
            return Outcome.broken("the problem " + reply.problem("code") + " contains a key, a hash or a stack trace");
        }
        return Outcome.HELD;
    }
}
