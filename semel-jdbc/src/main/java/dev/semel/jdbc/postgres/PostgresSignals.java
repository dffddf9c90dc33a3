package dev.semel.jdbc.postgres;

import dev.semel.store.Signals;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * LISTEN and NOTIFY, on a channel of the schema. One connection outside the pool listens, and is opened again when it is
 * lost; the pool's announce.
 */
final class PostgresSignals implements Signals {
    /** The server accepts a little more in one notification. */
    private static final int LARGEST = 7000;

    /** How soon a wait notices that it is to end. */
    private static final int SLICE_MILLIS = 250;

    private static final String CHANNEL = "'semel_' || md5(current_schema())";
    private static final String ANNOUNCE =
            "SELECT count(pg_notify(" + CHANNEL + ", p.text)) FROM unnest(?::text[]) AS p(text)";

    /** Opens a connection that is not the pool's. */
    @FunctionalInterface
    interface Opening {
        Connection open() throws SQLException;
    }

    private final PostgresSessions sessions;
    private final Opening opening;
    private final String node = UUID.randomUUID().toString();
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Connection listening;
    private volatile boolean closed;

    PostgresSignals(PostgresSessions sessions, Opening opening) {
        this.sessions = sessions;
        this.opening = opening;
    }

    @Override
    public void announce(Set<String> operations) {
        if (!operations.isEmpty()) {
            List<String> texts = texts(operations);
            sessions.once("notifying workers", connection -> {
                try (PreparedStatement statement = connection.prepareStatement(ANNOUNCE)) {
                    new PostgresBinder(statement).texts(texts, text -> text);
                    statement.executeQuery().close();
                }
                return true;
            });
        }
    }

    /** The node and the operations, a line for each; as many texts as it takes. */
    private List<String> texts(Set<String> operations) {
        List<String> texts = new ArrayList<>();
        StringBuilder text = new StringBuilder(node);
        int size = node.length();
        for (String operation : operations) {
            int more = operation.getBytes(StandardCharsets.UTF_8).length + 1;
            if (size + more > LARGEST) {
                texts.add(text.toString());
                text = new StringBuilder(node);
                size = node.length();
            }
            text.append('\n').append(operation);
            size += more;
        }
        texts.add(text.toString());
        return texts;
    }

    @Override
    public Set<String> await(Duration bound) throws InterruptedException {
        long until = System.nanoTime() + bound.toNanos();
        Set<String> heard = new HashSet<>();
        lock.lockInterruptibly();
        try {
            do {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                long left = Math.max(1, (until - System.nanoTime()) / 1_000_000);
                hear((int) Math.min(SLICE_MILLIS, left), heard);
            } while (heard.isEmpty() && !closed && System.nanoTime() - until < 0);
            return heard;
        } catch (SQLException e) {
            end();
            if (closed) {
                return heard;
            }
            throw sessions.failure("listening", e);
        } finally {
            lock.unlock();
        }
    }

    private void hear(int millis, Set<String> heard) throws SQLException {
        if (closed) {
            return;
        }
        if (listening == null) {
            listening = listen();
        }
        PGNotification[] all = listening.unwrap(PGConnection.class).getNotifications(millis);
        if (all == null) {
            return;
        }
        for (PGNotification each : all) {
            List<String> lines = each.getParameter().lines().toList();
            if (!lines.isEmpty() && !lines.get(0).equals(node)) {
                heard.addAll(lines.subList(1, lines.size()));
            }
        }
    }

    private Connection listen() throws SQLException {
        Connection connection = opening.open();
        try (Statement statement = connection.createStatement()) {
            String channel;
            try (ResultSet found = statement.executeQuery("SELECT quote_ident(" + CHANNEL + ")")) {
                found.next();
                channel = found.getString(1);
            }
            statement.execute("LISTEN " + channel);
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    private void end() {
        Connection connection = listening;
        listening = null;
        if (connection != null) {
            PostgresSessions.giveBack(connection);
        }
    }

    @Override
    public void close() {
        closed = true;
        lock.lock();
        try {
            end();
        } finally {
            lock.unlock();
        }
    }
}
