package dev.semel.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TargetPathTest {
    @Test
    void longPathIsReadWithoutRecursion() {
        assertThat(TargetPath.isPlain("/" + "a".repeat(100_000))).isTrue();
        assertThat(TargetPath.isPlain("/" + "%41".repeat(100_000))).isTrue();
        assertThat(TargetPath.isPlain("/" + "a".repeat(100_000) + " ")).isFalse();
    }
}
