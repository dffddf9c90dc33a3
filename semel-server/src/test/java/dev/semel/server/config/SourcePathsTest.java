package dev.semel.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SourcePathsTest {
    @Test
    void randomPartsAreHardToGuess() {
        Random random = new Random(11);
        byte[] bytes = new byte[16];
        for (int i = 0; i < 1_000; i++) {
            random.nextBytes(bytes);
            assertThat(SourcePaths.isHardToGuess("/in/" + HexFormat.of().formatHex(bytes)))
                    .isTrue();
            assertThat(SourcePaths.isHardToGuess("/in/" + UUID.nameUUIDFromBytes(bytes)))
                    .isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/webhooks/stripe",
                "/webhooks/notifications-of-all-customers",
                "/webhooks/payments-2024-production-1",
                "/1a2b3c4d5e6f7a8",
                "/1a1a1a1a1a1a1a1a1a1a1a1a",
                "/12345678/abcdefgh/12345678/abcdefgh"
            })
    void wordsShortPartsAndRepetitionsCanBeGuessed(String path) {
        assertThat(SourcePaths.isHardToGuess(path)).isFalse();
    }
}
