package dev.semel.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Call.Origin;
import dev.semel.key.Fingerprint;
import dev.semel.store.Header;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoredOriginTest {
    private static final Origin FULL = Origin.UNSTATED
            .withCorrelationId("c-1")
            .withTraceId("t-1")
            .withRequestId("r-1")
            .withActor("1234567812345670", "user")
            .withSource("http")
            .withAggregateVersion(Long.MAX_VALUE);

    private static Header header(@Nullable String origin) {
        return new Header("acme", "mail", "k", Fingerprint.of(new byte[35]), new Header.Trail("c-1", origin), null);
    }

    @Test
    void storedOriginIsReadBackWithTheRecordsCorrelationId() {
        assertThat(StoredOrigin.of(header(StoredOrigin.encode(FULL)))).isEqualTo(FULL);
        assertThat(StoredOrigin.encode(Origin.UNSTATED)).isNull();
        assertThat(StoredOrigin.encode(Origin.UNSTATED.withCorrelationId("c-1")))
                .isNull();
        assertThat(StoredOrigin.of(header(null))).isEqualTo(Origin.UNSTATED.withCorrelationId("c-1"));
    }

    @Test
    void credentialsAreNotStored() {
        String stored =
                StoredOrigin.encode(FULL.withActor("token=abc123", "user").withRequestId("Bearer 0123456789"));
        assertThat(stored).doesNotContain("abc123").doesNotContain("0123456789").contains("***");
    }

    @Test
    void itsLengthIsBounded() {
        String longest = "\"".repeat(255);
        Origin origin = Origin.UNSTATED
                .withTraceId(longest)
                .withRequestId(longest)
                .withActor(longest, longest)
                .withSource(longest);
        assertThat(StoredOrigin.encode(origin)).hasSizeLessThan(3_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "not json", "[]", "7", "null", "{\"actor\":7}", "{\"actor\":\"\"}", "{\"later\":{}}"})
    void textThatCannotBeReadSaysNothingAndBreaksNoEvent(String stored) {
        assertThat(StoredOrigin.of(header(stored))).isEqualTo(Origin.UNSTATED.withCorrelationId("c-1"));
    }
}
