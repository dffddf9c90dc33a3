package dev.semel.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.FencedReceiver;
import dev.semel.testkit.history.History;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntSupplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A destination: a real HTTP server that checks keys and fences, and writes all that it gets into a history. */
final class Receiver implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.shared();

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final History history = History.inMemory("receiver", TimeSource.system());
    private final FencedReceiver receiver = FencedReceiver.inMemory(history);
    private final List<String> applied = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile IntSupplier status = () -> 204;

    Receiver() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::receive);
        server.setExecutor(threads);
        server.start();
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/hooks");
    }

    /** What it answers from now on; nothing is applied unless it is a 2xx. */
    void answers(IntSupplier value) {
        status = value;
    }

    /** Ids of the events that it applied, in their order. */
    List<String> applied() {
        return List.copyOf(applied);
    }

    /** Content type and body of each request, in their order. */
    List<String> requests() {
        return List.copyOf(requests);
    }

    History history() {
        return history;
    }

    private void receive(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        requests.add(
                exchange.getRequestHeaders().getFirst("Content-Type") + " " + new String(body, StandardCharsets.UTF_8));
        int answer = status.getAsInt();
        if (answer / 100 == 2) {
            apply(exchange, body);
        }
        exchange.sendResponseHeaders(answer, -1);
        exchange.close();
    }

    private void apply(HttpExchange exchange, byte[] body) {
        JsonNode event = JSON.readTree(body);
        if (!event.has("id")) {
            return; // a test event
        }
        String id = event.get("id").asString();
        synchronized (applied) {
            try {
                Event.Reception reception = receiver.deliver(new FencedReceiver.Delivery(
                        id,
                        Long.parseLong(exchange.getRequestHeaders().getFirst("Semel-Fence")),
                        Integer.parseInt(exchange.getRequestHeaders().getFirst("Semel-Attempt")),
                        body,
                        new Event.Place(
                                event.get("lane").asString(),
                                event.get("number").asLong())));
                if (reception == Event.Reception.APPLIED) {
                    applied.add(id);
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
