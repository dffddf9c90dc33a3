package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Tenant;
import dev.semel.engine.EngineSettings;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Errors that handlers give, in the many ways there are. */
@ParameterizedClass
@EnumSource(Container.class)
class ErrorsTest {
    @Parameter
    private Container container;

    private final AtomicInteger runs = new AtomicInteger();

    @Test
    void errorThatIsNotStoredIsRenderedByTheContainer() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            int status = Integer.parseInt(request.getPathInfo().substring(1));
            if (status == 403) {
                response.sendError(status);
            } else {
                response.sendError(status, "said by the handler");
            }
        })) {
            for (int status : new int[] {401, 403, 500, 503}) {
                ReceivedResponse received = server.send(server.post("/" + status, "k-" + status, "{}"));
                assertThat(received.status()).isEqualTo(status);
                assertThat(received.header("Content-Type").orElse("")).doesNotContain("problem+json");
                assertThat(received.header("X-Correlation-ID")).isPresent();
            }
        }
    }

    @Test
    void handlerMessageIsHiddenUnlessTheApplicationShowsIt() {
        try (FilteredServer server =
                FilteredServer.open(container, (request, response) -> response.sendError(409, "row 4711 of Meier"))) {
            for (int i = 0; i < 2; i++) {
                ReceivedResponse received = server.send(server.post("/a", "k-1", "{}"));
                assertThat(received.status()).isEqualTo(409);
                assertThat(received.text()).doesNotContain("4711").contains("correlation_id");
            }
        }
    }

    @Test
    void applicationMayWriteErrorBodies() {
        try (FilteredServer server = FilteredServer.open(
                container,
                all -> all.withErrors((request, response, status, message) -> {
                    response.setContentType("text/plain");
                    response.getWriter().write("our page for " + status + ": " + message);
                }),
                (request, response) -> {
                    runs.incrementAndGet();
                    response.getWriter().write("half a page");
                    response.sendError(404, "no such order");
                })) {
            for (int i = 0; i < 2; i++) {
                ReceivedResponse received = server.send(server.post("/a", "k-1", "{}"));
                assertThat(received.status()).isEqualTo(404);
                assertThat(received.text()).isEqualTo("our page for 404: no such order");
            }
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void failingErrorPageIsAFailure() {
        try (FilteredServer server = FilteredServer.open(
                container,
                all -> all.withDefault(Rule.required().withLevel(Level.SPAN))
                        .withErrors((request, response, status, message) -> {
                            throw new IllegalStateException("no template");
                        }),
                (request, response) -> response.sendError(404))) {
            assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(500);
            assertThat(server.send(server.post("/a", "k-1", "{}")).code()).isEqualTo("idempotency.retry_later");
        }
    }

    @Test
    void checkedExceptionAndAnErrorReachTheContainer() {
        try (FilteredServer server = FilteredServer.open(container, (request, response) -> {
            switch (request.getPathInfo()) {
                case "/checked" -> throw new Exception("checked");
                case "/error" -> throw new StackOverflowError();
                default -> throw new InterruptedException();
            }
        })) {
            for (String path : new String[] {"/checked", "/error", "/interrupted"}) {
                assertThat(server.send(server.post(path, path, "{}")).status()).isEqualTo(500);
                assertThat(server.send(server.post(path, path, "{}")).code()).isEqualTo("idempotency.outcome_unknown");
            }
        }
    }

    @Test
    void formParsedBeforeTheFilterIsStillCompared() {
        try (FilteredServer server = FilteredServer.behind(
                container,
                (request, response) -> request.getParameter("a"),
                UnaryOperator.identity(),
                (request, response) ->
                        response.getWriter().write(request.getParameter("a") + runs.incrementAndGet()))) {
            assertThat(server.send(form(server, "a=x&b=1")).text()).isEqualTo("x1");
            assertThat(server.send(form(server, "b=1&a=x")).text()).isEqualTo("x1");
            assertThat(server.send(form(server, "a=y&b=1")).code()).isEqualTo("idempotency.payload_mismatch");
        }
    }

    private static HttpRequest.Builder form(FilteredServer server, String body) {
        return HttpRequest.newBuilder(server.at("/form"))
                .header("X-User", "alice@acme")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Idempotency-Key", "k-1")
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    @Test
    void resultOfAnotherOperationIsNotSentAsResponse() {
        EngineSettings engine = EngineSettings.on(new MemoryStore(TimeSource.system()));
        try (FilteredServer server = FilteredServer.open(
                container,
                engine,
                all -> all.withRoute("POST", "/a", Rule.required()),
                (request, response) -> runs.incrementAndGet())) {
            var other = Operation.leased("POST /a", String.class, String.class);
            server.engine()
                    .run(
                            other,
                            Call.of(Tenant.of("acme"), Key.of("u:alice%40acme:k-1"), "secret"),
                            (payload, run) -> "their result");
            ReceivedResponse received = server.send(server.post("/a", "k-1", "{}"));
            assertThat(received.status()).isEqualTo(409);
            assertThat(received.text()).doesNotContain("their result");
            assertThat(runs).hasValue(0);
        }
    }

    @Test
    void putFormParsedBeforeTheFilterIsStillCompared() {
        try (FilteredServer server = FilteredServer.behind(
                container,
                (request, response) -> request.getParameter("a"),
                UnaryOperator.identity(),
                (request, response) -> {
                    String form = new String(request.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
                    response.getWriter().write(request.getParameter("a") + " " + form);
                })) {
            ReceivedResponse received = server.send(HttpRequest.newBuilder(server.at("/form"))
                    .header("X-User", "alice@acme")
                    .header("Content-Type", "application/x-www-form-urlencoded")
                    .header("Idempotency-Key", "k-1")
                    .PUT(HttpRequest.BodyPublishers.ofString("a=x&b=1")));
            assertThat(received.status()).as(received.toString()).isEqualTo(200);
            assertThat(received.text()).endsWith(" a=x&b=1");
        }
    }
}
