package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.semel.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code semel serve} as a process of its own, from the operator's jar, with real signals. The build runs it after packaging. */
@Timeout(180)
class ServeIT {
    private static final String SECRET = "whsec_0123456789abcdef";
    private static final String PATH = "/webhooks/stripe/7f3a9c1e5b2d4068a1c3e5f7";
    private static final Pattern ADDRESS = Pattern.compile("Listening on (http://\\S+)\\. ");

    @TempDir
    private Path directory;

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final HttpServer receiver = receiver();
    private Process server;

    private HttpServer receiver() {
        try {
            HttpServer made = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            made.createContext("/", exchange -> {
                String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                received.add(exchange.getRequestURI() + " " + body);
                exchange.sendResponseHeaders(204, -1);
                exchange.close();
            });
            made.start();
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterEach
    void end() {
        receiver.stop(0);
        if (server != null) {
            server.destroyForcibly();
        }
    }

    private Path configured(String... destinations) throws IOException {
        StringBuilder text = new StringBuilder("store: sqlite:" + directory.resolve("ledger.db") + "\n"
                + "listen:\n  port: 0\nsources:\n  stripe:\n    path: " + PATH
                + "\n    scheme: stripe\n    secrets: ${env:STRIPE_SECRET}\ndestinations:\n");
        for (String name : destinations) {
            text.append("  " + name + ":\n    url: http://127.0.0.1:")
                    .append(receiver.getAddress().getPort())
                    .append("/" + name + "\n    allow:\n      http: true\n      networks: [127.0.0.1/32]\n");
        }
        text.append("routes:\n  - from: stripe\n    to: [" + String.join(", ", destinations) + "]\n");
        return Files.writeString(directory.resolve("semel.yaml"), text);
    }

    private URI serve(Path file) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-jar",
                        Path.of("target", "semel.jar").toAbsolutePath().toString(),
                        "serve",
                        file.toString())
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("log").toFile());
        builder.environment().put("STRIPE_SECRET", SECRET);
        server = builder.start();
        Await.until("it listens", () -> ADDRESS.matcher(log()).find() || !server.isAlive());
        Matcher address = ADDRESS.matcher(log());
        assertThat(address.find()).as(log()).isTrue();
        return URI.create(address.group(1));
    }

    private String log() throws IOException {
        return Files.readString(directory.resolve("log"));
    }

    private static int send(URI server, String body) throws Exception {
        long time = Instant.now().getEpochSecond();
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        String signature = HexFormat.of().formatHex(mac.doFinal((time + "." + body).getBytes(StandardCharsets.UTF_8)));
        HttpRequest request = HttpRequest.newBuilder(server.resolve(PATH))
                .header("Content-Type", "application/json")
                .header("Stripe-Signature", "t=" + time + ",v1=" + signature)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private void signal(String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, "" + server.pid()).start();
        assertThat(kill.waitFor()).isZero();
    }

    @Test
    void b10_serverDeliversReloadsOnSighupAndExitsWithZeroOnSigterm() throws Exception {
        URI uri = serve(configured("billing"));
        assertThat(send(uri, "{\"id\":\"evt_1\"}")).isEqualTo(200);
        assertThat(send(uri, "{\"id\":\"evt_1\"}")).isEqualTo(200);
        Await.until("it is delivered", () -> received.size() == 1);

        configured("billing", "archive");
        signal("HUP");
        Await.until("the new file is in use", () -> log().contains("Reload is complete."));
        assertThat(send(uri, "{\"id\":\"evt_2\"}")).isEqualTo(200);
        Await.until("both have it", () -> received.size() == 3);

        Files.writeString(directory.resolve("semel.yaml"), "stroe: sqlite:x.db\n");
        signal("HUP");
        Await.until("the broken file is rejected", () -> log().contains("Reload was rejected"));
        assertThat(send(uri, "{\"id\":\"evt_3\"}")).isEqualTo(200);
        Await.until("both have it", () -> received.size() == 5);

        signal("TERM");
        assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(server.exitValue()).as(log()).isZero();
        assertThat(log()).contains("Stopped.").doesNotContain(SECRET);
        assertThat(received)
                .containsExactlyInAnyOrder(
                        "/billing {\"id\":\"evt_1\"}",
                        "/billing {\"id\":\"evt_2\"}",
                        "/archive {\"id\":\"evt_2\"}",
                        "/billing {\"id\":\"evt_3\"}",
                        "/archive {\"id\":\"evt_3\"}");
    }

    @Test
    void fileWithFaultsEndsTheCommandWithEachOfThem() throws Exception {
        Path file = Files.writeString(directory.resolve("semel.yaml"), "stroe: sqlite:x.db\nlisten:\n  prot: 1\n");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        Path.of("target", "semel.jar").toAbsolutePath().toString(),
                        "serve",
                        file.toString())
                .redirectError(directory.resolve("log").toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(Exit.CHECK_FAILED.code());
        assertThat(log()).contains("semel.yaml:1:1:", "did you mean 'store'", "semel.yaml:3:3:");
    }
}
