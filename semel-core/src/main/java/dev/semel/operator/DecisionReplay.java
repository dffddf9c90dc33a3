package dev.semel.operator;

import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.policy.Catalogue;
import dev.semel.policy.DecisionFields;
import dev.semel.policy.Judgement;
import dev.semel.policy.JudgementBasis;
import dev.semel.policy.JudgementReplay;
import dev.semel.policy.RetryDecision;
import dev.semel.policy.RetryInput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Recomputes retry decisions from their audit events alone and names every difference. Events are read one after the other, in the
 * order of the audit; only what later events refer to is remembered. Not for use by several threads.
 */
public final class DecisionReplay {
    private static final int MOST_RECORDS = 100_000;
    private static final int MOST_SHOWN = 100;

    /** The policies to decide by, by their codes; null to decide by the settings that the events hold. */
    private final @Nullable Map<String, Policy> policies;

    private final Map<String, RecordStory> stories = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, RecordStory> eldest) {
            return size() > MOST_RECORDS;
        }
    };
    private final Map<String, Long> equal = new TreeMap<>();
    private final List<Difference> differences = new ArrayList<>();
    private long decisions;
    private long differing;
    private long withoutInputs;

    private DecisionReplay(@Nullable Map<String, Policy> policies) {
        this.policies = policies;
    }

    /** Decides by the settings that the events hold. */
    public static DecisionReplay bySettingsOfEvents() {
        return new DecisionReplay(null);
    }

    /** Decides by these policies; where none has the event's code, by the settings that the event holds. */
    public static DecisionReplay by(Catalogue catalogue) {
        Map<String, Policy> byCode = new HashMap<>();
        catalogue.names().forEach(name -> byCode.put(catalogue.get(name).code(), catalogue.get(name)));
        return new DecisionReplay(byCode);
    }

    /**
     * A decision that is recomputed differently.
     *
     * @param event its id
     * @param record its id
     * @param what differs: {@code decision}, {@code category}, {@code judgement}, {@code previous delay} or {@code inputs}
     */
    public record Difference(String event, String record, String what, String stored, String recomputed) {
        public String sentence() {
            return "event " + event + ", record " + record + ": " + what + " is stored as '" + stored
                    + "', recomputed as '" + recomputed + "'";
        }
    }

    /**
     * @param decisions that were recomputed
     * @param equal how many of them are as stored, by decision
     * @param differing how many are not
     * @param withoutInputs events of earlier versions, which hold too little to recompute their decision
     * @param differences the first ones
     */
    public record DecisionReport(
            long decisions, Map<String, Long> equal, long differing, long withoutInputs, List<Difference> differences) {
        public boolean allEqual() {
            return differing == 0;
        }
    }

    /** What later events of a record refer to. */
    private static final class RecordStory {
        private final Map<Integer, List<Long>> delays = new HashMap<>();
        private @Nullable Map<String, ?> exhausted;
    }

    /** @param event the fields of an exported event, by their public names */
    public void read(Map<String, ?> event) {
        EventType type = EventType.named(text(event, "type")).orElse(null);
        if (type != EventType.RETRY_ATTEMPT && type != EventType.RETRY_EXHAUSTED && type != EventType.SYSTEM_ERROR) {
            return;
        }
        RecordStory story = stories.computeIfAbsent(text(event, "record"), any -> new RecordStory());
        if (DecisionFields.areIn(event)) {
            count(check(type, event, story), event);
        } else if (!follows(type, event, story)) {
            withoutInputs++;
        }
        if (type == EventType.RETRY_ATTEMPT && event.containsKey("delay_ms")) {
            delays(story, number(event, "attempt")).add(number(event, "delay_ms"));
        }
        story.exhausted = type == EventType.RETRY_EXHAUSTED ? event : null;
    }

    public DecisionReport report() {
        return new DecisionReport(decisions, new TreeMap<>(equal), differing, withoutInputs, List.copyOf(differences));
    }

    /** A dead letter whose attempts ran out tells of its last attempt twice: the first event holds the inputs. */
    private boolean follows(EventType type, Map<String, ?> event, RecordStory story) {
        Map<String, ?> first = story.exhausted;
        boolean same = type == EventType.SYSTEM_ERROR
                && first != null
                && text(first, "fence").equals(text(event, "fence"))
                && text(first, "attempt").equals(text(event, "attempt"));
        if (same && !text(first, "category").equals(text(event, "category"))) {
            differing++;
            add(difference(event, "category", text(event, "category"), text(first, "category")));
        }
        return same;
    }

    private void count(List<Difference> found, Map<String, ?> event) {
        decisions++;
        if (found.isEmpty()) {
            equal.merge(kind(text(event, "type")), 1L, Long::sum);
        } else {
            differing++;
            found.forEach(this::add);
        }
    }

    private void add(Difference difference) {
        if (differences.size() < MOST_SHOWN) {
            differences.add(difference);
        }
    }

    private static String kind(String type) {
        return switch (type) {
            case "retry.attempt" -> "retry";
            case "retry.exhausted" -> "exhausted";
            default -> "failed";
        };
    }

    private List<Difference> check(EventType type, Map<String, ?> event, RecordStory story) {
        try {
            DecisionFields fields = DecisionFields.read(event);
            Policy given = policies == null ? null : policies.get(text(event, "policy"));
            Policy policy = given == null ? fields.policy() : given;
            List<Difference> found = new ArrayList<>();
            judge(event, fields.input().judgement(), given, found);
            checkPrevious(event, fields.input(), story, found);
            checkDecision(type, event, policy, fields.input(), found);
            return found;
        } catch (IllegalArgumentException | ArithmeticException | SemelException unreadable) {
            return List.of(difference(event, "inputs", String.valueOf(unreadable.getMessage()), "readable inputs"));
        }
    }

    private static void judge(
            Map<String, ?> event, Judgement recorded, @Nullable Policy given, List<Difference> found) {
        JudgementReplay judges =
                given == null ? JudgementReplay.asRecorded() : JudgementReplay.withRules(given.rules());
        Policy.Rule rule = judges.rule(recorded);
        String stored =
                words(new Policy.Rule(recorded.retry(), recorded.failure().category()));
        if (!stored.equals(words(rule))) {
            found.add(difference(event, "judgement", stored, words(rule)));
        }
    }

    private static String words(Policy.Rule rule) {
        return rule.category().code() + (rule.retry() ? ", may be retried" : ", not retried");
    }

    private static void checkPrevious(
            Map<String, ?> event, RetryInput input, RecordStory story, List<Difference> found) {
        if (input.previous() == null) {
            return;
        }
        List<Long> known = delays(story, input.attempt() - 1L);
        if (!known.isEmpty() && !known.contains(input.previous().toMillis())) {
            found.add(difference(
                    event, "previous delay", input.previous().toMillis() + " ms", known.get(known.size() - 1) + " ms"));
        }
    }

    private static void checkDecision(
            EventType type, Map<String, ?> event, Policy policy, RetryInput input, List<Difference> found) {
        RetryDecision decision = RetryDecision.decide(policy, input);
        String category = decision instanceof RetryDecision.RateLimited limited
                        && input.judgement().basis().source() != JudgementBasis.Source.REQUEST
                ? limited.failure().category().code()
                : input.judgement().failure().category().code();
        if (!category.equals(text(event, "category"))) {
            found.add(difference(event, "category", text(event, "category"), category));
        }
        String stored = stored(type, event);
        String recomputed = recomputed(type, event, policy, input);
        if (!stored.equals(recomputed)) {
            found.add(difference(event, "decision", stored, recomputed));
        }
    }

    private static String stored(EventType type, Map<String, ?> event) {
        return switch (type) {
            case RETRY_ATTEMPT -> "retry in " + text(event, "delay_ms") + " ms";
            case RETRY_EXHAUSTED -> exhausted(event.containsKey("delay_ms") ? text(event, "delay_ms") : null);
            default -> "failed, no further attempt";
        };
    }

    private static String recomputed(EventType type, Map<String, ?> event, Policy policy, RetryInput input) {
        if (type == EventType.RETRY_ATTEMPT && text(event, "recovery_action").equals(Events.CALLER_INTERRUPTED)) {
            return retry(Duration.ZERO);
        }
        if (input.judgement().basis().source() == JudgementBasis.Source.REQUEST) {
            Duration pause = RetryDecision.pause(policy, input);
            boolean spent = input.attempt() >= policy.retry().maxAttempts();
            return spent ? exhausted(String.valueOf(pause.toMillis())) : retry(pause);
        }
        RetryDecision decision = RetryDecision.decide(policy, input);
        boolean forGood = decision instanceof RetryDecision.Terminal || decision instanceof RetryDecision.RateLimited;
        if (forGood && text(event, "recovery_action").equals(Events.ON_DEAD_FAILED)) {
            return stored(EventType.RETRY_EXHAUSTED, event); // its pause is not the policy's
        }
        if (decision instanceof RetryDecision.RetryIn in) {
            return retry(in.delay());
        }
        if (decision instanceof RetryDecision.Exhausted) {
            // A message has nobody who could come back; a caller is told when to.
            boolean told = event.containsKey("delay_ms") && type == EventType.RETRY_EXHAUSTED;
            return exhausted(
                    told ? String.valueOf(RetryDecision.pause(policy, input).toMillis()) : null);
        }
        return "failed, no further attempt";
    }

    private static String retry(Duration delay) {
        return "retry in " + delay.toMillis() + " ms";
    }

    private static String exhausted(@Nullable String pauseMillis) {
        return "exhausted" + (pauseMillis == null ? "" : ", caller may return in " + pauseMillis + " ms");
    }

    private static Difference difference(Map<String, ?> event, String what, String stored, String recomputed) {
        return new Difference(text(event, "id"), text(event, "record"), what, stored, recomputed);
    }

    private static List<Long> delays(RecordStory story, long attempt) {
        return story.delays.computeIfAbsent((int) attempt, any -> new ArrayList<>(1));
    }

    private static long number(Map<String, ?> event, String field) {
        try {
            return Long.parseLong(text(event, field));
        } catch (NumberFormatException wrong) {
            return -1;
        }
    }

    private static String text(Map<String, ?> event, String field) {
        Object value = event.get(field);
        return value == null ? "" : value.toString();
    }
}
