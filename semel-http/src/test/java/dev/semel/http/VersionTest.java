package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.RecordFilter;
import dev.semel.store.State;
import jakarta.servlet.ServletException;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Optimistic locking: by a version or a time in the body, or by ETag and If-Match. */
@ParameterizedClass
@EnumSource(Container.class)
class VersionTest {
    private static final Instant CHANGED = Instant.parse("2026-11-16T10:00:00.123456Z");

    @Parameter
    private Container container;

    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicLong version = new AtomicLong(7);

    @Test
    void row_version_mismatch_changeOfAnotherVersionIsRejectedAndTheRefusalIsReplayed() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            runs.incrementAndGet();
            response.setHeader("X-Half", "set");
            response.getWriter().write("half an answer");
            try {
                ExpectedVersion.of(request).demand(version.get());
            } catch (VersionMismatch e) {
                throw new ServletException("as frameworks do", e);
            }
            response.reset();
            response.setHeader("ETag", ExpectedVersion.etag(version.incrementAndGet()));
        })) {
            ReceivedResponse changed =
                    server.send(server.post("/a", "k-1", "{}").header("If-Match", "\"7\""));
            assertThat(changed.status()).isEqualTo(200);
            assertThat(changed.header("ETag")).contains("\"8\"");
            ReceivedResponse refused =
                    server.send(server.post("/a", "k-2", "{}").header("If-Match", "\"7\""));
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.code()).isEqualTo("concurrency.version_mismatch");
            assertThat(refused.header("X-Half")).isEmpty();
            assertThat(refused.text()).doesNotContain("half");
            ReceivedResponse again = server.send(server.post("/a", "k-2", "{}").header("If-Match", "\"7\""));
            assertThat(again.status()).isEqualTo(409);
            assertThat(again.replayed()).isTrue();
            assertThat(again.body()).isEqualTo(refused.body());
            assertThat(runs).hasValue(2);
            assertThat(server.engine()
                            .operator()
                            .story(
                                    server.engine()
                                            .operator()
                                            .list(State.COMPLETED, RecordFilter.ALL, RecordFilter.Cursor.START, 1)
                                            .get(0)
                                            .id(),
                                    1)
                            .get(0)
                            .details())
                    .containsEntry("aggregate_version", 7L);
        }
    }

    @Test
    void versionMayComeFromHeaderOrBody() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            JsonNode body = JsonMapper.shared().readTree(request.getInputStream());
            ExpectedVersion stated = body.has("version")
                    ? ExpectedVersion.of(body.get("version").longValue())
                    : body.has("updated_at")
                            ? ExpectedVersion.of(
                                    Instant.parse(body.get("updated_at").stringValue()))
                            : ExpectedVersion.of(request);
            if (body.has("by_time") || body.has("updated_at")) {
                stated.demand(CHANGED);
            } else {
                stated.demand(7);
            }
            response.getWriter().write(String.valueOf(stated.isStated()));
        })) {
            assertThat(stated(server, "1", "{\"version\":7}", null)).isEqualTo("200 true");
            assertThat(stated(server, "2", "{\"version\":6}", null)).startsWith("409");
            assertThat(stated(server, "3", "{\"updated_at\":\"2026-11-16T10:00:00.123456Z\"}", null))
                    .isEqualTo("200 true");
            assertThat(stated(server, "4", "{\"updated_at\":\"2026-11-16T10:00:00.123455Z\"}", null))
                    .startsWith("409");
            assertThat(stated(server, "5", "{}", null)).isEqualTo("200 false");
            assertThat(stated(server, "6", "{}", "*")).isEqualTo("200 false");
            assertThat(stated(server, "7", "{}", "\"6\", \"7\"")).isEqualTo("200 true");
            assertThat(stated(server, "8", "{}", "W/\"7\"")).startsWith("409");
            assertThat(stated(server, "9", "{}", "7")).startsWith("409");
            assertThat(stated(server, "10", "{\"by_time\":1}", ExpectedVersion.etag(CHANGED)))
                    .isEqualTo("200 true");
            assertThat(stated(server, "11", "{\"by_time\":1}", "\"2026-11-16T11:00:00.123456+01:00\""))
                    .isEqualTo("200 true");
            assertThat(stated(server, "12", "{\"by_time\":1}", "\"yesterday\"")).startsWith("409");
        }
        assertThat(ExpectedVersion.of((Long) null).isStated()).isFalse();
        assertThat(ExpectedVersion.of((Instant) null).isStated()).isFalse();
    }

    private static String stated(FilteredServer server, String key, String body, String ifMatch) {
        var request = server.post("/a", key, body);
        if (ifMatch != null) {
            request.header("If-Match", ifMatch);
        }
        ReceivedResponse received = server.send(request);
        return received.status() + " " + received.text();
    }
}
