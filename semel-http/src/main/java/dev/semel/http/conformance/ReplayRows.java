package dev.semel.http.conformance;

import dev.semel.http.ProblemCode;
import dev.semel.http.conformance.Row.Outcome;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.stream.Stream;

/** What the second request with a key is told. */
final class ReplayRows {
    private static final List<String> REPEATED =
            List.of("Content-Type", "Content-Language", "ETag", "Location", "Link", "X-Correlation-ID");
    private static final List<String> NEVER = List.of("Set-Cookie", "Authorization", "WWW-Authenticate");

    private ReplayRows() {}

    static List<Row> all() {
        return List.of(
                new Row(
                        "replay.bytes",
                        "A repeated request gets the same status and the same bytes, marked Idempotency-Replayed: true",
                        ReplayRows::bytes),
                new Row(
                        "replay.headers",
                        "A replay repeats " + String.join(", ", REPEATED),
                        probe -> twice(probe, ReplayRows::headers)),
                new Row(
                        "replay.never",
                        "A replay never carries " + String.join(", ", NEVER),
                        probe -> twice(
                                probe,
                                (first, second) -> NEVER.stream()
                                        .filter(name -> second.header(name) != null)
                                        .findFirst()
                                        .map(name -> Outcome.broken("the replay has a header " + name))
                                        .orElse(Outcome.HELD))),
                new Row(
                        "replay.effect",
                        "A repeated request has no second effect",
                        probe -> counted(probe, 1, () -> twice(probe, (first, second) -> Outcome.HELD))),
                new Row(
                        "concurrent.one_runs",
                        "Of duplicates that arrive at once one runs; the others get its answer, or 409 "
                                + ProblemCode.IN_PROGRESS.code() + " with Retry-After",
                        probe -> counted(probe, 1, () -> crowd(probe))));
    }

    @FunctionalInterface
    private interface Pair {
        Outcome judge(Reply first, Reply second);
    }

    private static Outcome twice(Probe probe, Pair pair) {
        String key = probe.freshKey();
        String body = probe.freshBody();
        Reply first = probe.send(probe.post(key, body));
        Reply second = probe.send(probe.post(key, body));
        return KeyRows.first(first)
                .then(() -> Outcome.heldIf(second.isReplay(), "the second request was answered " + second.told()))
                .then(() -> pair.judge(first, second));
    }

    private static Outcome bytes(Probe probe) {
        return twice(
                probe,
                (first, second) -> Outcome.heldIf(
                        first.says(second),
                        "the first was answered " + first.status() + " with " + first.body().length
                                + " bytes, the second " + second.status() + " with " + second.body().length
                                + " bytes that are not the same"));
    }

    private static Outcome headers(Reply first, Reply second) {
        return REPEATED.stream()
                .filter(name -> !first.headers(name).equals(second.headers(name)))
                .findFirst()
                .map(name -> Outcome.broken(name + " was " + first.headers(name) + " and is " + second.headers(name)))
                .orElse(Outcome.HELD);
    }

    private static Outcome crowd(Probe probe) {
        String key = probe.freshKey();
        String body = probe.freshBody();
        List<HttpRequest.Builder> requests = Stream.generate(() -> probe.post(key, body))
                .limit(probe.target().limits().crowd())
                .toList();
        List<Reply> replies = probe.sendAll(requests);
        List<Reply> ran = replies.stream().filter(Reply::isFirst).toList();
        if (ran.size() != 1) {
            return Outcome.broken(ran.size() + " of " + replies.size() + " were executed");
        }
        for (Reply reply : replies) {
            boolean busy = reply.isProblem(ProblemCode.IN_PROGRESS.status(), ProblemCode.IN_PROGRESS.code())
                    && reply.header("Retry-After") != null;
            boolean same = reply.says(ran.get(0));
            if (!busy && !same) {
                return Outcome.broken("one was answered " + reply.told()
                        + (reply.header("Retry-After") == null ? " without Retry-After" : ""));
            }
        }
        Reply later = probe.send(probe.post(key, body));
        return Outcome.heldIf(
                later.isReplay() && later.says(ran.get(0)), "a later duplicate was answered " + later.told());
    }

    /** Where effects can be counted there must be so many more. */
    static Outcome counted(Probe probe, long expected, java.util.function.Supplier<Outcome> work) {
        Long before = probe.effects();
        Outcome outcome = work.get();
        Long after = probe.effects();
        if (before == null || after == null) {
            return outcome;
        }
        return outcome.then(() -> Outcome.heldIf(
                after - before == expected, (after - before) + " effects were counted instead of " + expected));
    }
}
