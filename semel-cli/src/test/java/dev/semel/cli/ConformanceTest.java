package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.http.IdempotencyFilter;
import dev.semel.http.KeyScope;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code semel conformance} against a service behind the filter, and against the same service without it. */
class ConformanceTest {
    @Test
    void serviceBehindTheFilterConforms() throws Exception {
        try (Service service = new Service(true)) {
            Shell told = semel("conformance", "--url", service.url("/orders"), "--count", service.url("/orders"));
            assertThat(told.exit()).as(told.out() + told.err()).isZero();
            assertThat(told.out())
                    .contains("held", "replay.bytes", "concurrent.one_runs", " 0 broken")
                    .containsPattern("not observed +scope.tenant")
                    .contains("-> needs the headers of another tenant")
                    .contains("no row is broken, but rows that were not observed are unproven.");
            Shell strict = semel("conformance", "--url", service.url("/orders"), "--strict");
            assertThat(strict.exit()).as(strict.out() + strict.err()).isEqualTo(1);
        }
    }

    @Test
    void withoutACountEffectsAreNotObserved() throws Exception {
        try (Service service = new Service(true)) {
            Shell told = semel("conformance", "--url", service.url("/orders"), "--json");
            assertThat(told.exit()).as(told.out() + told.err()).isZero();
            JsonNode report = new JsonMapper().readTree(told.out());
            for (JsonNode row : report.get("rows")) {
                if (List.of("replay.effect", "concurrent.one_runs", "body.short", "client.gone")
                        .contains(row.get("row").asString())) {
                    assertThat(row.get("verdict").asString()).as(row.toString()).isEqualTo("not_observed");
                    assertThat(row.get("detail").asString()).contains("--count");
                }
            }
            assertThat(report.get("not_observed").asInt()).isGreaterThan(3);
        }
    }

    @Test
    void serviceWithoutTheFilterFailsWithReasons(@TempDir Path directory) throws Exception {
        Path body = Files.writeString(directory.resolve("order.json"), "{\"item\":\"{n}\"}");
        try (Service service = new Service(false)) {
            Shell told = semel(
                    "conformance",
                    "--url",
                    service.url("/orders"),
                    "--body-file",
                    body.toString(),
                    "--largest-request",
                    "1000",
                    "--json");
            assertThat(told.exit()).isEqualTo(1);
            JsonNode report = new JsonMapper().readTree(told.out());
            assertThat(report.get("conforms").asBoolean()).isFalse();
            assertThat(report.get("broken").asInt()).isGreaterThan(5);
            JsonNode first = report.get("rows").get(0);
            assertThat(first.get("row").asString()).isEqualTo("key.required");
            assertThat(first.get("verdict").asString()).isEqualTo("broken");
            assertThat(first.get("detail").asString()).isEqualTo("got 201");
        }
    }

    @Test
    void badInputIsNamed(@TempDir Path directory) {
        assertThat(semel("conformance").exit()).isEqualTo(2);
        Shell faults = semel("conformance", "--url", "ftp://nowhere", "--body", "{}");
        assertThat(faults.exit()).isEqualTo(2);
        assertThat(faults.err()).contains("neither http nor https", "the body does not contain {n}");
        Shell noFile = semel("conformance", "--url", "http://127.0.0.1:1/", "--body-file", directory + "/none");
        assertThat(noFile.exit()).isEqualTo(2);
        assertThat(noFile.err()).contains("Reading --body-file");
        assertThat(semel("conformance", "--url", "http://127.0.0.1:1/").exit()).isEqualTo(3);
    }

    /** Orders are counted, and each POST makes one. */
    private static final class Service implements AutoCloseable {
        private final Engine engine =
                EngineSettings.on(new MemoryStore(TimeSource.system())).open();
        private final Server server = new Server();
        private final ServerConnector connector = new ServerConnector(server);

        Service(boolean safe) throws Exception {
            connector.setHost("127.0.0.1");
            server.addConnector(connector);
            ServletContextHandler context = new ServletContextHandler();
            if (safe) {
                IdempotencyFilter filter = IdempotencyFilter.on(engine)
                        .withScope(request -> Optional.of(KeyScope.of(Tenant.SINGLE)))
                        .build();
                context.addFilter(new FilterHolder(filter), "/*", EnumSet.of(DispatcherType.REQUEST));
            }
            context.addServlet(new ServletHolder(new Orders()), "/*");
            server.setHandler(context);
            server.start();
        }

        String url(String path) {
            return "http://127.0.0.1:" + connector.getLocalPort() + path;
        }

        @Override
        public void close() {
            try {
                server.stop();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            engine.close();
        }
    }

    private static final class Orders extends HttpServlet {
        private static final long serialVersionUID = 1;

        private final AtomicInteger made = new AtomicInteger();

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().write(made.toString());
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            request.getInputStream().readAllBytes();
            response.setStatus(201);
            response.getWriter().write("{\"id\":" + made.incrementAndGet() + "}");
        }
    }
}
