package dev.semel.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Policy;
import dev.semel.Policy.Backoff;
import dev.semel.Policy.Jitter;
import dev.semel.SemelException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DelaysTest {

    @Test
    void exponentialBackoffDoublesUpToItsCap() {
        var backoff = new Backoff.Exponential(Duration.ofMillis(250), 2, Duration.ofSeconds(3));
        assertThat(IntStream.rangeClosed(1, 6)
                        .mapToObj(n -> Delays.capped(backoff, n).toMillis()))
                .containsExactly(250L, 500L, 1000L, 2000L, 3000L, 3000L);
    }

    @Test
    void hugeCapIsReachedToTheNanosecond() {
        Duration cap = Duration.ofDays(3650).minusNanos(1);
        var backoff = new Backoff.Exponential(Duration.ofNanos(1), 2, cap);
        assertThat(Delays.capped(backoff, 1_000_000)).isEqualTo(cap);
        assertThat(Delays.capped(backoff, 58)).isEqualTo(Duration.ofNanos(1L << 57));
        var odd = new Backoff.Exponential(Duration.ofNanos((1L << 55) + 1), 2, cap);
        assertThat(Delays.capped(odd, 3)).isEqualTo(Duration.ofNanos((1L << 57) + 4));
    }

    @Test
    void lastDelayOfAListRepeats() {
        var backoff = new Backoff.Listed(List.of(Duration.ofSeconds(1), Duration.ofSeconds(3)));
        assertThat(IntStream.of(1, 2, 3, 1_000_000)
                        .mapToObj(n -> Delays.capped(backoff, n).toSeconds()))
                .containsExactly(1L, 3L, 3L, 3L);
    }

    @Test
    void withoutBackoffTheNextAttemptFollowsAtOnce() {
        Policy policy = Policy.named("p").withoutBackoff().build();
        assertThat(Delays.before(policy, 1, null, new Random(1))).isZero();
    }

    @Test
    void decorrelatedJitterStartsFromTheBase() {
        Policy policy = decorrelated();
        for (int seed = 0; seed < 200; seed++) {
            assertThat(Delays.before(policy, 1, null, new Random(seed)))
                    .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(3));
        }
        assertThat(Delays.before(policy, 2, Duration.ZERO, new Random(1))).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void veryLongPreviousDelayDoesNotOverflowDecorrelatedJitter() {
        Duration next = Delays.before(decorrelated(), 3, Duration.ofSeconds(Long.MAX_VALUE), new Random(1));
        assertThat(next).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(30));
    }

    @Test
    void jitterSpreadsOverItsWholeRange() {
        Policy policy = Policy.named("p").withJitter(new Jitter.Full()).build();
        var random = new Random(7);
        var delays = IntStream.range(0, 1000)
                .mapToObj(i -> Delays.before(policy, 1, null, random))
                .toList();
        assertThat(delays).anyMatch(d -> d.toMillis() < 100).anyMatch(d -> d.toMillis() > 900);
    }

    @Test
    void attemptBeforeTheFirstIsRejected() {
        assertThatThrownBy(() -> Delays.before(decorrelated(), 0, null, new Random(1)))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("Attempt 0");
        assertThatThrownBy(() -> Delays.capped(new Backoff.None(), -1)).isInstanceOf(SemelException.Invalid.class);
    }

    private static Policy decorrelated() {
        return Policy.named("p").withJitter(new Jitter.Decorrelated()).build();
    }
}
