package dev.semel.testkit.history;

import dev.semel.testkit.history.Event.Ending;
import dev.semel.testkit.history.Event.Reception;
import dev.semel.testkit.history.Judgement.Violation;
import dev.semel.testkit.history.RecordHistory.Call;
import dev.semel.testkit.history.RecordHistory.Start;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Judges a run by what was written down of it: {@link Rule}s R1 to R10. It knows nothing of the engine, so that it can find
 * the engine wrong. A rule is judged when the history has what it needs: R2, R4 and R6 deliveries, R3 handlers entered, R1
 * and R7 the records as they were left, R8 the audit, R10 places in lanes; {@link Judgement#judged} says which were.
 *
 * <p>A run that writes down effects writes down all of them; work that a worker does without a caller is written down as
 * calls of the worker.
 */
public final class HistoryChecker {
    private static final Set<String> ENDED = Set.of("COMPLETED", "FAILED_TERMINAL", "UNKNOWN", "SHADOWED", "DISCARDED");

    /** The audit event that tells of a state in which a record was left. */
    private static final Map<String, Set<String>> TELLING = Map.of(
            "COMPLETED", Set.of("operation.executed", "operation.reconciled"),
            "UNKNOWN", Set.of("operation.unknown"),
            "SHADOWED", Set.of("operation.shadowed"),
            "DISCARDED", Set.of("operator.discarded"),
            "FAILED_TERMINAL", Set.of("system.error", "operation.reconciled"));

    private final List<Event> events;
    private final Set<Class<? extends Event>> kinds = new HashSet<>();
    private final Map<String, RecordHistory> records = new LinkedHashMap<>();
    private final List<Violation> violations = new ArrayList<>();
    private final Set<Rule> judged = EnumSet.noneOf(Rule.class);

    private HistoryChecker(List<Event> events) {
        this.events = events;
        for (int i = 0; i < events.size(); i++) {
            Event event = events.get(i);
            kinds.add(event.getClass());
            if (!(event instanceof Event.Chained)) {
                records.computeIfAbsent(event.record(), RecordHistory::new).add(i, event);
            }
        }
    }

    /**
     * Judges events in the order in which they happened, as {@link History#read} and {@link History#merge} give them.
     *
     * @throws IllegalArgumentException when a call ended that was never invoked: the history itself is wrong
     */
    public static Judgement check(List<Event> events) {
        return new HistoryChecker(events).judge();
    }

    private Judgement judge() {
        if (any(Event.Left.class)) {
            judged.addAll(List.of(Rule.R1, Rule.R7));
            records.values().forEach(this::nothingMissing);
            records.values().forEach(this::everythingEnds);
        }
        if (any(Event.Delivered.class)) {
            judged.addAll(List.of(Rule.R2, Rule.R4, Rule.R6));
            records.values().forEach(this::oneEffect);
            records.values().forEach(this::noOldFence);
            records.values().forEach(this::failuresLeftNothing);
        }
        if (any(Event.Started.class)) {
            judged.add(Rule.R3);
            records.values().forEach(this::fencesGrow);
        }
        if (any(Event.Audited.class) || any(Event.Chained.class)) {
            judged.add(Rule.R8);
            records.values().forEach(this::everythingTold);
            chainUnbroken();
        }
        if (any(Event.Invoked.class)) {
            judged.addAll(List.of(Rule.R5, Rule.R9));
            records.values().forEach(this::replaysEqual);
            records.values().forEach(this::linearizable);
        }
        lanesInOrder();
        return new Judgement(violations, judged, counts());
    }

    private void nothingMissing(RecordHistory record) {
        Optional<Call> acknowledged =
                record.calls.stream().filter(Call::acknowledged).findFirst();
        boolean forgotten = record.calls.stream().anyMatch(call -> call.ending() == Ending.FORGOTTEN);
        if (acknowledged.isEmpty() || forgotten) {
            return;
        }
        if (record.left.isEmpty()) {
            report(
                    Rule.R1,
                    record,
                    "acknowledged, and not in the ledger",
                    List.of(acknowledged.get().shown()));
        }
        for (Call call : record.calls) {
            boolean done = call.ending() == Ending.EXECUTED || call.ending() == Ending.REPLAYED;
            for (Event.Left left : record.left) {
                if (done && !left.state().equals("COMPLETED")) {
                    report(
                            Rule.R1,
                            record,
                            "a result was given, and the ledger says " + left.state(),
                            List.of(call.shown(), left));
                }
            }
            if (call.ending() == Ending.EXECUTED && any(Event.Delivered.class) && record.deliveries.isEmpty()) {
                report(Rule.R1, record, "executed, and its effect is missing", List.of(call.shown()));
            }
        }
    }

    private void oneEffect(RecordHistory record) {
        long renewals = record.calls.stream()
                .filter(call -> call.ending() == Ending.REOPENED || call.ending() == Ending.FORGOTTEN)
                .count();
        List<Event.Delivered> applied = record.applied();
        if (applied.size() > 1 + renewals) {
            report(Rule.R2, record, applied.size() + " effects were applied", applied);
        }
    }

    /** A grant lies between the invocation of its call and the entry of its handler; only what lies apart is compared. */
    private void fencesGrow(RecordHistory record) {
        Map<Long, Call> holders = new HashMap<>();
        for (Call call : record.calls) {
            for (Start start : call.starts) {
                Call other = holders.putIfAbsent(start.event().grant().fence(), call);
                if (other != null && other != call) {
                    report(
                            Rule.R3,
                            record,
                            "two calls ran under one fence",
                            List.of(other.starts.get(0).event(), start.event()));
                }
            }
        }
        TreeMap<Integer, Start> highest = new TreeMap<>();
        Start top = null;
        for (Start start : startsInOrder(record)) {
            if (top == null
                    || start.event().grant().fence() > top.event().grant().fence()) {
                top = start;
                highest.put(start.index(), start);
            }
        }
        for (Call call : record.calls) {
            var before = highest.lowerEntry(call.from);
            for (Start start : call.starts) {
                if (before != null
                        && start.event().grant().fence()
                                <= before.getValue().event().grant().fence()) {
                    report(
                            Rule.R3,
                            record,
                            "a later grant has no higher fence",
                            List.of(before.getValue().event(), start.event()));
                }
            }
        }
    }

    private static List<Start> startsInOrder(RecordHistory record) {
        return record.calls.stream()
                .flatMap(call -> call.starts.stream())
                .sorted((a, b) -> Integer.compare(a.index(), b.index()))
                .toList();
    }

    private void noOldFence(RecordHistory record) {
        Event.Delivered highest = null;
        for (Event.Delivered delivered : record.deliveries) {
            if (highest != null && delivered.grant().fence() < highest.grant().fence()) {
                if (delivered.reception() == Reception.APPLIED) {
                    report(Rule.R4, record, "accepted under an old fence", List.of(highest, delivered));
                }
            } else {
                highest = delivered;
            }
        }
    }

    private void replaysEqual(RecordHistory record) {
        if (record.calls.stream().anyMatch(call -> call.ending() == Ending.FORGOTTEN)) {
            return;
        }
        Event first = null;
        String result = null;
        for (Call call : record.calls) {
            if (call.ending() == Ending.EXECUTED || call.ending() == Ending.REPLAYED) {
                if (first == null) {
                    first = call.shown();
                    result = call.result();
                } else if (!Objects.equals(result, call.result())) {
                    report(Rule.R5, record, "two results were given", List.of(first, call.shown()));
                }
            }
        }
        for (Event.Left left : record.left) {
            if (first != null && left.state().equals("COMPLETED") && !Objects.equals(result, left.result())) {
                report(Rule.R5, record, "the ledger has another result than was given", List.of(first, left));
            }
        }
    }

    private void failuresLeftNothing(RecordHistory record) {
        for (Call call : record.calls) {
            if (call.ending() == Ending.FAIL) {
                Set<Long> fences = new HashSet<>();
                call.starts.stream()
                        .filter(start -> !record.forgottenSince(start, call))
                        .forEach(start -> fences.add(start.event().grant().fence()));
                record.applied().stream()
                        .filter(applied -> fences.contains(applied.grant().fence()))
                        .forEach(applied ->
                                report(Rule.R6, record, "failed, and left an effect", List.of(call.shown(), applied)));
            }
        }
        boolean allFailed =
                !record.calls.isEmpty() && record.calls.stream().allMatch(call -> call.ending() == Ending.FAIL);
        if (allFailed && !record.applied().isEmpty() && violations.stream().noneMatch(v -> isR6(v, record))) {
            report(Rule.R6, record, "every call failed, and there is an effect", record.applied());
        }
    }

    private static boolean isR6(Violation violation, RecordHistory record) {
        return violation.rule() == Rule.R6 && violation.record().equals(record.record);
    }

    private void everythingEnds(RecordHistory record) {
        boolean accepted = record.calls.stream().anyMatch(call -> call.ending() == Ending.ACCEPTED);
        for (Event.Left left : record.left) {
            boolean waitsForACaller = left.state().equals("FAILED_RETRYABLE") && !accepted;
            if (!left.held() && !ENDED.contains(left.state()) && !waitsForACaller) {
                report(Rule.R7, record, "left " + left.state(), List.of(left));
            }
        }
    }

    private void everythingTold(RecordHistory record) {
        Map<String, Event.Audited> told = new HashMap<>();
        for (Event.Audited event : record.audited) {
            Event.Audited twin = told.putIfAbsent(event.type() + event.grant(), event);
            if (twin != null
                    && !event.type().startsWith("operation.replayed")
                    && !event.type().equals("operation.conflict")) {
                report(Rule.R8, record, "told twice", List.of(twin, event));
            }
        }
        for (Event.Left left : record.left) {
            Set<String> telling = TELLING.getOrDefault(left.state(), Set.of());
            boolean missing = record.audited.stream().noneMatch(event -> telling.contains(event.type()));
            if (!telling.isEmpty() && missing) {
                report(Rule.R8, record, "left " + left.state() + ", and no event tells of it", List.of(left));
            }
        }
    }

    private void chainUnbroken() {
        for (Event event : events) {
            if (event instanceof Event.Chained chained && !chained.unbroken()) {
                violations.add(new Violation(Rule.R8, "audit", chained.finding(), List.of(chained)));
            }
        }
    }

    private void linearizable(RecordHistory record) {
        if (!Linearizability.holds(record.calls)) {
            report(
                    Rule.R9,
                    record,
                    "no order of its calls explains their answers",
                    record.calls.stream().map(Call::shown).toList());
        }
        if (!record.applied().isEmpty() && record.calls.isEmpty()) {
            report(Rule.R9, record, "an effect that nobody asked for", record.applied());
        }
        Set<@Nullable String> asked = new HashSet<>();
        record.calls.forEach(call -> asked.add(call.invoked.payload()));
        for (Event.Delivered applied : record.applied()) {
            if (!record.calls.isEmpty() && applied.payload() != null && !asked.contains(applied.payload())) {
                report(Rule.R9, record, "an effect of a payload that nobody gave", List.of(applied));
            }
        }
    }

    private void lanesInOrder() {
        Map<String, Event.Delivered> newest = new HashMap<>();
        for (Event event : events) {
            if (event instanceof Event.Delivered delivered
                    && delivered.place() != null
                    && delivered.reception() == Reception.APPLIED) {
                judged.add(Rule.R10);
                Event.Delivered before = newest.put(delivered.place().lane(), delivered);
                if (before != null
                        && before.place() != null
                        && before.place().number() >= delivered.place().number()) {
                    violations.add(new Violation(
                            Rule.R10, delivered.place().lane(), "applied out of order", List.of(before, delivered)));
                } else if (before != null
                        && delivered.grant().fence() > 0 // a sink that is not told the fence logs none
                        && before.grant().fence() >= delivered.grant().fence()) {
                    violations.add(new Violation(
                            Rule.R10,
                            delivered.place().lane(),
                            "applied under a fence that is not above the one before it in the lane",
                            List.of(before, delivered)));
                }
            }
        }
    }

    private boolean any(Class<? extends Event> kind) {
        return kinds.contains(kind);
    }

    private void report(Rule rule, RecordHistory record, String what, Collection<? extends Event> shown) {
        violations.add(new Violation(rule, record.record, what, List.copyOf(shown)));
    }

    private Judgement.Counts counts() {
        int calls = records.values().stream()
                .mapToInt(record -> record.calls.size())
                .sum();
        return new Judgement.Counts(
                records.size(),
                calls,
                receptions(Reception.APPLIED),
                receptions(Reception.REPEATED),
                receptions(Reception.REFUSED));
    }

    private int receptions(Reception reception) {
        return (int) events.stream()
                .filter(event -> event instanceof Event.Delivered delivered && delivered.reception() == reception)
                .count();
    }
}
