package dev.semel.conformance;

import dev.semel.conformance.Row.Outcome;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows about the scope of keys. */
final class CallerRows {
    private CallerRows() {}

    static List<Row> all() {
        return List.of(
                new Row(
                        "scope.tenant",
                        "The same key of another tenant is a different key, and reveals nothing about the first",
                        probe -> apart(
                                probe, probe.target().callers().stranger(), "needs the headers of another tenant")),
                new Row(
                        "scope.principal",
                        "The same key of another principal is a different key",
                        probe -> apart(
                                probe, probe.target().callers().colleague(), "needs the headers of another principal")),
                new Row(
                        "anonymous.no_record",
                        "An unauthenticated request is rejected with 401 or 403, and the key stays free",
                        CallerRows::anonymous),
                new Row(
                        "anonymous.no_replay",
                        "An unauthenticated request gets no replay",
                        CallerRows::anonymousReplay));
    }

    private static Outcome apart(Probe probe, @Nullable Map<String, String> other, String needs) {
        if (other == null) {
            return Outcome.notObserved(needs);
        }
        String key = probe.freshKey();
        String body = probe.freshBody();
        ProbeResponse mine = probe.send(probe.post(key, body));
        ProbeResponse theirs = probe.send(probe.postAs(other, key, body));
        ProbeResponse again = probe.send(probe.post(key, body));
        return KeyRows.first(mine)
                .then(() -> KeyRows.first(theirs))
                .then(() -> Outcome.heldIf(
                        again.isReplay() && again.says(mine), "the first caller now gets " + again.told()));
    }

    private static Outcome anonymous(Probe probe) {
        if (probe.target().callers().caller().isEmpty()) {
            return Outcome.notObserved("needs a service with authentication, and the headers of a caller");
        }
        String key = probe.freshKey();
        String body = probe.freshBody();
        ProbeResponse unknown = probe.send(probe.postAs(Map.of(), key, body));
        return refused(unknown).then(() -> KeyRows.first(probe.send(probe.post(key, body))));
    }

    private static Outcome anonymousReplay(Probe probe) {
        if (probe.target().callers().caller().isEmpty()) {
            return Outcome.notObserved("needs a service with authentication, and the headers of a caller");
        }
        String key = probe.freshKey();
        String body = probe.freshBody();
        Outcome first = KeyRows.first(probe.send(probe.post(key, body)));
        return first.then(() -> refused(probe.send(probe.postAs(Map.of(), key, body))));
    }

    private static Outcome refused(ProbeResponse reply) {
        return Outcome.heldIf(
                reply.status() == 401 || reply.status() == 403, "a request without credentials got " + reply.told());
    }
}
