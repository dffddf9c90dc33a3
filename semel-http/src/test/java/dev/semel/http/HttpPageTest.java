package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The code of docs/http.md, run. */
class HttpPageTest {
    private final TestDatabase ground = TestDatabase.Kind.SQLITE.fresh();
    private final AtomicInteger invalidated = new AtomicInteger();

    private static IdempotencyFilter filter(Semel semel) {
        // region filter
        IdempotencyFilter filter = IdempotencyFilter.on(semel)
                .withTenant(request -> tenantOf(request.getUserPrincipal().getName()))
                .withRoute("POST", "/orders", Rule.required().withLevel(Level.SPAN))
                .withRoute("PUT", "/orders/{id}", Rule.required().withLevel(Level.MARKER))
                .withRoute("POST", "/metrics/**", Rule.off())
                .build();
        // endregion
        return filter;
    }

    private static String tenantOf(String user) {
        return user.substring(user.indexOf('@') + 1);
    }

    // region span
    private void place(HttpServletRequest request, HttpServletResponse response) throws SQLException, IOException {
        IdempotentExchange exchange = IdempotentExchange.of(request).orElseThrow();
        insertOrder(exchange.connection());
        exchange.afterFirstCommit(() -> invalidateCache());
        response.setStatus(201);
        response.getWriter().write("placed");
    }
    // endregion

    // region marker
    private void change(HttpServletRequest request, HttpServletResponse response) throws SQLException {
        IdempotentExchange exchange = IdempotentExchange.of(request).orElseThrow();
        try (Connection connection = ground.connect()) {
            connection.setAutoCommit(false);
            ExpectedVersion.of(request).demand(currentVersion(connection));
            insertOrder(connection);
            exchange.mark(connection);
            connection.commit();
        }
        response.setStatus(204);
    }
    // endregion

    private static void insertOrder(Connection connection) throws SQLException {
        TestDatabase.effect(connection, "order");
    }

    private static long currentVersion(Connection connection) throws SQLException {
        try (PreparedStatement count = connection.prepareStatement("select count(*) from effect");
                ResultSet rows = count.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private void invalidateCache() {
        invalidated.incrementAndGet();
    }

    private static HttpResponse<String> sent(HttpRequest request) throws IOException, InterruptedException {
        // region client
        RetryingClient client = RetryingClient.of(HttpClient.newHttpClient());
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        // endregion
        return response;
    }

    @Test
    void snippetsOfThePageRun() throws Exception {
        try (Semel semel = Semel.open(ground.url())) {
            int port = Container.JETTY.serve(filter(semel), (request, response) -> {
                if (request.getMethod().equals("POST")) {
                    place(request, response);
                } else {
                    change(request, response);
                }
            });
            HttpRequest.Builder request = HttpRequest.newBuilder()
                    .header("X-User", "alice@acme")
                    .uri(URI.create("http://127.0.0.1:" + port + "/orders"));
            HttpRequest post = request.copy()
                    .header("Idempotency-Key", "k-1")
                    .POST(HttpRequest.BodyPublishers.ofString("book"))
                    .build();
            assertThat(sent(post).body()).isEqualTo("placed");
            assertThat(sent(post).body()).isEqualTo("placed");
            assertThat(invalidated).hasValue(1);
            HttpRequest.Builder put = request.copy()
                    .uri(URI.create("http://127.0.0.1:" + port + "/orders/7"))
                    .header("If-Match", "\"1\"")
                    .PUT(HttpRequest.BodyPublishers.ofString("two books"));
            assertThat(sent(put.build()).statusCode()).isEqualTo(204);
            assertThat(sent(put.build()).statusCode())
                    .as("a new key, an old version")
                    .isEqualTo(409);
            assertThat(ground.effects("order")).isEqualTo(2);
        }
    }
}
