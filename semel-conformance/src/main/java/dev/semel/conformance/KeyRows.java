package dev.semel.conformance;

import dev.semel.conformance.Row.Outcome;
import java.net.URI;
import java.util.List;

/** Rows about the key itself. */
final class KeyRows {
    private static final int LONGEST = 128;

    private KeyRows() {}

    static List<Row> all() {
        return List.of(
                new Row(
                        "key.required",
                        "A POST without a key is rejected with 400 " + ExpectedProblem.KEY_REQUIRED.code(),
                        probe ->
                                refused(probe.send(probe.post(null, probe.freshBody())), ExpectedProblem.KEY_REQUIRED)),
                new Row("key.in_query", "A key in the query string does not count as a key", KeyRows::inQuery),
                new Row(
                        "key.empty",
                        "An empty key is rejected with 400",
                        probe -> refused(
                                probe.send(probe.post("", probe.freshBody())),
                                ExpectedProblem.KEY_INVALID,
                                ExpectedProblem.KEY_REQUIRED)),
                new Row(
                        "key.longest",
                        "A key of " + LONGEST + " characters is accepted",
                        probe -> first(probe.send(probe.post(ofLength(probe, LONGEST), probe.freshBody())))),
                new Row(
                        "key.too_long",
                        "A key of " + (LONGEST + 1) + " characters is rejected with 400 "
                                + ExpectedProblem.KEY_INVALID.code(),
                        probe -> invalid(probe, ofLength(probe, LONGEST + 1))),
                new Row(
                        "key.not_visible",
                        "A key that contains a space is rejected with 400 " + ExpectedProblem.KEY_INVALID.code(),
                        probe -> invalid(probe, probe.freshKey() + " x")),
                new Row(
                        "key.twice",
                        "A request with two keys is rejected with 400 " + ExpectedProblem.KEY_INVALID.code(),
                        probe -> refused(
                                probe.send(probe.post(probe.freshKey(), probe.freshBody())
                                        .header(Probe.KEY, probe.freshKey())),
                                ExpectedProblem.KEY_INVALID)),
                new Row(
                        "key.get_untouched",
                        "GET ignores the key, even an invalid one",
                        probe -> untouched(probe, "GET")),
                new Row(
                        "key.options_untouched",
                        "OPTIONS ignores the key, even an invalid one",
                        probe -> untouched(probe, "OPTIONS")));
    }

    private static String ofLength(Probe probe, int length) {
        String key = probe.freshKey();
        return key + "x".repeat(length - key.length());
    }

    private static Outcome inQuery(Probe probe) {
        URI url = probe.target().url();
        String query = (url.getRawQuery() == null ? "?" : "&") + "Idempotency-Key=" + probe.freshKey();
        return refused(
                probe.send(probe.post(URI.create(url + query), null, probe.freshBody())), ExpectedProblem.KEY_REQUIRED);
    }

    private static Outcome invalid(Probe probe, String key) {
        return refused(probe.send(probe.post(key, probe.freshBody())), ExpectedProblem.KEY_INVALID);
    }

    private static Outcome refused(ProbeResponse reply, ExpectedProblem... codes) {
        for (ExpectedProblem code : codes) {
            if (reply.isProblem(code.status(), code.code())) {
                return Outcome.HELD;
            }
        }
        return Outcome.broken("got " + reply.told());
    }

    static Outcome first(ProbeResponse reply) {
        return Outcome.heldIf(reply.isFirst(), "got " + reply.told());
    }

    private static Outcome untouched(Probe probe, String method) {
        String bad = "x".repeat(LONGEST + 1);
        for (int i = 0; i < 2; i++) {
            ProbeResponse reply = probe.send(probe.harmless(method).header(Probe.KEY, bad));
            String code = reply.problem("code");
            if (reply.isReplay() || code != null && code.startsWith("idempotency.")) {
                return Outcome.broken(method + " with a key got " + reply.told());
            }
        }
        return Outcome.HELD;
    }
}
