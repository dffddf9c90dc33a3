package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A load at a fixed rate. */
class PacedLoadTest {
    @Test
    void asManyCallsAreMadeAsAreDue() {
        AtomicInteger calls = new AtomicInteger();
        Timing timing =
                PacedLoad.run(Cell.of("paced", 4, caller -> calls.incrementAndGet()), 10_000, Duration.ofMillis(100));
        assertThat(calls).hasValue(1_000);
        assertThat(timing.operations()).isEqualTo(1_000);
    }

    @Test
    void limitOfTheCellIsKept() {
        AtomicInteger calls = new AtomicInteger();
        PacedLoad.run(
                Cell.of("paced", 3, caller -> calls.incrementAndGet()).limited(50), 100_000, Duration.ofSeconds(10));
        assertThat(calls).hasValue(50);
    }

    @Test
    void callsThatWereDueDuringASlowOneCountFromTheTimeTheyWereDue() {
        CountDownLatch first = new CountDownLatch(1);
        long pause = TimeUnit.MILLISECONDS.toNanos(400);
        Timing timing = PacedLoad.run(
                Cell.of("paced", 1, caller -> {
                    if (first.getCount() > 0) {
                        first.countDown();
                        long until = System.nanoTime() + pause;
                        while (until - System.nanoTime() > 0) {
                            LockSupport.parkNanos(until - System.nanoTime());
                        }
                    }
                }),
                1_000,
                Duration.ofMillis(200));
        assertThat(timing.operations()).isEqualTo(200);
        assertThat(timing.micros(50)).isGreaterThan(200_000);
    }

    @Test
    void failedCallEndsTheLoadAndIsNamed() {
        assertThatThrownBy(() -> PacedLoad.run(
                        Cell.of("paced", 2, caller -> {
                            throw new HttpBench.Wrong("sqlite: lost");
                        }),
                        1_000,
                        Duration.ofMillis(50)))
                .isInstanceOf(HttpBench.Wrong.class)
                .hasMessage("sqlite: lost");
    }
}
