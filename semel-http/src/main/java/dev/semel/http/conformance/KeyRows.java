package dev.semel.http.conformance;

import dev.semel.http.ProblemCode;
import dev.semel.http.conformance.Row.Outcome;
import java.net.URI;
import java.util.List;

/** Which requests have a key. */
final class KeyRows {
    private static final int LONGEST = 128;

    private KeyRows() {}

    static List<Row> all() {
        return List.of(
                new Row(
                        "key.required",
                        "A POST without a key is refused with 400 " + ProblemCode.KEY_REQUIRED.code(),
                        probe -> refused(probe.send(probe.post(null, probe.freshBody())), ProblemCode.KEY_REQUIRED)),
                new Row("key.in_query", "A key in the query is no key", KeyRows::inQuery),
                new Row(
                        "key.empty",
                        "An empty key is refused with 400",
                        probe -> refused(
                                probe.send(probe.post("", probe.freshBody())),
                                ProblemCode.KEY_INVALID,
                                ProblemCode.KEY_REQUIRED)),
                new Row(
                        "key.longest",
                        "A key of " + LONGEST + " characters is taken",
                        probe -> first(probe.send(probe.post(ofLength(probe, LONGEST), probe.freshBody())))),
                new Row(
                        "key.too_long",
                        "A key of " + (LONGEST + 1) + " characters is refused with 400 "
                                + ProblemCode.KEY_INVALID.code(),
                        probe -> invalid(probe, ofLength(probe, LONGEST + 1))),
                new Row(
                        "key.not_visible",
                        "A key with a space in it is refused with 400 " + ProblemCode.KEY_INVALID.code(),
                        probe -> invalid(probe, probe.freshKey() + " x")),
                new Row(
                        "key.twice",
                        "A request with two keys is refused with 400 " + ProblemCode.KEY_INVALID.code(),
                        probe -> refused(
                                probe.send(probe.post(probe.freshKey(), probe.freshBody())
                                        .header(Probe.KEY, probe.freshKey())),
                                ProblemCode.KEY_INVALID)),
                new Row(
                        "key.get_untouched",
                        "A GET takes no notice of a key, not even of a bad one",
                        probe -> untouched(probe, "GET")),
                new Row(
                        "key.options_untouched",
                        "OPTIONS takes no notice of a key, not even of a bad one",
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
                probe.send(probe.post(URI.create(url + query), null, probe.freshBody())), ProblemCode.KEY_REQUIRED);
    }

    private static Outcome invalid(Probe probe, String key) {
        return refused(probe.send(probe.post(key, probe.freshBody())), ProblemCode.KEY_INVALID);
    }

    private static Outcome refused(Reply reply, ProblemCode... codes) {
        for (ProblemCode code : codes) {
            if (reply.isProblem(code.status(), code.code())) {
                return Outcome.HELD;
            }
        }
        return Outcome.broken("answered " + reply.told());
    }

    static Outcome first(Reply reply) {
        return Outcome.heldIf(reply.isFirst(), "answered " + reply.told());
    }

    private static Outcome untouched(Probe probe, String method) {
        String bad = "x".repeat(LONGEST + 1);
        for (int i = 0; i < 2; i++) {
            Reply reply = probe.send(probe.harmless(method).header(Probe.KEY, bad));
            String code = reply.problem("code");
            if (reply.isReplay() || code != null && code.startsWith("idempotency.")) {
                return Outcome.broken(method + " with a key was answered " + reply.told());
            }
        }
        return Outcome.HELD;
    }
}
