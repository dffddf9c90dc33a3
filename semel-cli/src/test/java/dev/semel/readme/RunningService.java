package dev.semel.readme;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The service of a page in a process of its own, which can be killed. */
record RunningService(Process process, String address, HttpClient client) {
    private static final String READY = "listening on ";
    private static final long PAUSE_NANOS = 20_000_000;

    /** Returns when it says that it listens. Its classes are in {@code target/classes} of the directory. */
    static RunningService start(Path directory, String main, Map<String, String> environment) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                directory.resolve("target/classes") + File.pathSeparator + System.getProperty("java.class.path"),
                main));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        builder.environment().put("PORT", "0");
        Process process = builder.start();
        try {
            BufferedReader said = process.inputReader();
            String line = said.readLine();
            while (line != null && !line.startsWith(READY)) {
                line = said.readLine();
            }
            assertThat(line).as("the service ended before it listened").isNotNull();
            return new RunningService(process, line.substring(READY.length()), HttpClient.newHttpClient());
        } catch (IOException | RuntimeException | AssertionError e) {
            process.destroyForcibly();
            throw e;
        }
    }

    /** As {@code kill -9} does it. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** As {@code kill} does it; it must end by itself. */
    void stop() throws InterruptedException {
        process.destroy();
        assertThat(process.waitFor(1, TimeUnit.MINUTES))
                .as("it ends when asked")
                .isTrue();
    }

    HttpResponse<String> put(String order, String item) throws IOException, InterruptedException {
        return client.send(request(order, item), HttpResponse.BodyHandlers.ofString());
    }

    CompletableFuture<HttpResponse<String>> putLater(String order, String item) {
        return client.sendAsync(request(order, item), HttpResponse.BodyHandlers.ofString());
    }

    /** As a client that repeats its request while it is told to. */
    String putUntilDone(String order, String item) throws IOException, InterruptedException {
        HttpResponse<String> response = put(order, item);
        while (response.statusCode() == 503) {
            LockSupport.parkNanos(PAUSE_NANOS);
            response = put(order, item);
        }
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    void awaitCount(String expected) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(address + "/count")).build();
        String said = "";
        while (!said.equals(expected)) {
            said = client.send(request, HttpResponse.BodyHandlers.ofString())
                    .body()
                    .strip();
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private HttpRequest request(String order, String item) {
        return HttpRequest.newBuilder(URI.create(address + "/orders/" + order))
                .PUT(HttpRequest.BodyPublishers.ofString(item))
                .build();
    }
}
