package dev.semel.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.Policy;
import java.io.IOException;
import java.net.ConnectException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What an event holds of a decision is enough to decide the same, under every policy. */
class DecisionFieldsTest {
    private static final List<Policy.Jitter> JITTERS = List.of(
            new Policy.Jitter.None(),
            new Policy.Jitter.Full(),
            new Policy.Jitter.Equal(),
            new Policy.Jitter.Bounded(0.37),
            new Policy.Jitter.Decorrelated());

    static List<Policy> policies() {
        List<Policy> all = new ArrayList<>(Policy.shipped());
        for (Policy.Jitter jitter : JITTERS) {
            all.add(Policy.named("p-" + jitter.getClass().getSimpleName().toLowerCase(Locale.ROOT))
                    .withMaxAttempts(9)
                    .withBackoff(
                            new Policy.Backoff.Exponential(Duration.ofNanos(1_234_567), 2.3, Duration.ofSeconds(71)))
                    .withJitter(jitter)
                    .withMaxRetryAfter(Duration.ofMinutes(7))
                    .build());
        }
        return all;
    }

    private static Judgement judgement(Policy policy, Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> Classifier.judge(policy, new SQLException("x", "40001"));
            case 1 -> Classifier.judge(policy, new ConnectException("x"));
            case 2 -> Classifier.judge(policy, new IllegalStateException("x"));
            case 3 ->
                Classifier.judge(policy, Failure.of(Category.VALIDATION, "x").asException());
            default ->
                Classifier.judge(
                        policy,
                        Failure.of(Category.RATE_LIMITED, "x")
                                .withRetryAfter(Duration.ofNanos(random.nextLong(600_000_000_000L)))
                                .asException());
        };
    }

    private static Map<String, Object> event(Policy policy, RetryInput input) {
        Map<String, Object> event = new LinkedHashMap<>(new DecisionFields(policy.retry(), input).write());
        event.put("attempt", input.attempt());
        event.put("of", policy.retry().maxAttempts());
        if (input.judgement().failure().exception() != null) {
            event.put("exception", input.judgement().failure().exception());
        }
        event.replaceAll((name, value) -> value.toString());
        return event;
    }

    private static @Nullable Duration perhaps(Random random) {
        return random.nextBoolean() ? null : Duration.ofNanos(random.nextLong(90_000_000_000L));
    }

    @ParameterizedTest
    @MethodSource("policies")
    void decisionIsTheSameAfterItWasWrittenAndRead(Policy policy) {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            RetryInput input = RetryInput.drawn(
                    1 + random.nextInt(10), judgement(policy, random), perhaps(random), perhaps(random), random);
            DecisionFields read = DecisionFields.read(event(policy, input));
            RetryDecision decided = RetryDecision.decide(policy, input);
            RetryDecision again = RetryDecision.decide(read.policy(), read.input());
            assertThat(again.getClass()).as("seed " + seed).isEqualTo(decided.getClass());
            if (decided instanceof RetryDecision.RetryIn in) {
                assertThat(again).as("seed " + seed).isEqualTo(in);
            }
            assertThat(RetryDecision.pause(read.policy(), read.input()))
                    .as("seed " + seed)
                    .isEqualTo(input.judgement().retry() ? RetryDecision.pause(policy, input) : Duration.ZERO);
            assertThat(JudgementReplay.asRecorded().rule(read.input().judgement()))
                    .as("seed " + seed)
                    .isEqualTo(new Policy.Rule(
                            input.judgement().retry(),
                            input.judgement().failure().category()));
        }
    }

    @Test
    void missingOrUnreadableFieldIsNamed() {
        Policy policy = Policy.DEFAULT;
        RetryInput input = RetryInput.drawn(
                1, Classifier.judge(policy, new IllegalStateException("x")), null, null, new Random(1));
        for (String field : List.of("backoff", "max_retry_after", "attempt", "of")) {
            Map<String, Object> event = event(policy, input);
            event.remove(field);
            assertThatThrownBy(() -> DecisionFields.read(event)).hasMessage(field + " is missing");
        }
        for (String draw : List.of("-1", "9007199254740992")) {
            Map<String, Object> event = event(policy, input);
            event.put("draw", draw);
            assertThatThrownBy(() -> DecisionFields.read(event)).hasMessageContaining("out of range");
        }
        for (String judged :
                List.of("", "handler", "nobody network retry", "handler nothing retry", "handler network")) {
            Map<String, Object> event = event(policy, input);
            event.put("judged_by", judged);
            assertThatThrownBy(() -> DecisionFields.read(event)).hasMessageContaining("judged_by");
        }
    }

    @Test
    void rulesOfAConfiguredPolicyJudgeAgain() {
        Policy strict =
                Policy.named("p").failOn(IOException.class, Category.MAPPING).build();
        Judgement recorded = Classifier.judge(strict, new IOException("x"));
        assertThat(recorded.basis())
                .isEqualTo(new JudgementBasis(JudgementBasis.Source.POLICY_RULE, "java.io.IOException"));
        Policy.Rule rule = new Policy.Rule(false, Category.MAPPING);
        assertThat(JudgementReplay.asRecorded().rule(recorded)).isEqualTo(rule);
        assertThat(JudgementReplay.withRules(strict.rules()).rule(recorded)).isEqualTo(rule);
        assertThat(JudgementReplay.withRules(Map.of()).rule(recorded))
                .as("without the rule it is unlisted")
                .isEqualTo(new Policy.Rule(true, Category.UNKNOWN));
    }
}
