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

    private FilteredServer server() {
        return FilteredServer.open(container, all -> all.withOrigins(OriginsTest::admits), (request, response) -> {
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
        try (FilteredServer server = server()) {
            ReceivedResponse first = server.send(from(FRIEND, server.post("/a", "k-1", "{}")));
            ReceivedResponse again = server.send(from(FRIEND, server.post("/a", "k-1", "{}")));
            assertThat(again.replayed()).isTrue();
            assertThat(again.text()).isEqualTo(first.text()).isEqualTo("run 1");
            ReceivedResponse mismatch = server.send(from(FRIEND, server.post("/a", "k-1", "{\"other\":1}")));
            assertThat(mismatch.code()).isEqualTo("idempotency.payload_mismatch");
            ReceivedResponse withoutKey = server.send(from(FRIEND, server.request("POST", "/a", "{}")));
            assertThat(withoutKey.code()).isEqualTo("idempotency.key_required");
            ReceivedResponse refused = server.send(from(FRIEND, server.post("/error", "k-2", "{}")));
            assertThat(refused.status()).isEqualTo(404);
            server.send(from(FRIEND, server.post("/throws", "k-3", "{}")));
            ReceivedResponse unknown = server.send(from(FRIEND, server.post("/throws", "k-3", "{}")));
            assertThat(unknown.code()).isEqualTo("idempotency.outcome_unknown");
            for (ReceivedResponse each : List.of(first, again, mismatch, withoutKey, refused, unknown)) {
                assertThat(each.headers().allValues(ALLOW)).as(each.text()).containsExactly(FRIEND);
            }
        }
    }

    @Test
    void e13_forbiddenOriginGetsNoStoredResponseAndLeavesNoRecord() {
        try (FilteredServer server = server()) {
            server.send(from(FRIEND, server.post("/a", "k-1", "{}")));
            for (String key : new String[] {"k-1", "k-2"}) {
                ReceivedResponse refused = server.send(from("https://evil.example", server.post("/a", key, "{}")));
                assertThat(refused.status()).isEqualTo(403);
                assertThat(refused.text()).isEmpty();
                assertThat(refused.headers().allValues(ALLOW)).isEmpty();
            }
            assertThat(runs).hasValue(1);
            assertThat(server.engine()
                            .operator()
                            .list(State.COMPLETED, RecordFilter.ALL, RecordFilter.Cursor.START, 10))
                    .hasSize(1);
        }
    }
}
