package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.store.RecordFilter;
import dev.semel.store.State;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Forms that no container would take are refused before anything is stored, and are nobody's failure. */
@ParameterizedClass
@EnumSource(Container.class)
class FormTest {
    private static final Rule BROKEN_AT_ONCE =
            Rule.required().withBreaker(new Channel.Breaker(50, 2, Duration.ofMinutes(1)));

    @Parameter
    private Container container;

    private final AtomicInteger runs = new AtomicInteger();

    private FilteredServer server(Rule rule) {
        return FilteredServer.open(container, all -> all.withDefault(rule), (request, response) -> {
            String a = request.getParameter("a");
            runs.incrementAndGet();
            response.setCharacterEncoding("UTF-8");
            response.getWriter().write(a + " of " + request.getParameterMap().size());
        });
    }

    private static HttpRequest.Builder form(
            FilteredServer server, String key, String query, String body, String charset) {
        return HttpRequest.newBuilder(server.at("/form" + query))
                .header("X-User", "alice@acme")
                .header("Content-Type", "application/x-www-form-urlencoded" + charset)
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    private void assertRefused(FilteredServer server, int status, String code, String body, String charset) {
        for (int i = 0; i < 3; i++) {
            ReceivedResponse received = server.send(form(server, "k-1", "", body, charset));
            assertThat(received.status()).as(received.text()).isEqualTo(status);
            assertThat(received.code()).isEqualTo(code);
        }
        assertThat(runs).hasValue(0);
        for (State state : State.values()) {
            assertThat(server.engine().operator().list(state, RecordFilter.ALL, RecordFilter.Cursor.START, 10))
                    .isEmpty();
        }
        assertThat(server.send(form(server, "k-1", "?q=1", "a=x+%C3%A9&b=%26", ""))
                        .text())
                .isEqualTo("x \u00e9 of 3");
    }

    @Test
    void row_body_malformed_formWithABrokenEscapeIsRejected() {
        for (String body : new String[] {"a=%zz", "a=%4", "%=1", "a=1&b=%e"}) {
            runs.set(0);
            try (FilteredServer server = server(BROKEN_AT_ONCE)) {
                assertRefused(server, 400, "request.body_malformed", body, "");
            }
        }
    }

    @Test
    void formInAnUnknownCharsetIsRejected() {
        try (FilteredServer server = server(BROKEN_AT_ONCE)) {
            ReceivedResponse received = server.send(form(server, "k-1", "", "a=1", ";charset=klingon"));
            if (container == Container.TOMCAT) {
                assertThat(received.code()).as("Jetty fails before any filter").isEqualTo("request.body_malformed");
            }
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void formOfTooManyFieldsIsTooLarge() {
        String many = IntStream.range(0, 1001).mapToObj(n -> "f" + n + "=1").collect(Collectors.joining("&"));
        try (FilteredServer server = server(BROKEN_AT_ONCE)) {
            assertRefused(server, 413, "request.too_large", many, "");
        }
    }

    @Test
    void formThatIsTooLongIsTooLarge() {
        try (FilteredServer server = server(BROKEN_AT_ONCE.withForms(new Rule.Forms(1000, 10)))) {
            assertRefused(server, 413, "request.too_large", "a=" + "x".repeat(1000), "");
        }
    }

    @Test
    void row_body_malformed_wildcardContentTypeIsRejectedAndNotRun() {
        try (FilteredServer server = server(Rule.required())) {
            for (String type : new String[] {"application/*+json", "text/*", "*/*;charset=UTF-8"}) {
                ReceivedResponse received = server.send(
                        server.post("/a", type.replace('*', 'x'), "{}").setHeader("Content-Type", type));
                assertThat(received.status()).as(type).isEqualTo(400);
                assertThat(received.code()).isEqualTo("request.body_malformed");
            }
        }
    }
}
