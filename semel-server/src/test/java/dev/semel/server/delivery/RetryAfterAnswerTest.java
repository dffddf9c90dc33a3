package dev.semel.server.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Failure;
import dev.semel.Failure.Category;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Retry-After as destinations send it, and as they should not. */
class RetryAfterAnswerTest {
    private static Failure failure(int status, String header) throws InterruptedException {
        try (Destinations destinations = Destinations.open();
                RawServer server = RawServer.answering(any -> RawServer.answer(status, "", header))) {
            Failure failure = destinations.failure(Destinations.target(server.url()));
            assertThat(failure).isNotNull();
            return failure;
        }
    }

    @Test
    void secondsAreObeyedOnTooManyRequestsAndUnavailable() throws Exception {
        Failure limited = failure(429, "Retry-After: 120\r\n");
        assertThat(limited.category()).isEqualTo(Category.RATE_LIMITED);
        assertThat(limited.retryAfter()).isEqualTo(Duration.ofSeconds(120));
        assertThat(failure(503, "Retry-After: 7\r\n").retryAfter()).isEqualTo(Duration.ofSeconds(7));
        assertThat(failure(500, "Retry-After: 7\r\n").retryAfter()).isNull();
        assertThat(failure(429, "").retryAfter()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-1",
                "-99999999999999999999",
                "1.5",
                "1e9",
                "soon",
                "",
                "0x10",
                "+5",
                "NaN",
                "Mon, 32 Foo 2026 00:00:00 GMT",
                "Sun, 06 Nov 1994 08:49:37 GMT",
                "\u00b2",
                "120, 5"
            })
    void g5_meaninglessRetryAfterDoesNoHarm(String value) throws Exception {
        Failure failure = failure(503, "Retry-After: " + value + "\r\n");
        assertThat(failure.category()).isEqualTo(Category.UPSTREAM_ERROR);
        assertThat(failure.retryAfter()).isIn(null, Duration.ZERO);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "99999999999999999999999999",
                "9223372036854775807",
                "Fri, 31 Dec 9999 23:59:59 GMT",
                "31536000000"
            })
    void g5_endlessRetryAfterIsBounded(String value) throws Exception {
        Failure failure = failure(429, "Retry-After: " + value + "\r\n");
        assertThat(failure.retryAfter()).isNotNull().isLessThanOrEqualTo(Duration.ofDays(36_500));
    }

    @Test
    void g5_twoDifferentRetryAfterHeadersDoNoHarm() throws Exception {
        Failure failure = failure(503, "Retry-After: 5\r\nRetry-After: 999999999999\r\n");
        assertThat(failure.category()).isEqualTo(Category.UPSTREAM_ERROR);
        assertThat(failure.retryAfter()).isIn(null, Duration.ofSeconds(5));
    }
}
