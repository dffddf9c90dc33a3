package dev.semel.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Call.Origin;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedactorTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "login with password=hunter2 failed|login with password=*** failed",
                "header Authorization: Bearer abc.def-123 refused|header Authorization: Bearer *** refused",
                "api_key: sk_live_1234, region eu|api_key: ***, region eu",
                "{\"client_secret\":\"abc\",\"n\":1}|{\"client_secret\":\"***\",\"n\":1}",
                "jdbc:postgresql://ann:s3cret@db/shop is away|jdbc:postgresql://***@db/shop is away",
                "token eyJhbGciOi.eyJzdWIi.c2ln expired|token *** expired",
                "Basic dXNlcjpwYXNz was refused|Basic *** was refused",
                "a BEARER  0123456789 was refused|a BEARER  *** was refused",
                "webhook source of the basics|webhook source of the basics",
                "card 4111 1111 1111 1111 declined|card *** declined",
                "card 4111-1111-1111-1111 declined|card *** declined",
                "order 1234567890123 at 1790000000001 was not found|order 1234567890123 at 1790000000001 was not found",
                "the token of ann has expired|the token of ann has expired"
            })
    void credentialsInATextAreBlottedOut(String text, String shown) {
        assertThat(Redactor.text(text)).isEqualTo(shown);
    }

    @Test
    void reasonsInAuditEventsAreRedacted() {
        String body = new Events(true)
                .event(
                        EventType.SYSTEM_ERROR,
                        Events.About.tenant("acme", Origin.UNSTATED),
                        Map.of("reason", "password=hunter2 was refused"))
                .body();
        assertThat(body).isEqualTo("{\"reason\":\"password=*** was refused\"}");
    }
}
