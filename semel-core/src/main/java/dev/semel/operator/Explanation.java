package dev.semel.operator;

import dev.semel.Failure;
import dev.semel.Mode;
import dev.semel.execution.PendingDeath;
import dev.semel.execution.ShadowSends;
import dev.semel.store.Line;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Why a record is not done, or that it is.
 *
 * @param sentence for a person
 * @param facts what the sentence rests on, by name
 * @param next what may be done about it
 */
public record Explanation(String sentence, Map<String, Object> facts, String next) {
    public Explanation {
        facts = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(facts));
    }

    /**
     * What an explanation looks at.
     *
     * @param modes read when they are first needed
     */
    record Sight(Store store, Supplier<Switchboard.Modes> modes, long now, Disclosure disclosure) {
        boolean others() {
            return disclosure == Disclosure.EVERYTHING;
        }
    }

    /** How much an explanation tells. */
    enum Disclosure {
        /** To operators: also of other records, such as the head of the lane, and what operators wrote. */
        EVERYTHING,
        /** To the application: of this record only, with the stored reason of its failure. */
        OWN,
        /** To a client: not the stored reason, which may be the message of any exception. */
        CATEGORY
    }

    static Explanation of(Store store, Row row, long now) {
        return of(new Sight(store, () -> store.switchboard().modes(), now, Disclosure.EVERYTHING), row);
    }

    static Explanation toTenant(Store store, Row row, long now) {
        return of(new Sight(store, () -> store.switchboard().modes(), now, Disclosure.OWN), row);
    }

    static Explanation of(Sight sight, Row row) {
        long now = sight.now;
        Map<String, Object> facts = facts(row, now);
        String name = row.header().operation() + "/" + row.id().hex().substring(0, 12);
        return switch (row.state()) {
            case COMPLETED ->
                new Explanation(
                        name + " is done: attempt " + row.status().attempts() + " completed it.", facts, "nothing");
            case FAILED_TERMINAL ->
                new Explanation(
                        name + " is dead after " + times(row.status().attempts()) + ": " + failure(sight, row)
                                + (row.holdsLane() ? " It holds up its lane." : ""),
                        facts,
                        "mend the cause, then replay it; or discard it");
            case UNKNOWN ->
                new Explanation(
                        name + " may or may not have taken effect: " + failure(sight, row)
                                + (row.holdsLane() ? " It holds up its lane." : ""),
                        facts,
                        "look at the other side; then replay it if it had no effect, or discard it if it had");
            case SHADOWED ->
                ShadowSends.isOne(row)
                        ? new Explanation(
                                name + " would have been sent by a run in SHADOW; nothing was sent.",
                                facts,
                                "compare it with what was sent, then replay it to have it sent for real, or discard it")
                        : new Explanation(
                                name + " was decided in SHADOW and not acted on."
                                        + (row.failure() == null
                                                ? ""
                                                : " Its handler would have failed: " + failure(sight, row)),
                                facts,
                                "replay it to have it done for real");
            case DISCARDED ->
                new Explanation(name + " was closed: " + failure(sight, row), facts, "replay it if that was wrong");
            case IN_PROGRESS -> running(name, row, now, facts);
            case QUEUED, FAILED_RETRYABLE -> waiting(sight, name, row, facts);
        };
    }

    private static Map<String, Object> facts(Row row, long now) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("state", row.state().name());
        facts.put("attempt", row.status().attempts());
        facts.put("fence", row.status().fence());
        Failure failure = UnresolvedMessages.failure(row);
        if (failure != null) {
            facts.put("category", failure.category().code());
            facts.put("reason", failure.reason());
        }
        Line line = row.line();
        if (line != null) {
            facts.put("turn", line.turn().name());
            if (line.lane() != null) {
                facts.put("lane", line.lane().key());
            }
        }
        if (!row.state().finished() && row.status().at() != dev.semel.store.Status.NEVER) {
            facts.put("due_in_ms", row.status().at() - now);
        }
        return facts;
    }

    private static Explanation running(String name, Row row, long now, Map<String, Object> facts) {
        long left = row.status().at() - now;
        String who = row.line() == null
                ? " is running: attempt " + row.status().attempts()
                : " is running on a node, or waits there for its turn: "
                        + times(row.status().attempts()) + " counted so far";
        String sentence = left > 0
                ? name + who + ", its lease is renewed or ends in " + shown(left) + "."
                : name + (row.line() == null ? " was running" : " was claimed by a node")
                        + ", and its lease is over since " + shown(-left)
                        + ": a node that serves it takes it over, or makes it UNKNOWN if it is not repeatable.";
        return new Explanation(sentence, facts, left > 0 ? "wait" : "see that a node with its handler is up");
    }

    private static Explanation waiting(Sight sight, String name, Row row, Map<String, Object> facts) {
        long now = sight.now;
        String operation = row.header().operation();
        String tenant = row.header().tenant();
        Switchboard.Modes modes = sight.modes.get();
        if (modes.of(tenant, operation) == Mode.HALTED) {
            facts.put("mode", Mode.HALTED.name());
            return new Explanation(
                    name + " waits because " + operation + " is HALTED for tenant " + tenant + ".",
                    facts,
                    "set the mode to LIVE");
        }
        Optional<Switchboard.Pause> pause = modes.pauses().stream()
                .filter(each -> each.appliesTo(operation, tenant))
                .findFirst();
        if (pause.isPresent()) {
            if (sight.others()) {
                facts.put("paused", pause.get().reason());
            }
            return new Explanation(
                    name + " waits because its channel is paused"
                            + (sight.others() ? ": " + pause.get().reason() : "."),
                    facts,
                    "mend the cause, then resume the channel");
        }
        if (row.line() != null && row.line().turn() == Line.Turn.WAITING) {
            return behind(sight, name, row, facts);
        }
        PendingDeath dying = PendingDeath.read(row.failure());
        if (dying != null) {
            return dying(sight, name, row, facts, dying);
        }
        if (row.status().at() > now) {
            String why = row.state() == State.QUEUED
                    ? " was sent for later and is due in "
                    : " failed (" + failure(sight, row) + ") and is tried again in ";
            return new Explanation(name + why + shown(row.status().at() - now) + ".", facts, "wait");
        }
        return row.line() == null
                ? new Explanation(
                        name + " failed (" + failure(sight, row) + ") and waits for its next caller.",
                        facts,
                        "repeat the call")
                : new Explanation(
                        name + " is due since " + shown(now - row.status().at())
                                + " and nothing holds it up but that no worker has taken it yet.",
                        facts,
                        "see that a node with a handler for " + operation + " is up and has room");
    }

    private static Explanation dying(Sight sight, String name, Row row, Map<String, Object> facts, PendingDeath dying) {
        boolean withError = sight.disclosure != Disclosure.CATEGORY;
        facts.put("on_dead_failed", dying.tries().failed());
        if (withError) {
            facts.put("on_dead_error", String.valueOf(dying.tries().error()));
        }
        long wait = row.status().at() - sight.now;
        String tried = dying.tries().failed() == 0
                ? " Its onDead handler runs when a worker takes it."
                : " Its onDead handler failed (" + times(dying.tries().failed(), "try", "tries")
                        + (withError ? ", last: " + dying.tries().error() : "") + ") and is tried again "
                        + (wait > 0 ? "in " + shown(wait) : "now") + ".";
        return new Explanation(
                name + " failed for good after " + times(dying.attempts()) + ": " + failure(sight, row)
                        + " Its dead letter is recorded together with its onDead handler." + tried,
                facts,
                dying.tries().failed() == 0
                        ? "see that a node with a handler for " + row.header().operation() + " is up and has room"
                        : "mend the onDead handler; or discard it");
    }

    private static Explanation behind(Sight sight, String name, Row row, Map<String, Object> facts) {
        Line.Lane lane = java.util.Objects.requireNonNull(
                java.util.Objects.requireNonNull(row.line()).lane());
        if (!sight.others()) {
            return new Explanation(name + " waits behind an earlier message of its lane.", facts, "wait");
        }
        Optional<Row> head = sight.store.queue().flatMap(queue -> queue.head(lane.number()));
        if (head.isEmpty() || head.get().id().equals(row.id())) {
            return new Explanation(
                    name + " was waiting in lane \"" + lane.key() + "\" and is next now.", facts, "wait");
        }
        Explanation ahead = of(sight, head.get());
        facts.put("head", head.get().id().hex());
        facts.put("head_state", head.get().state().name());
        return new Explanation(
                name + " waits in lane \"" + lane.key() + "\" behind its head: " + ahead.sentence, facts, ahead.next);
    }

    private static String failure(Sight sight, Row row) {
        Failure failure = UnresolvedMessages.failure(row);
        if (failure != null && sight.disclosure == Disclosure.CATEGORY) {
            return failure.category().code();
        }
        return failure == null ? "no reason is stored." : failure.category().code() + ": " + failure.reason();
    }

    private static String times(int attempts) {
        return times(attempts, "attempt", "attempts");
    }

    private static String times(int count, String one, String many) {
        return count + " " + (count == 1 ? one : many);
    }

    /** A span of time for people, in the two largest units that count. */
    public static String shown(long millis) {
        Duration duration = Duration.ofMillis(Math.max(0, millis));
        if (duration.toDays() > 0) {
            return duration.toDays() + " d " + duration.toHoursPart() + " h";
        }
        if (duration.toHours() > 0) {
            return duration.toHours() + " h " + duration.toMinutesPart() + " min";
        }
        if (duration.toMinutes() > 0) {
            return duration.toMinutes() + " min " + duration.toSecondsPart() + " s";
        }
        return duration.toSeconds() > 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }
}
