package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What a second request with the same key is told. */
@ParameterizedClass
@EnumSource(Container.class)
record ReplayTest(Container container) {

    @Test
    void aReplayHasTheSameStatusBodyAndAllowedHeadersAndRunsNothing() {
        AtomicInteger runs = new AtomicInteger();
        try (Site site = Site.open(container, Site::tenants, (request, response) -> {
            response.setStatus(201);
            response.setContentType("application/json; charset=utf-8");
            response.setHeader("Location", "/orders/" + runs.incrementAndGet());
            response.setHeader("ETag", "\"1\"");
            response.setHeader("Set-Cookie", "session=secret");
            response.setHeader("X-Trailing", "not listed");
            response.getWriter().write("{\"id\":\"ä" + runs.get() + "\"}");
        })) {
            HttpResponse<byte[]> first = site.send(site.post("/orders", "k-1", "{\"a\":1}"));
            HttpResponse<byte[]> second =
                    site.send(site.post("/orders", "k-1", "{ \"a\" : 1.0 }").header("X-Request-ID", "second"));
            assertThat(runs).hasValue(1);
            assertThat(first.statusCode()).isEqualTo(201);
            assertThat(new String(first.body(), StandardCharsets.UTF_8)).isEqualTo("{\"id\":\"ä1\"}");
            assertThat(second.statusCode()).isEqualTo(201);
            assertThat(second.body()).isEqualTo(first.body());
            for (String header : new String[] {"Content-Type", "Location", "ETag", "X-Correlation-ID"}) {
                assertThat(second.headers().allValues(header))
                        .as(header)
                        .isNotEmpty()
                        .isEqualTo(first.headers().allValues(header));
            }
            assertThat(second.headers().firstValue("Idempotency-Replayed")).contains("true");
            assertThat(second.headers().firstValue("X-Request-ID")).contains("second");
            assertThat(first.headers().firstValue("Set-Cookie")).isPresent();
            assertThat(second.headers().firstValue("Set-Cookie")).isEmpty();
            assertThat(second.headers().firstValue("X-Trailing")).isEmpty();
            assertThat(first.headers().firstValue("Idempotency-Replayed")).isEmpty();
        }
    }
}
