package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.RecordFilter;
import dev.semel.store.State;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests of browsers from another origin. */
@ParameterizedClass
@EnumSource(Container.class)
class OriginsTest {
    private static final String FRIEND = "https://shop.example";
    private static final String ALLOW = "Access-Control-Allow-Origin";

    @Parameter
    private Container container;

    private final AtomicInteger runs = new AtomicInteger();

    private static boolean admits(HttpServletRequest request, HttpServletResponse response) {
        if (!FRIEND.equals(request.getHeader("Origin"))) {
            response.setStatus(403);
            return false;
        }
        response.setHeader(ALLOW, FRIEND);
        return true;
    }

    private Site site() {
        return Site.open(container, all -> all.withOrigins(OriginsTest::admits), (request, response) -> {
            // As a framework's handler does that knows nothing of the hook.
            response.setHeader(ALLOW, FRIEND);
            response.getWriter().write("run " + runs.incrementAndGet());
            switch (request.getPathInfo()) {
                case "/throws" -> throw new IllegalStateException("on purpose");
                case "/error" -> response.sendError(404);
                default -> {}
            }
        });
    }

    private static HttpRequest.Builder from(String origin, HttpRequest.Builder request) {
        return request.header("Origin", origin);
    }

    @Test
    void e13_everyAnswerHasTheHeadersOfItsOriginOnce() {
        try (Site site = site()) {
            Heard first = site.send(from(FRIEND, site.post("/a", "k-1", "{}")));
            Heard again = site.send(from(FRIEND, site.post("/a", "k-1", "{}")));
            assertThat(again.replayed()).isTrue();
            assertThat(again.text()).isEqualTo(first.text()).isEqualTo("run 1");
            Heard mismatch = site.send(from(FRIEND, site.post("/a", "k-1", "{\"other\":1}")));
            assertThat(mismatch.code()).isEqualTo("idempotency.payload_mismatch");
            Heard withoutKey = site.send(from(FRIEND, site.request("POST", "/a", "{}")));
            assertThat(withoutKey.code()).isEqualTo("idempotency.key_required");
            Heard refused = site.send(from(FRIEND, site.post("/error", "k-2", "{}")));
            assertThat(refused.status()).isEqualTo(404);
            site.send(from(FRIEND, site.post("/throws", "k-3", "{}")));
            Heard unknown = site.send(from(FRIEND, site.post("/throws", "k-3", "{}")));
            assertThat(unknown.code()).isEqualTo("idempotency.outcome_unknown");
            for (Heard each : List.of(first, again, mismatch, withoutKey, refused, unknown)) {
                assertThat(each.headers().allValues(ALLOW)).as(each.text()).containsExactly(FRIEND);
            }
        }
    }

    @Test
    void e13_forbiddenOriginGetsNoStoredResponseAndLeavesNoRecord() {
        try (Site site = site()) {
            site.send(from(FRIEND, site.post("/a", "k-1", "{}")));
            for (String key : new String[] {"k-1", "k-2"}) {
                Heard refused = site.send(from("https://evil.example", site.post("/a", key, "{}")));
                assertThat(refused.status()).isEqualTo(403);
                assertThat(refused.text()).isEmpty();
                assertThat(refused.headers().allValues(ALLOW)).isEmpty();
            }
            assertThat(runs).hasValue(1);
            assertThat(site.engine().operator().list(State.COMPLETED, RecordFilter.ALL, RecordFilter.Cursor.START, 10))
                    .hasSize(1);
        }
    }
}
