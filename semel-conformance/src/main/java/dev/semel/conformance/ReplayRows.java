package dev.semel.conformance;

import dev.semel.conformance.Row.Outcome;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Rows about replays. */
final class ReplayRows {
    private static final List<String> REPEATED =
            List.of("Content-Type", "Content-Language", "ETag", "Location", "Link", "X-Correlation-ID");
    private static final List<String> NEVER = List.of("Set-Cookie", "Authorization", "WWW-Authenticate");

    private ReplayRows() {}

    static List<Row> all() {
        return List.of(
                new Row(
                        "replay.bytes",
                        "A retried request gets the same status and the same bytes, with Idempotency-Replayed: true",
                        ReplayRows::bytes),
                new Row(
                        "replay.headers",
                        "A replay repeats " + String.join(", ", REPEATED),
                        probe -> twice(probe, ReplayRows::headers)),
                new Row(
                        "replay.never",
                        "A replay never contains " + String.join(", ", NEVER),
                        probe -> twice(probe, ReplayRows::never)),
                new Row(
                        "replay.effect",
                        "A retried request has no second effect",
                        probe -> counted(probe, 1, () -> twice(probe, (first, second) -> Outcome.HELD))),
                new Row(
                        "concurrent.one_runs",
                        "One of several concurrent duplicates runs; the others get its response, or 409 "
                                + ExpectedProblem.IN_PROGRESS.code() + " with Retry-After",
                        probe -> counted(probe, 1, () -> crowd(probe))));
    }

    @FunctionalInterface
    private interface PairCheck {
        Outcome judge(ProbeResponse first, ProbeResponse second);
    }

    private static Outcome twice(Probe probe, PairCheck pair) {
        String key = probe.freshKey();
        String body = probe.freshBody();
        ProbeResponse first = probe.send(probe.post(key, body));
        ProbeResponse second = probe.send(probe.post(key, body));
        return KeyRows.first(first)
                .then(() -> Outcome.heldIf(second.isReplay(), "the second request got " + second.told()))
                .then(() -> pair.judge(first, second));
    }

    private static Outcome bytes(Probe probe) {
        return twice(
                probe,
                (first, second) -> Outcome.heldIf(
                        first.says(second),
                        "the first request got " + first.status() + " with " + first.body().length
                                + " bytes, the second got " + second.status() + " with " + second.body().length
                                + " different bytes"));
    }

    private static Outcome headers(ProbeResponse first, ProbeResponse second) {
        for (String name : REPEATED) {
            if (!first.headers(name).equals(second.headers(name))) {
                return Outcome.broken("the header " + name + " was " + first.headers(name) + ", the replay has" + " "
                        + second.headers(name));
            }
        }
        List<String> unseen = absent(REPEATED, first);
        if (unseen.size() == REPEATED.size()) {
            return Outcome.notObserved("needs a service whose first response has one of these headers");
        }
        return unseen.isEmpty()
                ? Outcome.HELD
                : Outcome.HELD.noting("not observed, because the first response does not have them:" + " "
                        + String.join(", ", unseen));
    }

    private static Outcome never(ProbeResponse first, ProbeResponse second) {
        for (String name : NEVER) {
            if (second.header(name) != null) {
                return Outcome.broken("the replay contains the header " + name);
            }
        }
        return absent(NEVER, first).size() == NEVER.size()
                ? Outcome.notObserved("needs a service whose first response has one of these headers")
                : Outcome.HELD;
    }

    private static List<String> absent(List<String> names, ProbeResponse reply) {
        return names.stream().filter(name -> reply.header(name) == null).toList();
    }

    private static Outcome crowd(Probe probe) {
        String key = probe.freshKey();
        String body = probe.freshBody();
        List<HttpRequest.Builder> requests = Stream.generate(() -> probe.post(key, body))
                .limit(probe.target().limits().crowd())
                .toList();
        List<ProbeResponse> replies = probe.sendAll(requests);
        List<ProbeResponse> ran =
                replies.stream().filter(ProbeResponse::isFirst).toList();
        if (ran.size() != 1) {
            return Outcome.broken(ran.size() + " of " + replies.size() + " requests ran");
        }
        for (ProbeResponse reply : replies) {
            boolean busy = reply.isProblem(ExpectedProblem.IN_PROGRESS.status(), ExpectedProblem.IN_PROGRESS.code())
                    && reply.header("Retry-After") != null;
            boolean same = reply.says(ran.get(0));
            if (!busy && !same) {
                return Outcome.broken("one request got " + reply.told()
                        + (reply.header("Retry-After") == null ? " without Retry-After" : ""));
            }
        }
        ProbeResponse later = probe.send(probe.post(key, body));
        return Outcome.heldIf(later.isReplay() && later.says(ran.get(0)), "a later duplicate got " + later.told());
    }

    /** Checks that the work has exactly the expected number of effects. Without a counter the row is not observed. */
    static Outcome counted(Probe probe, long expected, Supplier<Outcome> work) {
        Long before = probe.effects();
        Outcome outcome = work.get();
        Long after = probe.effects();
        if (before == null || after == null) {
            return outcome.then(() -> Outcome.notObserved("needs a URL that counts effects (--count)"));
        }
        if (outcome.verdict() == ConformanceReport.RowVerdict.BROKEN || after - before == expected) {
            return outcome;
        }
        return Outcome.broken((after - before) + " effects were counted instead of " + expected);
    }
}
