package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.semel.Failure.Category;
import dev.semel.Policy.Backoff;
import dev.semel.Policy.DeadHead;
import dev.semel.Policy.Jitter;
import dev.semel.Policy.Retention;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PolicyBuilderTest {

    @Test
    void policyStartsFromTheDefault() {
        Policy policy = Policy.named("p").build();
        assertThat(policy.retry())
                .isEqualTo(new Policy.Retry(
                        3,
                        new Backoff.Exponential(Duration.ofSeconds(1), 2, Duration.ofSeconds(30)),
                        new Jitter.Bounded(0.1),
                        Duration.ofHours(1)));
        assertThat(policy.limits().deadline()).isNull();
        assertThat(policy.options()).isEqualTo(new Policy.FailureHandling(false, true, true, DeadHead.CONTINUE));
    }

    @Test
    void copyIsEqualUntilItIsChanged() {
        Policy policy = Policy.named("p")
                .withDelays(Duration.ofSeconds(1))
                .withJitter(new Jitter.Equal())
                .withDeadline(Duration.ofHours(1))
                .failOn(IOException.class, Category.NETWORK)
                .withRepeatable(true)
                .withDeadHead(DeadHead.PARK_LANE)
                .build();
        assertThat(policy.toBuilder().build()).isEqualTo(policy);
        Policy changed = policy.toBuilder()
                .withName("q")
                .withoutDeadline()
                .retryOn(IOException.class, Category.NETWORK)
                .build();
        assertThat(changed.name()).isEqualTo("q");
        assertThat(changed.limits().deadline()).isNull();
        assertThat(changed.rules()).containsEntry(IOException.class, new Policy.Rule(true, Category.NETWORK));
    }

    @Test
    void everyFaultIsNamedAtOnce() {
        assertThat(faults(Policy.named("p")
                        .withMaxAttempts(0)
                        .withExponentialBackoff(Duration.ofSeconds(5), 0.5, Duration.ofSeconds(1))
                        .withJitter(new Jitter.Bounded(Double.NaN))
                        .withAttemptTimeout(Duration.ZERO)
                        .withLease(Duration.ofSeconds(-1))
                        .withDeadline(Duration.ofDays(4000))
                        .withMaxRetryAfter(Duration.ZERO)
                        .withRetention(new Retention(Duration.ZERO, Duration.ZERO, Duration.ZERO))
                        .failOn(String.class, Category.BUG)))
                .hasSize(12);
    }

    @Test
    void doubleSettingsAreRejected() {
        assertThat(faults(Policy.named("p")
                        .withMaxAttempts(2)
                        .withMaxAttempts(3)
                        .withoutBackoff()
                        .withDelays(Duration.ofSeconds(1))
                        .retryOn(IOException.class, Category.NETWORK)
                        .failOn(IOException.class, Category.NETWORK)
                        .withDeadline(Duration.ofHours(1))
                        .withoutDeadline()))
                .containsExactly(
                        "max attempts is set twice: keep one of the two",
                        "backoff is set twice: keep one of the two",
                        "rule for java.io.IOException is set twice: keep one of the two",
                        "deadline is set twice: keep one of the two");
    }

    @Test
    void contradictionsAreRejected() {
        assertThat(faults(Policy.named("p").withMaxAttempts(1).withDelays(Duration.ofSeconds(1))))
                .containsExactly("delays are listed but there is 1 attempt: raise max attempts or remove the delays");
        assertThat(faults(Policy.named("p").withoutBackoff().withJitter(new Jitter.Full())))
                .singleElement()
                .asString()
                .startsWith("jitter is set but there is no backoff");
        assertThat(faults(Policy.named("p").withDelays(Duration.ofSeconds(1)).withJitter(new Jitter.Decorrelated())))
                .singleElement()
                .asString()
                .startsWith("decorrelated jitter needs an exponential backoff");
        assertThat(faults(Policy.named("p").withDeadLetters(false).withDeadHead(DeadHead.PARK_LANE)))
                .singleElement()
                .asString()
                .startsWith("a dead head parks its lane but dead letters are off");
        assertThat(faults(Policy.named("p").withDelays()))
                .containsExactly("the list of delays is empty: give at least one, or use no backoff");
        assertThat(faults(Policy.named("p").withDelays(Duration.ofSeconds(-1), Duration.ofDays(9999))))
                .hasSize(2);
    }

    @Test
    void withoutBackoffThereIsNothingToJitter() {
        assertThat(Policy.named("p").withoutBackoff().build().retry().jitter()).isEqualTo(new Jitter.None());
        Policy.named("p").withoutBackoff().withJitter(new Jitter.None()).build();
    }

    @Test
    void builderCanBeUsedAgainAfterARefusal() {
        PolicyBuilder builder = Policy.named("p").withMaxAttempts(0);
        assertThat(faults(builder)).hasSize(1);
        assertThat(faults(builder)).hasSize(1);
    }

    @Test
    void policyOutOfBoundsCannotBeMadeByItsConstructorEither() {
        Policy policy = Policy.named("p").build();
        var never = new Policy.Retry(0, new Backoff.None(), new Jitter.None(), Duration.ofHours(1));
        assertThatThrownBy(
                        () -> new Policy("p", never, policy.limits(), policy.retention(), Map.of(), policy.options()))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("policy p: max attempts is 0");
        assertThatThrownBy(() -> Policy.named("").build()).isInstanceOf(SemelException.Invalid.class);
    }

    @Test
    void ruleMayNameAnInterface() {
        assertThat(Policy.named("p")
                        .retryOn(AutoCloseable.class, Category.NETWORK)
                        .build()
                        .rules())
                .containsKey(AutoCloseable.class);
        assertThat(faults(Policy.named("p").failOn(Override.class, Category.BUG)))
                .hasSize(1);
    }

    private static List<String> faults(PolicyBuilder builder) {
        return catchThrowableOfType(SemelException.Misconfigured.class, builder::build)
                .faults();
    }
}
