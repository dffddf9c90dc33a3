package dev.semel.http.conformance;

import dev.semel.http.conformance.Row.Outcome;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Whose keys they are. */
final class CallerRows {
    private CallerRows() {}

    static List<Row> all() {
        return List.of(
                new Row(
                        "scope.tenant",
                        "The same key of another tenant is another key, and shows nothing of the first",
                        probe -> apart(
                                probe, probe.target().callers().stranger(), "needs the headers of another tenant")),
                new Row(
                        "scope.principal",
                        "The same key of another principal is another key",
                        probe -> apart(
                                probe, probe.target().callers().colleague(), "needs the headers of another principal")),
                new Row(
                        "anonymous.no_record",
                        "A caller that is not known is refused with 401 or 403, and the key stays free",
                        CallerRows::anonymous),
                new Row(
                        "anonymous.no_replay",
                        "A caller that is not known gets no replay",
                        CallerRows::anonymousReplay));
    }

    private static Outcome apart(Probe probe, @Nullable Map<String, String> other, String needs) {
        if (other == null) {
            return Outcome.notObserved(needs);
        }
        String key = probe.freshKey();
        String body = probe.freshBody();
        Reply mine = probe.send(probe.post(key, body));
        Reply theirs = probe.send(probe.postAs(other, key, body));
        Reply again = probe.send(probe.post(key, body));
        return KeyRows.first(mine)
                .then(() -> KeyRows.first(theirs))
                .then(() -> Outcome.heldIf(
                        again.isReplay() && again.says(mine), "the first caller is now answered " + again.told()));
    }

    private static Outcome anonymous(Probe probe) {
        if (probe.target().callers().caller().isEmpty()) {
            return Outcome.notObserved("needs a service that knows its callers, and the headers of one");
        }
        String key = probe.freshKey();
        String body = probe.freshBody();
        Reply unknown = probe.send(probe.postAs(Map.of(), key, body));
        return refused(unknown).then(() -> KeyRows.first(probe.send(probe.post(key, body))));
    }

    private static Outcome anonymousReplay(Probe probe) {
        if (probe.target().callers().caller().isEmpty()) {
            return Outcome.notObserved("needs a service that knows its callers, and the headers of one");
        }
        String key = probe.freshKey();
        String body = probe.freshBody();
        Outcome first = KeyRows.first(probe.send(probe.post(key, body)));
        return first.then(() -> refused(probe.send(probe.postAs(Map.of(), key, body))));
    }

    private static Outcome refused(Reply reply) {
        return Outcome.heldIf(
                reply.status() == 401 || reply.status() == 403,
                "somebody without credentials was answered " + reply.told());
    }
}
