package dev.semel.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConsoleServletTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final Server SERVER = new Server();
    private static final ServerConnector CONNECTOR = new ServerConnector(SERVER);

    @BeforeAll
    static void start() throws Exception {
        CONNECTOR.setHost("127.0.0.1");
        SERVER.addConnector(CONNECTOR);
        ServletContextHandler context = new ServletContextHandler("/app");
        context.addServlet(
                new ServletHolder(new ConsoleServlet("../api/v1", ConsoleServlet.LoginKind.SECRET)), "/console/*");
        SERVER.setHandler(context);
        SERVER.start();
    }

    @AfterAll
    static void stop() throws Exception {
        SERVER.stop();
    }

    private static HttpResponse<String> send(String method, String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + CONNECTOR.getLocalPort() + path))
                .method(method, HttpRequest.BodyPublishers.noBody());
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    @Test
    void firstPageNamesTheApiRelativeToItself() throws Exception {
        HttpResponse<String> page = send("GET", "/app/console/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(header(page, "Content-Type")).startsWith("text/html");
        assertThat(page.body())
                .contains("<meta name=\"semel-api\" content=\"../api/v1\">")
                .doesNotContain("%API%");
        assertThat(send("GET", "/app/console/index.html").body()).isEqualTo(page.body());
        HttpResponse<String> head = send("HEAD", "/app/console/");
        assertThat(head.body()).isEmpty();
        assertThat(header(head, "ETag")).isEqualTo(header(page, "ETag"));
    }

    @Test
    void mountWithoutSlashRedirectsRelatively() throws Exception {
        HttpResponse<String> answer = send("GET", "/app/console");
        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(header(answer, "Location")).isEqualTo("./console/");
    }

    @Test
    void unchangedFileIsNotSentAgain() throws Exception {
        String tag = header(send("GET", "/app/console/"), "ETag");
        HttpResponse<String> again = send("GET", "/app/console/", "If-None-Match", "\"other\", " + tag);
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(header(again, "Cache-Control")).isEqualTo("no-cache");
        assertThat(send("GET", "/app/console/", "If-None-Match", "\"other\"").statusCode())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"})
    void h2_onlyReadingMethodsAreAnswered(String method) throws Exception {
        HttpResponse<String> answer = send(method, "/app/console/");
        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(header(answer, "Allow")).isEqualTo("GET, HEAD");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/app/console/", "/app/console", "/app/console/absent.js"})
    void h3_everyResponseHasTheSecurityHeaders(String path) throws Exception {
        HttpResponse<String> answer = send("GET", path);
        assertThat(header(answer, "Content-Security-Policy"))
                .isEqualTo("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                        + " connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self';"
                        + " frame-ancestors 'none'");
        assertThat(header(answer, "X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(header(answer, "Referrer-Policy")).isEqualTo("no-referrer");
        assertThat(header(answer, "Cross-Origin-Opener-Policy")).isEqualTo("same-origin");
        assertThat(header(answer, "Permissions-Policy")).contains("camera=()");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/app/console/../ConsoleServlet.class",
                "/app/console/..%2fConsoleServlet.class",
                "/app/console/%2e%2e/ConsoleServlet.class",
                "/app/console//index.html",
                "/app/console/static/index.html",
                "/app/console/index.html%00.js",
                "/app/console/..\\ConsoleServlet.class",
                "/app/console/INDEX.HTML"
            })
    void pathOutsideTheFilesIsNotServed(String path) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", CONNECTOR.getLocalPort())) {
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            assertThat(answer).matches("(?s)HTTP/1\\.1 (400|404) .*");
        }
    }
}
