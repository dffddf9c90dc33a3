package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.config.ServerConfig;
import dev.semel.server.session.OperatorSettings;
import dev.semel.server.session.SessionLimits;
import dev.semel.testkit.Scratch;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The pages of the console as {@code semel serve} mounts them. */
class ConsoleTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static ServerConfig config(boolean console) {
        ServerConfig base =
                TestConfig.of("sqlite:" + Scratch.directory("console").resolve("ledger.db"), 0);
        return new ServerConfig(
                base.store(),
                base.listen(),
                base.policies(),
                base.tokens(),
                base.routing(),
                new OperatorSettings(List.of(), null, SessionLimits.USUAL, console, false));
    }

    private static HttpResponse<String> get(SemelServer server, String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.uri() + path));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void consoleIsMountedAndTheRootLeadsToIt() throws Exception {
        try (SemelServer server = SemelServer.start(config(true))) {
            assertThat(get(server, "/").headers().firstValue("Location")).hasValue("./console/");
            assertThat(get(server, "/console").headers().firstValue("Location")).hasValue("./console/");
            HttpResponse<String> page = get(server, "/console/");
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(page.body()).contains("content=\"../api/v1\"");
            assertThat(get(server, "/consoles").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void h1_withoutUsersNobodyElsewhereSeesTheConsole() throws Exception {
        try (SemelServer server = SemelServer.start(config(true))) {
            assertThat(get(server, "/console/", "X-Forwarded-For", "203.0.113.9")
                            .statusCode())
                    .isEqualTo(404);
            assertThat(get(server, "/", "X-Forwarded-For", "203.0.113.9").statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void consoleThatIsSwitchedOffIsNotThere() throws Exception {
        try (SemelServer server = SemelServer.start(config(false))) {
            assertThat(get(server, "/console/").statusCode()).isEqualTo(404);
            assertThat(get(server, "/").statusCode()).isEqualTo(404);
            assertThat(get(server, "/api/v1/admin/me").statusCode()).isEqualTo(401);
        }
    }
}
