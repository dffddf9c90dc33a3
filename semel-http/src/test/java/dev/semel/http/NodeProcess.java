package dev.semel.http;

import dev.semel.Policy;
import dev.semel.Semel;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * A server in a process of its own, with a route for each level. It halts, without a word to anybody, where the header
 * {@code X-Halt} of a request says.
 */
public final class NodeProcess implements AutoCloseable {
    private final Process process;
    private int port;

    private NodeProcess(Process process) {
        this.process = process;
    }

    /** Where a process may halt. */
    enum Halt {
        /** The record is reserved; the handler has not begun. */
        BEFORE_THE_HANDLER,
        /** The effect is written, and marked where it is; nothing is committed. */
        BEFORE_ITS_COMMIT,
        /** The effect is committed; the record is not finished. */
        AFTER_ITS_COMMIT,
        /** The record is finished; no byte has left. */
        AFTER_THE_FINISH
    }

    static Policy policy() {
        return Policy.named("short").withLease(Duration.ofSeconds(1)).build();
    }

    static HttpSettings settings(HttpSettings settings) {
        Rule rule = Rule.required().withPolicy("short");
        for (Level level : Level.values()) {
            settings.withRoute("POST", "/" + level.name().toLowerCase(Locale.ROOT) + "/{name}", rule.withLevel(level));
        }
        return settings.afterFirstCommit((request, exchange) -> halt(request, Halt.AFTER_THE_FINISH));
    }

    static void halt(HttpServletRequest request, Halt where) {
        if (where.name().equals(request.getHeader("X-Halt"))) {
            Runtime.getRuntime().halt(0);
        }
    }

    /** Writes an effect of the name in the path, as its level wants it. */
    static App app(TestDatabase ground) {
        return (request, response) -> {
            String[] path = request.getPathInfo().split("/");
            halt(request, Halt.BEFORE_THE_HANDLER);
            IdempotentExchange exchange = IdempotentExchange.of(request).orElseThrow();
            if (exchange.level() == Level.SPAN) {
                TestDatabase.effect(exchange.connection(), path[2]);
                halt(request, Halt.BEFORE_ITS_COMMIT);
            } else {
                commit(ground, request, exchange, path[2]);
            }
            response.setStatus(HttpServletResponse.SC_CREATED);
            response.getWriter().write("done " + path[2]);
        };
    }

    private static void commit(
            TestDatabase ground, HttpServletRequest request, IdempotentExchange exchange, String name)
            throws SQLException {
        try (Connection connection = ground.connect()) {
            connection.setAutoCommit(false);
            TestDatabase.effect(connection, name);
            if (exchange.level() == Level.MARKER) {
                exchange.mark(connection);
            }
            halt(request, Halt.BEFORE_ITS_COMMIT);
            connection.commit();
        }
        halt(request, Halt.AFTER_ITS_COMMIT);
    }

    /** Serves until its input ends; the first line that it prints is its port. */
    public static void main(String[] arguments) throws IOException {
        TestDatabase ground = new TestDatabase(arguments[0], arguments[1]);
        Semel semel = Semel.settings(ground.url()).withPolicy(policy()).open();
        IdempotencyFilter filter =
                settings(IdempotencyFilter.on(semel).withSingleTenant()).build();
        System.out.println(Container.valueOf(arguments[2]).serve(filter, app(ground)));
        while (System.in.read() >= 0) {
            // Whoever started it is still there.
        }
        Runtime.getRuntime().halt(0);
    }

    /** Starts one; whether it serves is known from {@link #port}. */
    static NodeProcess start(TestDatabase ground, Container container) {
        try {
            Process process = new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx256m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-XX:-UsePerfData",
                            "-Xshare:auto",
                            "-XX:+IgnoreUnrecognizedVMOptions",
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            System.getProperty("java.class.path"),
                            NodeProcess.class.getName(),
                            ground.url(),
                            ground.jdbcUrl(),
                            container.name()))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new NodeProcess(process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Known when it serves. */
    synchronized int port() {
        if (port == 0) {
            try {
                String line = new BufferedReader(
                                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
                        .readLine();
                if (line == null) {
                    throw new AssertionError("the server did not start");
                }
                port = Integer.parseInt(line);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return port;
    }

    /** Waits for the process to have halted by itself. */
    void halted() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new AssertionError("the server did not halt");
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
