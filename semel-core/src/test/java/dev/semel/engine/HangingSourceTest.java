package dev.semel.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.DeliverySource;
import dev.semel.Policy;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A source of deliveries that does not answer: its attempt is interrupted, and other sources are asked meanwhile. */
class HangingSourceTest {
    private static final DeliverySource.Schedule HOURLY =
            new DeliverySource.Schedule(Duration.ofHours(1), Duration.ofMinutes(1));

    /** Bounds a wait that has no end if the promise is broken. */
    private static final long BOUND_SECONDS = 120;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final CountDownLatch never = new CountDownLatch(1);

    private record Source(String name, Answering answering) implements DeliverySource {
        @Override
        public Page between(Instant from, Instant until, @Nullable String cursor) throws Exception {
            answering.answer();
            return new Page(List.of(), null);
        }
    }

    @FunctionalInterface
    private interface Answering {
        void answer() throws Exception;
    }

    private void hang() throws InterruptedException {
        asked.countDown();
        try {
            never.await();
        } catch (InterruptedException e) {
            interrupted.countDown();
            throw e;
        }
    }

    @Test
    void d17_sourceThatHangsIsInterruptedAndHoldsUpNoOther() throws Exception {
        Policy brief = Policy.named("worker.job")
                .withAttemptTimeout(Duration.ofSeconds(2))
                .build();
        CountDownLatch reported = new CountDownLatch(1);
        try (Engine engine = EngineSettings.on(new MemoryStore(TimeSource.system()))
                .withPolicy(brief)
                .open()) {
            engine.checkDeliveries(new Source("hung", this::hang), HOURLY, (from, until, report) -> {});
            assertThat(asked.await(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
            engine.checkDeliveries(
                    new Source("other", () -> {}), HOURLY, (from, until, report) -> reported.countDown());
            assertThat(reported.await(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(interrupted.await(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }
}
