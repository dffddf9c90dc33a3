package dev.semel.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.Policy;
import dev.semel.policy.RetryDecision.Exhausted;
import dev.semel.policy.RetryDecision.Limit;
import dev.semel.policy.RetryDecision.RateLimited;
import dev.semel.policy.RetryDecision.RetryIn;
import dev.semel.policy.RetryDecision.Terminal;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RetryDecisionTest {
    private static final Policy POLICY =
            Policy.named("p").withJitter(new Policy.Jitter.None()).build();

    @Test
    void retryableFailureIsTriedAgainAfterItsBackoff() {
        assertThat(decide(POLICY, 1, retryable(), null)).isEqualTo(new RetryIn(Duration.ofSeconds(1)));
        assertThat(decide(POLICY, 2, retryable(), null)).isEqualTo(new RetryIn(Duration.ofSeconds(2)));
    }

    @Test
    void lastAttemptExhaustsThePolicy() {
        assertThat(decide(POLICY, 3, retryable(), null)).isEqualTo(new Exhausted(Limit.ATTEMPTS));
        assertThat(decide(POLICY, 4, retryable(), null)).isEqualTo(new Exhausted(Limit.ATTEMPTS));
    }

    @Test
    void retryAfterIsAFloor() {
        assertThat(decide(POLICY, 1, limited(Duration.ofSeconds(90)), null))
                .isEqualTo(new RetryIn(Duration.ofSeconds(90)));
        assertThat(decide(POLICY, 1, limited(Duration.ofMillis(10)), null))
                .isEqualTo(new RetryIn(Duration.ofSeconds(1)));
        assertThat(decide(POLICY, 1, limited(Duration.ofHours(1)), null)).isEqualTo(new RetryIn(Duration.ofHours(1)));
    }

    @Test
    void retryAfterBeyondThePolicyEndsAsRateLimited() {
        var upstream = Failure.of(Category.UPSTREAM_ERROR, "busy")
                .withRetryAfter(Duration.ofHours(1).plusNanos(1));
        var decision = decide(POLICY, 3, new Judgement(upstream, true), null);
        assertThat(decision).isInstanceOfSatisfying(RateLimited.class, limited -> {
            assertThat(limited.failure().category()).isEqualTo(Category.RATE_LIMITED);
            assertThat(limited.failure().reason()).contains("3600 s", "policy p", "busy");
            assertThat(limited.failure().retryAfter()).isEqualTo(upstream.retryAfter());
        });
    }

    @Test
    void hostileRetryAfterEndsAsRateLimitedUnderEveryPolicy() {
        Policy patient =
                Policy.named("patient").withMaxRetryAfter(Duration.ofDays(3650)).build();
        assertThat(decide(patient, 1, limited(RetryAfter.LONGEST), null)).isInstanceOf(RateLimited.class);
        assertThat(decide(patient, 1, limited(Duration.ofSeconds(Long.MAX_VALUE)), null))
                .isInstanceOf(RateLimited.class);
    }

    @Test
    void deadlineThatIsReachedBeforeTheNextAttemptExhausts() {
        assertThat(decide(POLICY, 1, retryable(), Duration.ofSeconds(1))).isEqualTo(new Exhausted(Limit.DEADLINE));
        assertThat(decide(POLICY, 1, retryable(), Duration.ofSeconds(-5))).isEqualTo(new Exhausted(Limit.DEADLINE));
        assertThat(decide(POLICY, 1, limited(Duration.ofSeconds(9)), Duration.ofSeconds(5)))
                .isEqualTo(new Exhausted(Limit.DEADLINE));
        assertThat(decide(POLICY, 1, retryable(), Duration.ofMillis(1001)))
                .isEqualTo(new RetryIn(Duration.ofSeconds(1)));
    }

    @ParameterizedTest
    @EnumSource(Category.class)
    void onlyFailuresThatWouldBeTheSameAgainAreStored(Category category) {
        var expected = Set.of(
                        Category.VALIDATION,
                        Category.BUSINESS_RULE,
                        Category.AUTH,
                        Category.NOT_FOUND,
                        Category.MAPPING)
                .contains(category);
        var terminal = new Judgement(Failure.of(category, "no"), false);
        assertThat(decide(POLICY, 1, terminal, null)).isEqualTo(new Terminal(expected));
        Policy forgetful = POLICY.toBuilder().withStoredFailures(false).build();
        assertThat(decide(forgetful, 1, terminal, null)).isEqualTo(new Terminal(false));
    }

    @Test
    void predicateDecidesWhichFailuresAreStoredAfterRulesErrorsAndTheSwitch() {
        var asked = new ArrayList<Throwable>();
        Policy policy = POLICY.toBuilder()
                .failOn(IllegalStateException.class, Category.BUG)
                .failOn(SecurityException.class, Category.AUTH)
                .withStoredFailures(thrown -> {
                    asked.add(thrown);
                    if (thrown.getMessage() == null) {
                        throw new NullPointerException("simulated");
                    }
                    return thrown.getMessage().contains("final");
                })
                .build();
        assertThat(terminal(policy, new IllegalStateException("final"))).isEqualTo(new Terminal(true));
        assertThat(terminal(policy, new ExecutionException(new IllegalStateException("final"))))
                .isEqualTo(new Terminal(true));
        assertThat(terminal(policy, new SecurityException("no"))).isEqualTo(new Terminal(false));
        assertThat(terminal(policy, Failure.of(Category.VALIDATION, "no").asException()))
                .isEqualTo(new Terminal(false));
        assertThat(asked).hasSize(4).noneMatch(ExecutionException.class::isInstance);
        assertThat(terminal(policy, new SecurityException())).as("the category").isEqualTo(new Terminal(true));
        asked.clear();
        assertThat(terminal(policy, new AssertionError("final"))).isEqualTo(new Terminal(false));
        assertThat(terminal(policy, new ConnectException("final"))).isInstanceOf(RetryIn.class);
        assertThat(asked).isEmpty();
        Policy off = policy.toBuilder().withStoredFailures(false).build();
        assertThat(terminal(off, new IllegalStateException("final"))).isEqualTo(new Terminal(false));
        assertThatThrownBy(() -> POLICY.toBuilder()
                        .withStoredFailures(true)
                        .withStoredFailures(thrown -> true)
                        .build())
                .hasMessageContaining("stored failures is set twice");
    }

    private static RetryDecision terminal(Policy policy, Throwable thrown) {
        return decide(policy, 1, Classifier.judge(policy, thrown), null);
    }

    @Test
    void decorrelatedJitterGrowsFromThePreviousDelay() {
        Policy policy =
                Policy.named("p").withJitter(new Policy.Jitter.Decorrelated()).build();
        var decision = RetryDecision.decide(policy, 2, retryable(), Duration.ofSeconds(5), null, new Random(3));
        assertThat(decision)
                .isInstanceOfSatisfying(
                        RetryIn.class,
                        in -> assertThat(in.delay()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(15)));
    }

    private static RetryDecision decide(Policy policy, int attempt, Judgement judgement, @Nullable Duration remaining) {
        return RetryDecision.decide(policy, attempt, judgement, null, remaining, new Random(1));
    }

    private static Judgement retryable() {
        return new Judgement(Failure.of(Category.NETWORK, "reset"), true);
    }

    private static Judgement limited(Duration retryAfter) {
        return new Judgement(Failure.of(Category.RATE_LIMITED, "slow down").withRetryAfter(retryAfter), true);
    }
}
