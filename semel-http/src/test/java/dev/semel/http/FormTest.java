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

    private Site site(Rule rule) {
        return Site.open(container, all -> all.withDefault(rule), (request, response) -> {
            String a = request.getParameter("a");
            runs.incrementAndGet();
            response.setCharacterEncoding("UTF-8");
            response.getWriter().write(a + " of " + request.getParameterMap().size());
        });
    }

    private static HttpRequest.Builder form(Site site, String key, String query, String body, String charset) {
        return HttpRequest.newBuilder(site.at("/form" + query))
                .header("X-User", "alice@acme")
                .header("Content-Type", "application/x-www-form-urlencoded" + charset)
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    private void assertRefused(Site site, int status, String code, String body, String charset) {
        for (int i = 0; i < 3; i++) {
            Heard heard = site.send(form(site, "k-1", "", body, charset));
            assertThat(heard.status()).as(heard.text()).isEqualTo(status);
            assertThat(heard.code()).isEqualTo(code);
        }
        assertThat(runs).hasValue(0);
        for (State state : State.values()) {
            assertThat(site.engine().operator().list(state, RecordFilter.ALL, RecordFilter.Cursor.START, 10))
                    .isEmpty();
        }
        assertThat(site.send(form(site, "k-1", "?q=1", "a=x+%C3%A9&b=%26", "")).text())
                .isEqualTo("x \u00e9 of 3");
    }

    @Test
    void row_body_malformed_formWithABrokenEscapeIsRejected() {
        for (String body : new String[] {"a=%zz", "a=%4", "%=1", "a=1&b=%e"}) {
            runs.set(0);
            try (Site site = site(BROKEN_AT_ONCE)) {
                assertRefused(site, 400, "request.body_malformed", body, "");
            }
        }
    }

    @Test
    void formInAnUnknownCharsetIsRejected() {
        try (Site site = site(BROKEN_AT_ONCE)) {
            Heard heard = site.send(form(site, "k-1", "", "a=1", ";charset=klingon"));
            if (container == Container.TOMCAT) {
                assertThat(heard.code()).as("Jetty fails before any filter").isEqualTo("request.body_malformed");
            }
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void formOfTooManyFieldsIsTooLarge() {
        String many = IntStream.range(0, 1001).mapToObj(n -> "f" + n + "=1").collect(Collectors.joining("&"));
        try (Site site = site(BROKEN_AT_ONCE)) {
            assertRefused(site, 413, "request.too_large", many, "");
        }
    }

    @Test
    void formThatIsTooLongIsTooLarge() {
        try (Site site = site(BROKEN_AT_ONCE.withForms(new Rule.Forms(1000, 10)))) {
            assertRefused(site, 413, "request.too_large", "a=" + "x".repeat(1000), "");
        }
    }

    @Test
    void row_body_malformed_wildcardContentTypeIsRejectedAndNotRun() {
        try (Site site = site(Rule.required())) {
            for (String type : new String[] {"application/*+json", "text/*", "*/*;charset=UTF-8"}) {
                Heard heard =
                        site.send(site.post("/a", type.replace('*', 'x'), "{}").setHeader("Content-Type", type));
                assertThat(heard.status()).as(type).isEqualTo(400);
                assertThat(heard.code()).isEqualTo("request.body_malformed");
            }
        }
    }
}
