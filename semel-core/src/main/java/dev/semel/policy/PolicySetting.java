package dev.semel.policy;

import dev.semel.Policy;
import dev.semel.Policy.DeadHead;
import dev.semel.PolicyBuilder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A setting of a policy, as configuration writes it: {@code semel.policy.NAME.SETTING}. Configuration is read by it, and the
 * command line and {@code docs/configuration.md} show policies by it.
 */
public enum PolicySetting {
    EXTENDS("extends", "the name of a policy", "The policy to start from.", PolicySetting::together, p -> null),
    MAX_ATTEMPTS(
            "max-attempts",
            "1 to 1000000",
            "Maximum number of attempts, including the first.",
            (p, v) -> p.withMaxAttempts(Values.number(v)),
            p -> String.valueOf(p.retry().maxAttempts())),
    BACKOFF(
            "backoff",
            "none, list 1s,3s or exp 1s x2 cap 30s",
            "Pauses between attempts: none, list 1s,3s or exp 1s x2 cap 30s.",
            (p, v) -> p.withBackoff(Values.backoff(v)),
            p -> Values.text(p.retry().backoff())),
    JITTER(
            "jitter",
            "none, full, equal, decorrelated or bounded 0.1",
            "Random spread of pauses: none, full, equal, decorrelated or bounded 0.1.",
            (p, v) -> p.withJitter(Values.jitter(v)),
            p -> Values.text(p.retry().jitter())),
    RETRY_BUDGET(
            "retry-budget",
            "0 or more",
            "Retries per second of one channel on all nodes together; 0 for no limit.",
            (p, v) -> p.withRetryBudget(Values.number(v)),
            p -> String.valueOf(p.retry().budget())),
    MAX_RETRY_AFTER(
            "max-retry-after",
            "a duration",
            "Longest accepted Retry-After; with a longer one there is no further attempt.",
            (p, v) -> p.withMaxRetryAfter(Values.duration(v)),
            p -> Values.text(p.retry().maxRetryAfter())),
    ATTEMPT_TIMEOUT(
            "attempt-timeout",
            "a duration",
            "Timeout after which a handler is interrupted.",
            (p, v) -> p.withAttemptTimeout(Values.duration(v)),
            p -> Values.text(p.limits().attemptTimeout())),
    DEADLINE(
            "deadline",
            "a duration, or none",
            "Time from acceptance after which no attempt starts; none for no deadline.",
            (p, v) -> {
                if (v.equals(Values.NONE)) {
                    p.withoutDeadline();
                } else {
                    p.withDeadline(Values.duration(v));
                }
            },
            p -> Values.textOrNone(p.limits().deadline())),
    LEASE(
            "lease",
            "a duration",
            "Time after which a grant without renewal expires.",
            (p, v) -> p.withLease(Values.duration(v)),
            p -> Values.text(p.limits().lease())),
    REDELIVERY(
            "redelivery",
            "a duration, or none",
            "How long the transport may redeliver the same message; a shorter retention of results is rejected.",
            (p, v) -> {
                if (v.equals(Values.NONE)) {
                    p.withoutRedelivery();
                } else {
                    p.withRedelivery(Values.duration(v));
                }
            },
            p -> Values.textOrNone(p.limits().redelivery())),
    REPEATABLE(
            "repeatable",
            "true or false",
            "Whether an interrupted leased run may be repeated automatically, where its operation declares nothing.",
            (p, v) -> p.withRepeatable(Values.flag(v)),
            p -> String.valueOf(p.options().repeatable())),
    STORE_FAILURES(
            "store-failures",
            "true or false",
            "Whether permanent failures are stored and replayed.",
            (p, v) -> p.withStoredFailures(Values.flag(v)),
            p -> String.valueOf(p.options().storeFailures())),
    DEAD_LETTERS(
            "dead-letters",
            "true or false",
            "Whether a permanent failure becomes a dead letter.",
            (p, v) -> p.withDeadLetters(Values.flag(v)),
            p -> String.valueOf(p.options().deadLetters())),
    DEAD_HEAD(
            "dead-head",
            "continue or park-lane",
            "What a lane does when its first message is dead: continue or park-lane.",
            (p, v) -> p.withDeadHead(Values.choice(v, DeadHead.values())),
            p -> Values.spelling(p.options().deadHead())),
    RETRY_ON(
            "retry-on",
            "class names, each with a category or none",
            "Exception classes that are retried, each with an optional category.",
            (p, v) -> RuleText.read(v).forEach(rule -> p.retryOn(rule.type(), rule.category())),
            p -> rules(p, true)),
    FAIL_ON(
            "fail-on",
            "class names, each with a category or none",
            "Exception classes that are not retried.",
            (p, v) -> RuleText.read(v).forEach(rule -> p.failOn(rule.type(), rule.category())),
            p -> rules(p, false)),
    RETENTION(
            "retention",
            "the name of a retention class",
            "Retention profile: payments, api, api.contract, events, saga or webhooks.",
            PolicySetting::together,
            p -> Values.className(p.retention())),
    RETENTION_SUCCESS(
            "retention-success",
            "a duration",
            "How long results are stored.",
            PolicySetting::together,
            p -> Values.text(p.retention().success())),
    RETENTION_FAILURE(
            "retention-failure",
            "a duration",
            "How long failures are stored.",
            PolicySetting::together,
            p -> Values.text(p.retention().failure())),
    RETENTION_DEAD_LETTERS(
            "retention-dead-letters",
            "a duration",
            "How long dead letters are stored.",
            PolicySetting::together,
            p -> Values.text(p.retention().deadLetters()));

    private static final Map<String, PolicySetting> BY_KEY =
            Arrays.stream(values()).collect(Collectors.toMap(PolicySetting::key, Function.identity()));

    private final String key;
    private final String form;
    private final String meaning;
    private final Setter setter;
    private final Getter getter;

    PolicySetting(String key, String form, String meaning, Setter setter, Getter getter) {
        this.key = key;
        this.form = form;
        this.meaning = meaning;
        this.setter = setter;
        this.getter = getter;
    }

    /** Puts the text of a setting into the builder; throws {@link IllegalArgumentException} with what would be right. */
    @FunctionalInterface
    private interface Setter {
        void set(PolicyBuilder policy, String value);
    }

    /** The text of a policy's setting; null when it has none. */
    @FunctionalInterface
    private interface Getter {
        @Nullable
        String get(Policy policy);
    }

    /** Its name in configuration, such as {@code max-attempts}. */
    public String key() {
        return key;
    }

    /** What may be written. */
    public String form() {
        return form;
    }

    /** One sentence. */
    public String meaning() {
        return meaning;
    }

    /** What a policy has, as configuration would write it; empty when configuration would write nothing. */
    public Optional<String> of(Policy policy) {
        return Optional.ofNullable(getter.get(policy));
    }

    static Optional<PolicySetting> named(String key) {
        return Optional.ofNullable(BY_KEY.get(key));
    }

    static List<String> keys() {
        return Arrays.stream(values()).map(PolicySetting::key).toList();
    }

    /** @throws IllegalArgumentException that says what would be right */
    void set(PolicyBuilder policy, String value) {
        setter.set(policy, value);
    }

    /** What a policy starts from and how long records are kept is read together, by {@link PolicySettings}. */
    private static void together(PolicyBuilder policy, String value) {}

    private static @Nullable String rules(Policy policy, boolean retried) {
        String all = policy.rules().entrySet().stream()
                .filter(rule -> rule.getValue().retry() == retried)
                .map(rule -> rule.getKey().getName() + " "
                        + rule.getValue().category().code())
                .sorted()
                .collect(Collectors.joining(", "));
        return all.isEmpty() ? null : all;
    }
}
