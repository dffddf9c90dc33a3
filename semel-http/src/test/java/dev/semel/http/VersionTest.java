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
        try (Site site = Site.open(container, (request, response) -> {
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
            Heard changed = site.send(site.post("/a", "k-1", "{}").header("If-Match", "\"7\""));
            assertThat(changed.status()).isEqualTo(200);
            assertThat(changed.header("ETag")).contains("\"8\"");
            Heard refused = site.send(site.post("/a", "k-2", "{}").header("If-Match", "\"7\""));
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.code()).isEqualTo("concurrency.version_mismatch");
            assertThat(refused.header("X-Half")).isEmpty();
            assertThat(refused.text()).doesNotContain("half");
            Heard again = site.send(site.post("/a", "k-2", "{}").header("If-Match", "\"7\""));
            assertThat(again.status()).isEqualTo(409);
            assertThat(again.replayed()).isTrue();
            assertThat(again.body()).isEqualTo(refused.body());
            assertThat(runs).hasValue(2);
            assertThat(site.engine()
                            .operator()
                            .story(
                                    site.engine()
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
        try (Site site = Site.open(container, (request, response) -> {
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
            assertThat(stated(site, "1", "{\"version\":7}", null)).isEqualTo("200 true");
            assertThat(stated(site, "2", "{\"version\":6}", null)).startsWith("409");
            assertThat(stated(site, "3", "{\"updated_at\":\"2026-11-16T10:00:00.123456Z\"}", null))
                    .isEqualTo("200 true");
            assertThat(stated(site, "4", "{\"updated_at\":\"2026-11-16T10:00:00.123455Z\"}", null))
                    .startsWith("409");
            assertThat(stated(site, "5", "{}", null)).isEqualTo("200 false");
            assertThat(stated(site, "6", "{}", "*")).isEqualTo("200 false");
            assertThat(stated(site, "7", "{}", "\"6\", \"7\"")).isEqualTo("200 true");
            assertThat(stated(site, "8", "{}", "W/\"7\"")).startsWith("409");
            assertThat(stated(site, "9", "{}", "7")).startsWith("409");
            assertThat(stated(site, "10", "{\"by_time\":1}", ExpectedVersion.etag(CHANGED)))
                    .isEqualTo("200 true");
            assertThat(stated(site, "11", "{\"by_time\":1}", "\"2026-11-16T11:00:00.123456+01:00\""))
                    .isEqualTo("200 true");
            assertThat(stated(site, "12", "{\"by_time\":1}", "\"yesterday\"")).startsWith("409");
        }
        assertThat(ExpectedVersion.of((Long) null).isStated()).isFalse();
        assertThat(ExpectedVersion.of((Instant) null).isStated()).isFalse();
    }

    private static String stated(Site site, String key, String body, String ifMatch) {
        var request = site.post("/a", key, body);
        if (ifMatch != null) {
            request.header("If-Match", ifMatch);
        }
        Heard heard = site.send(request);
        return heard.status() + " " + heard.text();
    }
}
