package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PaceTest {
    private final Pace pace = new Pace();

    @Test
    void theFirstRunsAlone() {
        assertThat(pace.together()).isEqualTo(1);
    }

    @Test
    void manyBriefOnesShareATransaction() {
        took(Duration.ofNanos(1_000), 200);

        assertThat(pace.together()).isEqualTo(64);
    }

    @Test
    void slowOnesDoNot() {
        took(Duration.ofNanos(1_000), 200);
        took(Duration.ofMillis(20), 200);

        assertThat(pace.together()).isEqualTo(1);
    }

    @Test
    void oneInterruptionDoesNotSpoilIt() {
        took(Duration.ofNanos(20_000), 200);
        took(Duration.ofSeconds(1), 1);

        assertThat(pace.together()).isEqualTo(64);
    }

    private void took(Duration each, int times) {
        for (int i = 0; i < times; i++) {
            pace.took(each.toNanos());
        }
    }
}
