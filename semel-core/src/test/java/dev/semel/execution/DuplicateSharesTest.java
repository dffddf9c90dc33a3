package dev.semel.execution;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a node remembers about the names that callers choose for their operations. */
class DuplicateSharesTest {
    private final DuplicateShares shares = new DuplicateShares();

    @Test
    void namesThatCallersInventDoNotAccumulate() {
        for (int i = 0; i < 10_000; i++) {
            shares.of("invented " + i).count(false);
        }
        assertThat(shares.size()).isLessThanOrEqualTo(1_000);
    }

    @Test
    void operationWithManyDuplicatesIsRecognised() {
        for (int i = 0; i < 100; i++) {
            shares.of("often").count(true);
        }
        assertThat(shares.of("often").isHigh()).isTrue();
        assertThat(shares.of("seldom").isHigh()).isFalse();
    }
}
