package dev.semel.examples.planner;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntUnaryOperator;

/** A mail service that answers as its test says, and keeps what it hears. */
final class MailStub implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Call> calls = new CopyOnWriteArrayList<>();

    /** @param nanos when it came */
    record Call(String key, String correlation, String request, String body, long nanos) {}

    /** @param answers the status of each call, by its number from 1; it may keep the caller waiting */
    MailStub(IntUnaryOperator answers) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", exchange -> {
            int number = hear(exchange);
            exchange.sendResponseHeaders(answers.applyAsInt(number), -1);
            exchange.close();
        });
        server.setExecutor(threads);
        server.start();
    }

    private synchronized int hear(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        calls.add(new Call(
                String.valueOf(exchange.getRequestHeaders().getFirst("Idempotency-Key")),
                String.valueOf(exchange.getRequestHeaders().getFirst("X-Correlation-ID")),
                String.valueOf(exchange.getRequestHeaders().getFirst("X-Request-ID")),
                body,
                System.nanoTime()));
        return calls.size();
    }

    /** As the planner's setting takes it. */
    String setting() {
        return "planner.mail.url=http://" + server.getAddress().getHostString() + ":"
                + server.getAddress().getPort() + "/notes";
    }

    List<Call> calls() {
        return List.copyOf(calls);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
