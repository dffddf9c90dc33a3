package dev.semel.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Operation;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class FingerprintsPropertiesTest {
    private static final Operation.Atomic<Long, Void> COUNT = Operation.atomic("count", Long.class, Void.class);
    private static final Operation.Atomic<byte[], Void> RAW = Operation.atomic("raw", byte[].class, Void.class);

    private static byte[] json(long number) {
        return Long.toString(number).getBytes(StandardCharsets.UTF_8);
    }

    @Property
    void retryMatchesUnderAnySchemaVersions(
            @ForAll @IntRange(min = 1, max = 65_535) int then,
            @ForAll @IntRange(min = 1, max = 65_535) int now,
            @ForAll long payload,
            @ForAll long other) {
        Operation.Definition<?, ?> before = COUNT.withSchemaVersion(then).definition();
        Operation.Definition<?, ?> after = COUNT.withSchemaVersion(now).definition();
        Fingerprint stored =
                Fingerprint.of(Fingerprints.of(before, json(payload)).bytes());
        assertThat(stored.schema()).isEqualTo(then);
        assertThat(stored.version()).isEqualTo(1);
        assertThat(Fingerprints.matches(stored, after, json(payload))).isTrue();
        assertThat(Fingerprints.matches(stored, after, json(other))).isEqualTo(payload == other);
        assertThat(Fingerprints.of(after, json(payload)).equals(stored)).isEqualTo(then == now);
    }

    @Property
    void differentBytesHaveDifferentFingerprints(@ForAll byte[] one, @ForAll byte[] other) {
        assertThat(Fingerprints.matches(Fingerprints.of(RAW.definition(), one), RAW.definition(), other))
                .isEqualTo(Arrays.equals(one, other));
    }
}
