package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.semel.server.config.Secrets;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

class DestinationsTest {
    @TempDir
    private Path directory;

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final HttpServer server = server();
    private volatile int status = 204;

    private HttpServer server() {
        try {
            HttpServer made = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            made.createContext("/", exchange -> {
                received.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
                exchange.sendResponseHeaders(status, -1);
                exchange.close();
            });
            made.start();
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private Shell test(String name, String allowed) throws IOException {
        Path file = Files.writeString(
                directory.resolve("semel.yaml"),
                "store: sqlite:semel.db\ndestinations:\n  app:\n    url: http://127.0.0.1:"
                        + server.getAddress().getPort()
                        + "/hooks\n    allow:\n      http: true\n" + allowed);
        return Shell.run(
                new CommandLine(new Destinations(Secrets.of(Map.of()))),
                Ansi.OFF,
                "test",
                name,
                "--file",
                file.toString());
    }

    @Test
    void destinationThatAnswersGetsATestEvent() throws IOException {
        Shell result = test("app", "      networks: [127.0.0.1/32]\n");
        assertThat(result.exit()).as(result.err()).isZero();
        assertThat(result.out()).contains("Test event delivered: destination app answered HTTP 204");
        assertThat(received).containsExactly("{\"type\":\"semel.test\"}");
    }

    @Test
    void destinationThatFailsIsReportedWithItsStatus() throws IOException {
        status = 500;
        Shell result = test("app", "      networks: [127.0.0.1/32]\n");
        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.out()).contains("Test event failed", "500");
    }

    @Test
    void addressThatIsNotAllowedIsNotConnectedTo() throws IOException {
        Shell result = test("app", "");
        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.out()).contains("Test event failed (disabled)");
        assertThat(received).isEmpty();
    }

    @Test
    void unknownNameIsRejectedWithThoseThatThereAre() throws IOException {
        Shell result = test("ap", "");
        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err()).contains("There is no destination 'ap'", "it has app");
    }
}
