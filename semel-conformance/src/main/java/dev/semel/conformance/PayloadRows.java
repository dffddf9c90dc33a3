package dev.semel.conformance;

import dev.semel.conformance.Row.Outcome;
import java.net.URI;
import java.util.List;

/** Rows about payloads: when two requests with one key are the same. */
final class PayloadRows {
    private PayloadRows() {}

    static List<Row> all() {
        return List.of(
                new Row(
                        "payload.mismatch",
                        "A key that is reused with a different payload is rejected as "
                                + ExpectedProblem.PAYLOAD_MISMATCH.code(),
                        probe -> second(probe, probe.target().url(), probe.freshBody(), false)),
                new Row(
                        "payload.respelled",
                        "JSON with the same meaning is the same payload, whatever its formatting",
                        PayloadRows::respelled),
                new Row(
                        "payload.query_order",
                        "The order of query parameters does not matter",
                        probe -> queries(probe, "a=1&b=2", "b=2&a=1", true)),
                new Row(
                        "payload.query",
                        "A different query is a different payload",
                        probe -> queries(probe, "a=1&b=2", "a=1&b=3", false)),
                new Row("payload.path", "A different value in the path is a different payload", PayloadRows::path),
                new Row("scope.route", "The same key on another route is a different key", PayloadRows::route));
    }

    private static Outcome respelled(Probe probe) {
        String key = probe.freshKey();
        String body = probe.freshBody();
        Outcome first = KeyRows.first(probe.send(probe.post(key, body)));
        return first.then(() -> same(probe, probe.send(probe.post(key, Json.respelled(body))), true));
    }

    private static Outcome queries(Probe probe, String one, String other, boolean same) {
        URI url = probe.target().url();
        String start = url + (url.getRawQuery() == null ? "?" : "&");
        String key = probe.freshKey();
        String body = probe.freshBody();
        Outcome first = KeyRows.first(probe.send(probe.post(URI.create(start + one), key, body)));
        return first.then(() -> same(probe, probe.send(probe.post(URI.create(start + other), key, body)), same));
    }

    private static Outcome path(Probe probe) {
        URI sibling = probe.target().places().sibling();
        if (sibling == null) {
            return Outcome.notObserved("needs a URL on the same route with another value in its path");
        }
        String key = probe.freshKey();
        String body = probe.freshBody();
        Outcome first = KeyRows.first(probe.send(probe.post(key, body)));
        return first.then(() -> same(probe, probe.send(probe.post(sibling, key, body)), false));
    }

    private static Outcome route(Probe probe) {
        URI other = probe.target().places().otherRoute();
        if (other == null) {
            return Outcome.notObserved("needs a URL on another route");
        }
        String key = probe.freshKey();
        String body = probe.freshBody();
        Outcome first = KeyRows.first(probe.send(probe.post(key, body)));
        return first.then(() -> KeyRows.first(probe.send(probe.post(other, key, body))));
    }

    private static Outcome second(Probe probe, URI url, String otherBody, boolean same) {
        String key = probe.freshKey();
        Outcome first = KeyRows.first(probe.send(probe.post(key, probe.freshBody())));
        return first.then(() -> same(probe, probe.send(probe.post(url, key, otherBody)), same));
    }

    private static Outcome same(Probe probe, ProbeResponse second, boolean same) {
        boolean kept = same
                ? second.isReplay()
                : second.isProblem(probe.target().limits().mismatch(), ExpectedProblem.PAYLOAD_MISMATCH.code());
        return Outcome.heldIf(kept, "the second request got " + second.told());
    }
}
