package dev.semel.bench;

import dev.semel.store.Stores;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The writes of Semel, without Semel, to another file with the same tables: one connection, as SQLite has one writer,
 * whose statements stay prepared, and which callers take in turn. Durable: WAL and FULL.
 */
final class SqliteRows implements AutoCloseable {
    static final String EFFECT_TABLE = "CREATE TABLE IF NOT EXISTS bench_effect (id INTEGER PRIMARY KEY, account TEXT"
            + " NOT NULL, amount INTEGER NOT NULL)";
    private static final String EFFECT = "INSERT INTO bench_effect (id, account, amount) VALUES (?, ?, ?)";
    private static final String RECORD =
            "INSERT INTO semel_record (id, tenant, operation, key, fingerprint, correlation,"
                    + " state, fence, attempt, at, keep, owner, result) VALUES (?, ?, ?, ?, ?, ?, 2, ?, 1, ?, 0, 0, ?)";
    private static final String AUDIT = "INSERT INTO semel_audit (at, type, tenant, operation, record, fingerprint,"
            + " correlation, policy, fence, attempt) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, 1)";
    private static final long DAY = 86_400_000;

    private final ReentrantLock turn = new ReentrantLock();
    private final Connection connection;
    private final PreparedStatement effect;
    private final PreparedStatement record;
    private final PreparedStatement audit;

    SqliteRows(String jdbcUrl) throws SQLException {
        connection = DriverManager.getConnection(jdbcUrl);
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("PRAGMA synchronous = FULL");
            statement.executeUpdate(Stores.installed().engine("sqlite").ddl());
            statement.executeUpdate(EFFECT_TABLE);
        }
        connection.setAutoCommit(false);
        effect = connection.prepareStatement(EFFECT);
        record = connection.prepareStatement(RECORD);
        audit = connection.prepareStatement(AUDIT);
    }

    /** The application's own write, in Semel's transaction. */
    static void effect(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(EFFECT)) {
            bindEffect(statement);
            statement.executeUpdate();
        }
    }

    private static void bindEffect(PreparedStatement statement) throws SQLException {
        statement.setLong(1, Work.number());
        statement.setString(2, "account-17");
        statement.setLong(3, 42);
    }

    /** The application's write alone, and its commit. */
    void bareEffect() throws SQLException {
        inTurn(() -> {
            bindEffect(effect);
            effect.executeUpdate();
        });
    }

    /** The rows of one atomic call with its effect, and their commit. */
    void call() throws SQLException {
        inTurn(() -> {
            bindEffect(effect);
            effect.executeUpdate();
            bindRows();
            record.executeUpdate();
            audit.executeUpdate();
        });
    }

    /** The rows of a batch of atomic calls without effects, and their commit. */
    void batch(int size) throws SQLException {
        inTurn(() -> {
            for (int i = 0; i < size; i++) {
                bindRows();
                record.addBatch();
                audit.addBatch();
            }
            record.executeBatch();
            audit.executeBatch();
        });
    }

    @FunctionalInterface
    private interface Writes {
        void run() throws SQLException;
    }

    private void inTurn(Writes writes) throws SQLException {
        turn.lock();
        try {
            writes.run();
            connection.commit();
        } finally {
            turn.unlock();
        }
    }

    private void bindRows() throws SQLException {
        byte[] id = new byte[32];
        byte[] fingerprint = new byte[35];
        ThreadLocalRandom.current().nextBytes(id);
        ThreadLocalRandom.current().nextBytes(fingerprint);
        String correlation = Long.toHexString(ThreadLocalRandom.current().nextLong());
        long now = System.currentTimeMillis();
        long fence = Work.number();
        record.setBytes(1, id);
        record.setString(2, Work.TENANT.name());
        record.setString(3, "bench-atomic");
        record.setBytes(4, Work.key().getBytes(StandardCharsets.UTF_8));
        record.setBytes(5, fingerprint);
        record.setString(6, correlation);
        record.setLong(7, fence);
        record.setLong(8, now + DAY);
        record.setBytes(9, PostgresRows.RESULT);
        audit.setLong(1, now);
        audit.setString(2, Work.TENANT.name());
        audit.setString(3, "bench-atomic");
        audit.setBytes(4, id);
        audit.setBytes(5, fingerprint);
        audit.setString(6, correlation);
        audit.setString(7, "RETRY_DEFAULT");
        audit.setLong(8, fence);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
