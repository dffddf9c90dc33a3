package dev.semel.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * One server on a database of its own, and the clients that send to it. Every answer is looked at, and in the end the effects
 * are counted: a server that is fast because it forgets, or that does a thing twice, has no figure.
 */
final class HttpSubject implements AutoCloseable {
    private static final int CREATED = 201;
    private static final int EACH = 16;

    /** Counters of two callers do not share a line of the processor's cache. */
    private static final int LINE = 32;

    private final HttpService service;
    private final HttpServer server;
    private final String database;
    private final HttpForm form;
    private final HttpConnection[] connections;
    private final byte[][] known;
    private final byte[][] answers;
    private final int[] places;
    private final AtomicLong keys = new AtomicLong();

    /**
     * @param database JDBC's URL, with the user
     * @param callers at most
     */
    HttpSubject(HttpService service, HttpServer server, String database, int callers) {
        this.service = service;
        this.server = server;
        this.database = database;
        this.form = service.form();
        this.connections = IntStream.range(0, callers)
                .mapToObj(any -> new HttpConnection(server.port()))
                .toArray(HttpConnection[]::new);
        this.known = new byte[callers * EACH][];
        this.answers = new byte[callers * EACH][];
        this.places = new int[callers * LINE];
        try (Connection connection = DriverManager.getConnection(database);
                Statement statement = connection.createStatement()) {
            service.admit(statement);
        } catch (SQLException e) {
            throw unavailable(e);
        }
    }

    HttpServer server() {
        return server;
    }

    /** Each request under a key of its own. */
    Cell first(String suffix, int callers) {
        return Cell.of(server.name() + suffix, callers, this::first);
    }

    /** Requests that each caller has sent before. */
    Cell replay(String suffix, int callers) {
        return Cell.of(server.name() + suffix, callers, this::replay).preparedBy(any -> known());
    }

    /** One of so many is under a key of its own. */
    Cell mixed(String suffix, int callers, int oneFirstIn) {
        int[] turns = new int[callers * LINE];
        return Cell.of(server.name() + suffix, callers, caller -> {
                    if (turns[caller * LINE]++ % oneFirstIn == 0) {
                        first(caller);
                    } else {
                        replay(caller);
                    }
                })
                .preparedBy(any -> known());
    }

    private void first(int caller) throws IOException {
        newKey(caller, form.under(Work.key()));
    }

    private byte[] newKey(int caller, byte[] request) throws IOException {
        keys.incrementAndGet();
        HttpConnection.Reply reply = connections[caller].send(request);
        if (reply.status() != CREATED || reply.replayed()) {
            throw wrong("A request under a new key should be answered 201, and not as a replay", reply);
        }
        return reply.body();
    }

    private void replay(int caller) throws IOException {
        int place = caller * EACH + (places[caller * LINE]++ & EACH - 1);
        HttpConnection.Reply reply = connections[caller].send(known[place]);
        if (reply.status() != CREATED || !reply.replayed() || !Arrays.equals(reply.body(), answers[place])) {
            throw wrong("A request that is sent again should be answered as it was first, as a replay", reply);
        }
    }

    private HttpBench.Wrong wrong(String should, HttpConnection.Reply reply) {
        return new HttpBench.Wrong(server.name() + ": " + should + ". It was answered " + reply.text());
    }

    private void known() throws IOException {
        for (int i = 0; i < known.length && known[i] == null; i++) {
            byte[] request = form.under(Work.key());
            answers[i] = newKey(i / EACH, request);
            known[i] = request;
        }
    }

    /** Every key took effect once. */
    void verify() {
        try (Connection connection = DriverManager.getConnection(database)) {
            long effects = service.effects(connection);
            if (effects != keys.get()) {
                throw new HttpBench.Wrong(server.name() + ": under " + keys.get() + " keys the request took effect "
                        + effects + " times. Something was " + (effects > keys.get() ? "done twice." : "lost."));
            }
        } catch (SQLException e) {
            throw unavailable(e);
        }
    }

    long keys() {
        return keys.get();
    }

    private static HttpBench.Wrong unavailable(SQLException e) {
        return new HttpBench.Wrong(
                "The service's database cannot be looked at: SQLState " + e.getSQLState() + ", " + e.getMessage());
    }

    @Override
    public void close() {
        try {
            for (HttpConnection connection : connections) {
                connection.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            server.close();
        }
    }
}
