package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class AtomicBatchSizeTest {
    private final AtomicBatchSize size = new AtomicBatchSize();

    @Test
    void firstRunIsAloneInItsTransaction() {
        assertThat(size.current()).isEqualTo(1);
    }

    @Test
    void briefRunsShareATransaction() {
        took(Duration.ofNanos(1_000), 200);

        assertThat(size.current()).isEqualTo(64);
    }

    @Test
    void slowRunsDoNotShareATransaction() {
        took(Duration.ofNanos(1_000), 200);
        took(Duration.ofMillis(20), 200);

        assertThat(size.current()).isEqualTo(1);
    }

    @Test
    void oneSlowRunAmongBriefOnesDoesNotShrinkTheBatch() {
        took(Duration.ofNanos(20_000), 200);
        took(Duration.ofSeconds(1), 1);

        assertThat(size.current()).isEqualTo(64);
    }

    private void took(Duration each, int times) {
        for (int i = 0; i < times; i++) {
            size.took(each.toNanos());
        }
    }
}
