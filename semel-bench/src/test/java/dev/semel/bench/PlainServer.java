package dev.semel.bench;

import com.sun.net.httpserver.HttpExchange;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

/** A server for the bench with the JDK alone; optionally with a bug. */
final class PlainServer {
    private static final String TABLES = """
            CREATE TABLE placed_order (id TEXT);
            CREATE TABLE project (id TEXT);
            CREATE TABLE organisation (id TEXT, name TEXT);
            CREATE TABLE access_token (hash TEXT, organisation TEXT, person TEXT, role TEXT, per_minute INTEGER)
            """;

    /** Its bug. */
    enum Fault {
        NONE,
        /** A request that is sent again is run again, though its first answer is repeated. */
        RUNS_TWICE,
        /** A request that is sent again gets an answer of its own. */
        FORGETS,
        /** A first request is answered and not done. */
        LOSES,
        /** It does not begin to serve. */
        DIES
    }

    private final Fault fault;
    private final boolean bare;
    private final String table;
    private final Connection database;
    private final Map<String, byte[]> answers = new ConcurrentHashMap<>();

    private PlainServer(Fault fault, List<String> asked) throws SQLException {
        this.fault = fault;
        this.table = asked.get(0).equals("orders") ? "placed_order" : "project";
        this.bare = asked.get(1).equals("bare");
        this.database = DriverManager.getConnection(asked.get(2));
        try (Statement statement = database.createStatement()) {
            statement.execute(TABLES);
        }
    }

    static List<String> program(Fault fault) {
        return List.of(
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dsun.net.httpserver.nodelay=true",
                "-cp",
                System.getProperty("java.class.path"),
                PlainServer.class.getName(),
                fault.name());
    }

    public static void main(String[] arguments) throws Exception {
        Fault fault = Fault.valueOf(arguments[0]);
        if (fault == Fault.DIES) {
            throw new IllegalStateException("No server today.");
        }
        try (Socket bench = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1]))) {
            int port = new PlainServer(fault, List.of(arguments).subList(2, 6)).serve();
            say(bench, "ready " + port);
            BufferedReader asked =
                    new BufferedReader(new InputStreamReader(bench.getInputStream(), StandardCharsets.US_ASCII));
            while (asked.readLine() != null) {
                say(bench, "1000000");
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static void say(Socket bench, String line) throws IOException {
        bench.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    private int serve() throws IOException {
        com.sun.net.httpserver.HttpServer server =
                com.sun.net.httpserver.HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", this::handle);
        server.start();
        return server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
        byte[] before = bare || fault == Fault.FORGETS ? null : answers.get(key);
        if (before == null && fault != Fault.LOSES || fault == Fault.RUNS_TWICE) {
            insert();
        }
        byte[] answer = before != null ? before : UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII);
        answers.put(key, answer);
        if (before != null) {
            exchange.getResponseHeaders().add("Idempotency-Replayed", "true");
        }
        // Chunked the first time, as frameworks do.
        exchange.sendResponseHeaders(201, before == null ? 0 : answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    private synchronized void insert() throws IOException {
        try (Statement statement = database.createStatement()) {
            statement.execute("INSERT INTO " + table + " VALUES ('x')");
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }
}
