package dev.semel.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server in a process of its own, to be killed. */
public final class ServerProcess implements AutoCloseable {
    private final Process process;
    private final URI uri;

    private ServerProcess(Process process, URI uri) {
        this.process = process;
        this.uri = uri;
    }

    /** Serves until its input ends; the first line that it prints is its address. */
    public static void main(String[] args) throws Exception {
        try (SemelServer server =
                SemelServer.start(TestConfig.of(args[0], 0, TestConfig.destination("sink", URI.create(args[1]))))) {
            System.out.println(server.uri());
            while (System.in.read() >= 0) {
                continue;
            }
        }
    }

    static ServerProcess start(String store, URI destination) throws IOException {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ServerProcess.class.getName(),
                        store,
                        destination.toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String line =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
        if (line == null) {
            throw new IOException("The server's process ended before it listened.");
        }
        return new ServerProcess(process, URI.create(line));
    }

    URI uri() {
        return uri;
    }

    /** The resident memory of the process, in bytes. */
    long memory() throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                .findFirst()
                .orElseThrow();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Ends it as SIGTERM's handler would; tells whether it ended within a bound. */
    boolean stop() throws IOException, InterruptedException {
        process.getOutputStream().close();
        return process.waitFor(60, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
