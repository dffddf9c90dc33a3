package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.SemelException;
import dev.semel.console.access.Role;
import dev.semel.server.access.LocalUser;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.session.OperatorSettings;
import dev.semel.server.session.SessionLimits;
import dev.semel.testkit.Await;
import dev.semel.testkit.Scratch;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The API for operators on a whole server. */
class OperatorsTest {
    private static final String SECRET = "root-0123456789abcdef";
    private static final OperatorSettings ROOT = new OperatorSettings(
            List.of(new LocalUser("root", List.of(SECRET), Role.ADMIN, null)), null, SessionLimits.USUAL);

    private static ServerConfig config(String store, DestinationConfig... destinations) {
        ServerConfig config = TestConfig.of(store, 0, destinations);
        return new ServerConfig(
                config.store(), config.listen(), config.policies(), config.tokens(), config.routing(), ROOT);
    }

    private static HttpResponse<String> send(SemelServer server, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.uri() + "/api/v1/admin" + path))
                .header("Authorization", "Bearer " + SECRET);
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body));
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void h1_apiForOperatorsRejectsSecretsOfNobodyWhileNobodyIsConfigured() throws Exception {
        String store = "sqlite:" + Scratch.directory("operators").resolve("ledger.db");
        try (SemelServer server = SemelServer.start(TestConfig.of(store, 0))) {
            assertThat(send(server, "/me", "").statusCode()).isEqualTo(401);
        }
    }

    @Test
    void operatorsSeeHealthAndReloadTheServerWithoutWaitingForTheirOwnRequest() throws Exception {
        String store = "sqlite:" + Scratch.directory("operators").resolve("ledger.db");
        try (Receiver receiver = new Receiver()) {
            DestinationConfig first = TestConfig.destination("first", receiver.url());
            DestinationConfig second = TestConfig.destination("second", receiver.url());
            AtomicReference<Supplier<ServerConfig>> file = new AtomicReference<>();
            try (SemelServer server =
                    SemelServer.start(config(store, first), () -> file.get().get())) {
                assertThat(send(server, "/server", "").body())
                        .contains("\"first\"")
                        .doesNotContain("\"second\"");
                file.set(() -> config(store, first, second));
                long began = System.nanoTime();
                HttpResponse<String> reloaded = send(server, "/reload", "{\"reason\":\"new destination\"}");
                assertThat(reloaded.statusCode()).as(reloaded.body()).isEqualTo(200);
                assertThat(java.time.Duration.ofNanos(System.nanoTime() - began))
                        .isLessThan(TestConfig.listen(0).drain());
                Await.until("the new configuration answers", () -> {
                    try {
                        return send(server, "/server", "").body().contains("\"second\"");
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
                file.set(() -> {
                    throw new SemelException.Misconfigured("semel.yaml", List.of("3:1: first", "9:1: second"));
                });
                HttpResponse<String> rejected = send(server, "/reload", "{\"reason\":\"broken\"}");
                assertThat(rejected.statusCode()).isEqualTo(409);
                assertThat(rejected.body()).contains("3:1: first", "9:1: second", "server.reload_rejected");
                assertThat(send(server, "/server", "").body()).contains("\"second\"");
            }
        }
    }
}
