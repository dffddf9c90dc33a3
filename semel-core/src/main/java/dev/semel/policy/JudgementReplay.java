package dev.semel.policy;

import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.Policy.Rule;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Judges a recorded failure again: by the built-in rules of this version and, where they are given, the rules of a policy. The
 * class of an exception counts where it can be loaded; of one that cannot, the recorded rule is taken.
 */
public final class JudgementReplay {
    private final @Nullable Map<Class<?>, Rule> ofPolicy;

    private JudgementReplay(@Nullable Map<Class<?>, Rule> ofPolicy) {
        this.ofPolicy = ofPolicy;
    }

    /** Rules of policies are taken as they were recorded. */
    public static JudgementReplay asRecorded() {
        return new JudgementReplay(null);
    }

    public static JudgementReplay withRules(Map<Class<?>, Rule> ofPolicy) {
        return new JudgementReplay(ofPolicy);
    }

    /** The rule that the recorded judgement should follow; the judgement itself as a rule where nothing else is known. */
    public Rule rule(Judgement recorded) {
        Category category = recorded.failure().category();
        return switch (recorded.basis().source()) {
            case HANDLER -> new Rule(category.retried(), category);
            case POLICY_RULE, BUILT_IN_RULE, UNLISTED -> byClass(recorded);
            case SQL_STATE -> or(BuiltInRules.bySqlState(recorded.basis().name()), recorded);
            case ANSWER -> ofAnswer(recorded);
            case ATTEMPT_TIMEOUT -> new Rule(true, Category.TIMEOUT);
            case CALLER -> or(null, recorded);
            case REQUEST -> new Rule(true, category);
            case LEASE -> new Rule(true, Category.LEASE_LOST);
            case DEADLINE -> new Rule(false, Category.TIMEOUT);
            case PAYLOAD -> new Rule(false, Category.MAPPING);
            case STORE -> new Rule(false, Category.INVALID_OUTPUT);
            case RECONCILER, MODE -> new Rule(false, category);
        };
    }

    private Rule byClass(Judgement recorded) {
        JudgementBasis basis = recorded.basis();
        boolean byPolicy = basis.source() == JudgementBasis.Source.POLICY_RULE;
        if (byPolicy && ofPolicy == null) {
            return or(null, recorded);
        }
        Map<Class<?>, Rule> rules = ofPolicy == null ? Map.of() : ofPolicy;
        if (byPolicy && Failure.Thrown.class.getName().equals(basis.name())) {
            Rule stated = rules.get(Failure.Thrown.class);
            Category category = recorded.failure().category();
            return new Rule(stated == null ? category.retried() : stated.retry(), category);
        }
        Class<?> thrown = exception(recorded.failure().exception());
        if (thrown == null) {
            return or(named(rules, basis), recorded);
        }
        Map.Entry<Class<?>, Rule> matched = Classifier.mostSpecific(rules, thrown, null);
        Rule rule = matched == null ? BuiltInRules.UNLISTED : matched.getValue();
        boolean notStorable =
                Error.class.isAssignableFrom(thrown) && rule.category().stored();
        return notStorable ? new Rule(rule.retry(), Category.BUG) : rule;
    }

    private static @Nullable Rule named(Map<Class<?>, Rule> ofPolicy, JudgementBasis basis) {
        if (basis.source() == JudgementBasis.Source.UNLISTED) {
            return BuiltInRules.UNLISTED;
        }
        Map<Class<?>, Rule> rules =
                basis.source() == JudgementBasis.Source.POLICY_RULE ? ofPolicy : BuiltInRules.BY_CLASS;
        return rules.entrySet().stream()
                .filter(each -> each.getKey().getName().equals(basis.name()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    private static Rule ofAnswer(Judgement recorded) {
        Category category = recorded.failure().category();
        String answer = String.valueOf(recorded.basis().name());
        return switch (answer) {
            case "Failed" -> new Rule(false, category);
            case "RetryLater" -> new Rule(true, category);
            case "InProgress" -> new Rule(true, Category.CONFLICT);
            case "Halted" -> new Rule(true, Category.DISABLED);
            case "Conflict" -> new Rule(false, Category.CONFLICT);
            case "Rejected" -> new Rule(false, Category.VALIDATION);
            default -> new Rule(false, Category.UNKNOWN);
        };
    }

    private static Rule or(@Nullable Rule known, Judgement recorded) {
        return known != null
                ? known
                : new Rule(recorded.retry(), recorded.failure().category());
    }

    /** Only looked up, never initialised: the name comes from a file. */
    private static @Nullable Class<?> exception(@Nullable String name) {
        if (name == null) {
            return null;
        }
        try {
            Class<?> type = Class.forName(name, false, JudgementReplay.class.getClassLoader());
            return Throwable.class.isAssignableFrom(type) ? type : null;
        } catch (ClassNotFoundException | LinkageError unknown) {
            return null;
        }
    }
}
