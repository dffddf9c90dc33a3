package dev.semel.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that is killed while the API works on a request. */
@Timeout(300)
public class GatewayKillTest {
    @TempDir
    private Path directory;

    /** Serves until it is killed; prints where. */
    public static void main(String[] args) throws Exception {
        try (GatewayServer server = GatewayServer.start(Path.of(args[0]), args[1], "policy: quick", args[2])) {
            System.out.println(server.at("/a"));
            while (System.in.read() >= 0) {
                continue;
            }
        }
    }

    private Process start(TestApi api, String setting) throws IOException {
        return new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m",
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        GatewayKillTest.class.getName(),
                        directory.toString(),
                        api.url(),
                        setting))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** The server is killed when the request is at the API; the next server answers the retry until the answer is final. */
    private HttpResponse<String> retriedAfterKill(TestApi api, String setting, String pending) throws Exception {
        CountDownLatch killed = new CountDownLatch(1);
        api.converses((call, out) -> {
            try {
                killed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new IOException("the caller is gone");
        });
        Process process = start(api, setting);
        try {
            String line = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            HttpRequest request = HttpRequest.newBuilder(URI.create(line))
                    .header("Authorization", "Bearer " + GatewayServer.ALICE)
                    .header("Idempotency-Key", "k")
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString("{\"a\":1}"))
                    .build();
            var sent = HttpClient.newHttpClient().sendAsync(request, HttpResponse.BodyHandlers.ofString());
            Await.until("the request is at the API", () -> api.calls().size() == 1);
            process.destroyForcibly().waitFor();
            Await.until("the caller has lost its connection", sent::isDone);
        } finally {
            process.destroyForcibly();
            killed.countDown();
        }
        api.answers(201, "made");
        try (GatewayServer next = GatewayServer.start(directory, api.url(), "policy: quick", setting)) {
            List<HttpResponse<String>> last = new java.util.concurrent.CopyOnWriteArrayList<>();
            Await.until("the lease of the killed server has expired", () -> {
                try {
                    last.add(0, next.post("/a", "k"));
                    return !last.get(0).body().contains(pending)
                            && !last.get(0).body().contains("retry_later");
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            return last.get(0);
        }
    }

    @Test
    void requestToARepeatableApiIsSentAgainUnderTheSameKeyAfterAKill() throws Exception {
        try (TestApi api = new TestApi()) {
            HttpResponse<String> answer = retriedAfterKill(api, "repeatable: true", "idempotency.in_progress");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
            assertThat(api.calls()).hasSize(2);
            assertThat(api.calls().get(0).header("Idempotency-Key"))
                    .isNotNull()
                    .isEqualTo(api.calls().get(1).header("Idempotency-Key"));
        }
    }

    @Test
    void requestToAnyOtherApiIsUnknownAfterAKillAndIsNotSentAgain() throws Exception {
        try (TestApi api = new TestApi()) {
            HttpResponse<String> answer = retriedAfterKill(api, "repeatable: false", "idempotency.in_progress");
            assertThat(answer.body()).contains("idempotency.outcome_unknown");
            assertThat(api.calls()).hasSize(1);
        }
    }
}
