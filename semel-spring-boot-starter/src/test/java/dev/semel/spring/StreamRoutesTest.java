package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Streams in an application of Spring's: bounded, or refused. */
class StreamRoutesTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Streams.class)
    static class Streaming {}

    @RestController
    static class Streams {
        private static SseEmitter emitter() {
            SseEmitter emitter = new SseEmitter();
            try {
                emitter.send("one");
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            emitter.complete();
            return emitter;
        }

        @PostMapping("/chat")
        public SseEmitter chat() {
            return emitter();
        }

        @PostMapping("/wrapped")
        public ResponseEntity<SseEmitter> wrapped() {
            return ResponseEntity.ok(emitter());
        }

        @PostMapping(path = "/lines", produces = "application/x-ndjson")
        public String lines() {
            return "{}\n";
        }

        @PostMapping("/exempt")
        @Idempotent(header = Idempotent.Header.OFF)
        public SseEmitter exempt() {
            return emitter();
        }

        @GetMapping("/events")
        public SseEmitter events() {
            return emitter();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Downloads.class)
    static class Downloading {}

    @RestController
    static class Downloads {
        final AtomicInteger runs = new AtomicInteger();

        @PostMapping("/export/{size}")
        public StreamingResponseBody export(@PathVariable int size) {
            return out -> write(out, size);
        }

        private void write(OutputStream out, int size) throws IOException {
            runs.incrementAndGet();
            for (int i = 0; i < size; i += 1000) {
                out.write(new byte[1000]);
                out.flush();
            }
        }
    }

    private static ConfigurableApplicationContext started(Class<?> application, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.addAll(List.of(
                "server.port=0",
                "spring.datasource.url=" + Databases.SQLITE.fresh(),
                "spring.main.banner-mode=off",
                "spring.autoconfigure.exclude=" + Databases.JPA + "," + Web.SECURITY,
                "semel.http.anonymous=true"));
        return new SpringApplicationBuilder(application)
                .properties(all.toArray(String[]::new))
                .run();
    }

    @Test
    void e14_keyedRouteWithAnEventStreamFailsTheStart() {
        assertThatThrownBy(() -> started(Streaming.class))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("POST /chat (Streams.chat) responds with an SseEmitter")
                .hasMessageContaining("POST /wrapped (Streams.wrapped)")
                .hasMessageContaining("POST /lines (Streams.lines) responds with application/x-ndjson")
                .hasMessageContaining("semel.http.tuning.responses.hold-streams=true")
                .hasMessageNotContaining("/exempt")
                .hasMessageNotContaining("/events");
    }

    @Test
    void e14_streamsAreHeldWhereConfigured() {
        try (ConfigurableApplicationContext context =
                started(Streaming.class, "semel.http.tuning.responses.hold-streams=true")) {
            Web web = Web.of(context);
            for (String path : new String[] {"/chat", "/wrapped"}) {
                HttpResponse<String> first = web.post(path, "k-1", null);
                HttpResponse<String> again = web.post(path, "k-1", null);
                assertThat(first.body()).isEqualTo("data:one\n\n");
                assertThat(again.body()).isEqualTo(first.body());
                assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
            }
            assertThat(web.post("/exempt", null, null).body()).isEqualTo("data:one\n\n");
        }
    }

    @Test
    void e14_downloadOverTheHeldLimitIsReplayedWithoutABodyAndNeverRunAgain() {
        try (ConfigurableApplicationContext context = started(
                Downloading.class,
                "semel.http.tuning.largest-kept-response=1KB",
                "semel.http.tuning.responses.largest-held=100KB")) {
            Web web = Web.of(context);
            assertThat(web.post("/export/100000", "k-1", null).body()).hasSize(100_000);
            for (int i = 0; i < 2; i++) {
                HttpResponse<String> larger = web.post("/export/200000", "k-2", null);
                assertThat(larger.statusCode()).isEqualTo(200);
                assertThat(larger.body()).isEmpty();
                assertThat(larger.headers().firstValue("Idempotency-Notice")).hasValue("idempotency.response_not_kept");
            }
            assertThat(context.getBean(Downloads.class).runs).hasValue(2);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Negotiated.class)
    static class Negotiating {}

    @RestController
    static class Negotiated {
        @PostMapping("/object")
        public Map<String, String> object() {
            return Map.of("said", "placed");
        }

        @PostMapping("/text")
        public String text() {
            return "placed";
        }

        @PostMapping("/later")
        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("placed");
        }

        @PostMapping("/refused")
        public void refused(HttpServletResponse response) throws IOException {
            response.sendError(422);
        }

        @PostMapping("/emitter")
        public Object emitter() {
            return Streams.emitter();
        }
    }

    /** Such a request would have committed its effect, lost its answer, and counted against the route's breaker. */
    @Test
    void e14_acceptHeaderForAStreamDoesNotFailAnOrdinaryHandler() {
        try (ConfigurableApplicationContext context = started(Negotiating.class)) {
            Web web = Web.of(context);
            for (String accepted :
                    new String[] {"application/stream+json", "text/event-stream", "application/x-ndjson"}) {
                Web asking = web.accepting(accepted + ", */*;q=0.1");
                for (String path : new String[] {"/object", "/text", "/later"}) {
                    HttpResponse<String> first = asking.post(path, accepted, null);
                    assertThat(first.statusCode())
                            .describedAs(path + " " + accepted)
                            .isEqualTo(200);
                    assertThat(first.body()).contains("placed");
                    assertThat(asking.post(path, accepted, null).body()).isEqualTo(first.body());
                }
                assertThat(asking.post("/refused", accepted, null).statusCode()).isEqualTo(422);
                assertThat(asking.post("/emitter", accepted, null).statusCode()).isEqualTo(500);
            }
        }
    }
}
