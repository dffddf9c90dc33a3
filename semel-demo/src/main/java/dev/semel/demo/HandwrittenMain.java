package dev.semel.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A receiver as it is often written, without Semel: it enters each webhook in a table of those it has processed, acknowledges it, and
 * forwards it from memory, with three attempts. What is in memory is lost with the process, since the table already says "processed";
 * and an attempt whose answer was lost is made again, although it took effect.
 */
final class HandwrittenMain {
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final int ATTEMPTS = 3;
    private static final int THREADS = 8;
    private static final int ACKNOWLEDGED = 200;

    private final Connection table;
    private final URI bank;
    private final TimeSource time = TimeSource.system();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();

    private HandwrittenMain(Connection table, URI bank) {
        this.table = table;
        this.bank = bank;
    }

    /** Arguments: the file of the table, and the bank. */
    public static void main(String[] args) throws Exception {
        Connection table = DriverManager.getConnection("jdbc:sqlite:" + args[0]);
        try (Statement statement = table.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS processed (id TEXT PRIMARY KEY)");
        }
        HandwrittenMain receiver = new HandwrittenMain(table, URI.create(args[1]));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.createContext("/", receiver::receive);
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
        ChildLines.say(ServerMain.LISTENING + " http://127.0.0.1:"
                + server.getAddress().getPort());
        ChildLines.onEach(words -> {});
    }

    private void receive(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        int status = ACKNOWLEDGED;
        try {
            if (isNew(exchange.getRequestHeaders().getFirst("webhook-id"))) {
                threads.execute(() -> forward(body));
            }
        } catch (SQLException e) {
            status = 503;
        }
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    private synchronized boolean isNew(String id) throws SQLException {
        try (PreparedStatement insert = table.prepareStatement("INSERT OR IGNORE INTO processed VALUES (?)")) {
            insert.setString(1, id);
            return insert.executeUpdate() == 1;
        }
    }

    private void forward(byte[] body) {
        HttpRequest request = HttpRequest.newBuilder(bank)
                .timeout(TIMEOUT)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        try {
            for (int attempt = 1; attempt <= ATTEMPTS && !isForwarded(request); attempt++) {
                time.sleep(PAUSE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isForwarded(HttpRequest request) throws InterruptedException {
        try {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() / 100 == 2;
        } catch (IOException e) {
            return false;
        }
    }
}
