package dev.semel.testkit.history;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the checker found.
 *
 * @param violations all of them; empty when the run was correct as far as it could be judged
 * @param judged the rules for which the history had anything to judge
 * @param counts what was judged
 */
public record Judgement(List<Violation> violations, Set<Rule> judged, Counts counts) {
    private static final int SHOWN = 10;

    public Judgement {
        violations = List.copyOf(violations);
        judged = Set.copyOf(judged);
    }

    /**
     * @param rule what was broken
     * @param record by which record, or in which lane
     * @param what in words
     * @param events that show it
     */
    public record Violation(Rule rule, String record, String what, List<Event> events) {
        public Violation {
            events = List.copyOf(events);
        }

        @Override
        public String toString() {
            String shown = events.stream().map(event -> "\n    " + event).collect(Collectors.joining());
            return rule + " (" + rule.text() + "), " + record + ": " + what + shown;
        }
    }

    /** How much there was, and how often a receiver recognised a redelivery or refused an old fence. */
    public record Counts(int records, int calls, int applied, int repeated, int refused) {}

    /** Whether nothing was broken. */
    public boolean holds() {
        return violations.isEmpty();
    }

    /**
     * Fails unless nothing was broken and these rules could be judged.
     *
     * @param needed rules that the run set out to show
     */
    public void assertHolds(Rule... needed) {
        Set<Rule> missing = EnumSet.noneOf(Rule.class);
        missing.addAll(List.of(needed));
        missing.removeAll(judged);
        if (!missing.isEmpty()) {
            throw new AssertionError("The history has nothing to judge " + missing + " by: " + counts);
        }
        if (!holds()) {
            String shown =
                    violations.stream().limit(SHOWN).map(Violation::toString).collect(Collectors.joining("\n"));
            throw new AssertionError(violations.size() + " violations in " + counts + ":\n" + shown);
        }
    }
}
