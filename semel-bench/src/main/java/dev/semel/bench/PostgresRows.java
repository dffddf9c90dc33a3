package dev.semel.bench;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The writes of Semel, without Semel: the same rows into tables of the same layout with the same indexes. The code
 * relies on new keys and no failures.
 */
final class PostgresRows {
    static final String[] TABLES = {
        "CREATE TABLE bench_effect (id bigint PRIMARY KEY, account text NOT NULL, amount bigint NOT NULL)",
        "CREATE TABLE bench_record (LIKE semel_record INCLUDING ALL)",
        "CREATE TABLE bench_audit (LIKE semel_audit INCLUDING ALL)"
    };

    private static final String EFFECT = "INSERT INTO bench_effect (id, account, amount) VALUES (?, ?, ?)";
    private static final String COLUMNS =
            "INSERT INTO bench_record (id, tenant, operation, key, fingerprint, correlation, state, fence, attempt, at,"
                    + " keep, owner, payload, result) ";
    private static final String RESERVE =
            COLUMNS + "VALUES (?, ?, ?, ?, ?, ?, 1, nextval('semel_fence'), 1, ?, NULL, ?, ?, NULL) RETURNING fence";
    private static final String FINISH =
            "UPDATE bench_record SET state = 2, at = ?, result = ? WHERE id = ? AND fence = ? AND state = 1";
    private static final String AUDIT_COLUMNS = "INSERT INTO bench_audit (tx, at, fence, attempt, type, tenant,"
            + " operation, record, fingerprint, correlation, policy) ";
    private static final String AUDIT =
            AUDIT_COLUMNS + "VALUES (pg_current_xact_id()::text::bigint, ?, ?, 1, 1, ?, ?, ?, ?, ?, ?)";

    private static final String LOOK_UP = """
            SELECT pg_try_advisory_xact_lock(?); SELECT m.modes_version, m.epoch, nextval('semel_fence'),
                pg_current_xact_id()::text, r.*
            FROM semel_meta m LEFT JOIN bench_record r ON r.id = ?""";
    private static final String WRITE =
            COLUMNS + "VALUES (?, ?, ?, ?, ?, ?, 2, ?, 1, ?, NULL, NULL, NULL, ?); " + AUDIT;
    private static final String MESSAGE = "; INSERT INTO bench_record (id, tenant, operation, key, fingerprint,"
            + " correlation, at, payload, parent, state, fence, attempt, turn, place) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?,"
            + " 0, 0, 0, 0, nextval('semel_place')); " + AUDIT;
    private static final String COMMIT = "; COMMIT";

    private static final String INSERT_ALL = COLUMNS + """
            SELECT i.id, ?, ?, i.key, i.fingerprint, i.correlation, ?, nextval('semel_fence'), 1, ?, NULL, i.owner,
                i.payload, i.result
            FROM unnest(?::bytea[], ?::bytea[], ?::bytea[], ?::text[], ?::bigint[], ?::bytea[], ?::bytea[])
                AS i(id, key, fingerprint, correlation, owner, payload, result) ORDER BY i.id""";
    private static final String UPDATE_ALL = """
            UPDATE bench_record r SET state = 2, at = ?, result = i.result
            FROM unnest(?::bytea[], ?::bytea[]) AS i(id, result) WHERE r.id = i.id AND r.state = 1""";
    private static final String AUDIT_ALL = AUDIT_COLUMNS + """
            SELECT pg_current_xact_id()::text::bigint, ?, 1, 1, 1, ?, ?, i.id, i.fingerprint, i.correlation, ?
            FROM unnest(?::bytea[], ?::bytea[], ?::text[]) AS i(id, fingerprint, correlation)""";

    private static final String OPERATION = "bench-leased";
    private static final String POLICY = "RETRY_DEFAULT";
    private static final long DAY = 86_400_000;
    static final byte[] PAYLOAD = "{\"item\":\"book\",\"amount\":42}".getBytes(StandardCharsets.UTF_8);
    static final byte[] RESULT = "{\"number\":\"r-000001\"}".getBytes(StandardCharsets.UTF_8);

    private PostgresRows() {}

    /** The application's own write. */
    static void effect(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(EFFECT)) {
            statement.setLong(1, Work.number());
            statement.setString(2, "account-17");
            statement.setLong(3, 42);
            statement.executeUpdate();
        }
    }

    /** One atomic call with the fewest round trips: lock and look up; the effect; the record, its event and the commit. */
    static void atomic(Connection connection) throws SQLException {
        atomic(connection, false);
    }

    /** The same with a message that waits for a worker and names its cause, and its event. */
    static void atomicWithMessage(Connection connection) throws SQLException {
        atomic(connection, true);
    }

    private static void atomic(Connection connection, boolean withMessage) throws SQLException {
        byte[] id = random(32);
        byte[] fingerprint = random(35);
        String correlation = Long.toHexString(ThreadLocalRandom.current().nextLong());
        long now = System.currentTimeMillis();
        long fence;
        try (PreparedStatement open = connection.prepareStatement(LOOK_UP)) {
            open.setLong(1, ThreadLocalRandom.current().nextLong());
            open.setBytes(2, id);
            open.execute();
            open.getMoreResults();
            try (ResultSet found = open.getResultSet()) {
                found.next();
                fence = found.getLong(3);
            }
        }
        effect(connection);
        String sql = withMessage ? WRITE + MESSAGE + COMMIT : WRITE + COMMIT;
        try (PreparedStatement write = connection.prepareStatement(sql)) {
            write.setBytes(1, id);
            write.setString(2, Work.TENANT.name());
            write.setString(3, OPERATION);
            write.setBytes(4, Work.key().getBytes(StandardCharsets.UTF_8));
            write.setBytes(5, fingerprint);
            write.setString(6, correlation);
            write.setLong(7, fence);
            write.setLong(8, now + DAY);
            write.setBytes(9, RESULT);
            event(write, 10, new Event(now, fence, id, fingerprint, correlation));
            if (withMessage) {
                message(write, 18, now, new Cause(id, correlation));
            }
            write.execute();
        }
    }

    private record Cause(byte[] id, String correlation) {}

    private static void message(PreparedStatement write, int first, long now, Cause cause) throws SQLException {
        byte[] id = random(32);
        byte[] fingerprint = random(35);
        write.setBytes(first, id);
        write.setString(first + 1, Work.TENANT.name());
        write.setString(first + 2, OPERATION);
        write.setBytes(first + 3, Work.key().getBytes(StandardCharsets.UTF_8));
        write.setBytes(first + 4, fingerprint);
        write.setString(first + 5, cause.correlation);
        write.setLong(first + 6, now);
        write.setBytes(first + 7, PAYLOAD);
        write.setBytes(first + 8, cause.id);
        event(write, first + 9, new Event(now, 0, id, fingerprint, cause.correlation));
    }

    private record Event(long now, long fence, byte[] id, byte[] fingerprint, String correlation) {}

    private static void event(PreparedStatement audit, int first, Event event) throws SQLException {
        audit.setLong(first, event.now);
        audit.setLong(first + 1, event.fence);
        audit.setString(first + 2, Work.TENANT.name());
        audit.setString(first + 3, OPERATION);
        audit.setBytes(first + 4, event.id);
        audit.setBytes(first + 5, event.fingerprint);
        audit.setString(first + 6, event.correlation);
        audit.setString(first + 7, POLICY);
    }

    /** One leased call: a commit to reserve, and one for the finish with its audit event. */
    static void oneByOne(Connection connection) throws SQLException {
        byte[] id = random(32);
        byte[] fingerprint = random(35);
        String correlation = Long.toHexString(ThreadLocalRandom.current().nextLong());
        long now = System.currentTimeMillis();
        long fence;
        try (PreparedStatement reserve = connection.prepareStatement(RESERVE)) {
            reserve.setBytes(1, id);
            reserve.setString(2, Work.TENANT.name());
            reserve.setString(3, OPERATION);
            reserve.setBytes(4, Work.key().getBytes(StandardCharsets.UTF_8));
            reserve.setBytes(5, fingerprint);
            reserve.setString(6, correlation);
            reserve.setLong(7, now + 60_000);
            reserve.setLong(8, ThreadLocalRandom.current().nextLong());
            reserve.setBytes(9, PAYLOAD);
            try (ResultSet made = reserve.executeQuery()) {
                made.next();
                fence = made.getLong(1);
            }
        }
        connection.commit();
        try (PreparedStatement finish = connection.prepareStatement(FINISH);
                PreparedStatement audit = connection.prepareStatement(AUDIT)) {
            finish.setLong(1, now + DAY);
            finish.setBytes(2, RESULT);
            finish.setBytes(3, id);
            finish.setLong(4, fence);
            finish.executeUpdate();
            event(audit, 1, new Event(now, fence, id, fingerprint, correlation));
            audit.executeUpdate();
        }
        connection.commit();
    }

    /** The rows of a batch of atomic calls in one commit. */
    static void atomicBatch(Connection connection, int size) throws SQLException {
        Batch batch = new Batch(size);
        insertAll(connection, batch, true);
        auditAll(connection, batch);
        connection.commit();
    }

    /** The rows of a batch of leased calls: a commit to reserve, and one for the finish with its audit events. */
    static void leasedBatch(Connection connection, int size) throws SQLException {
        Batch batch = new Batch(size);
        insertAll(connection, batch, false);
        connection.commit();
        try (PreparedStatement update = connection.prepareStatement(UPDATE_ALL)) {
            update.setLong(1, batch.now + DAY);
            update.setArray(2, connection.createArrayOf("bytea", batch.ids));
            update.setArray(3, connection.createArrayOf("bytea", batch.all(RESULT)));
            update.executeUpdate();
        }
        auditAll(connection, batch);
        connection.commit();
    }

    private static void insertAll(Connection connection, Batch batch, boolean completed) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT_ALL)) {
            insert.setString(1, Work.TENANT.name());
            insert.setString(2, OPERATION);
            insert.setInt(3, completed ? 2 : 1);
            insert.setLong(4, batch.now + DAY);
            insert.setArray(5, connection.createArrayOf("bytea", batch.ids));
            insert.setArray(6, connection.createArrayOf("bytea", batch.keys));
            insert.setArray(7, connection.createArrayOf("bytea", batch.fingerprints));
            insert.setArray(8, connection.createArrayOf("text", batch.correlations));
            insert.setArray(9, connection.createArrayOf("bigint", completed ? new Long[batch.size] : batch.owners));
            insert.setArray(10, connection.createArrayOf("bytea", batch.all(completed ? null : PAYLOAD)));
            insert.setArray(11, connection.createArrayOf("bytea", batch.all(completed ? RESULT : null)));
            insert.executeUpdate();
        }
    }

    private static void auditAll(Connection connection, Batch batch) throws SQLException {
        try (PreparedStatement audit = connection.prepareStatement(AUDIT_ALL)) {
            audit.setLong(1, batch.now);
            audit.setString(2, Work.TENANT.name());
            audit.setString(3, OPERATION);
            audit.setString(4, POLICY);
            audit.setArray(5, connection.createArrayOf("bytea", batch.ids));
            audit.setArray(6, connection.createArrayOf("bytea", batch.fingerprints));
            audit.setArray(7, connection.createArrayOf("text", batch.correlations));
            audit.executeUpdate();
        }
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        ThreadLocalRandom.current().nextBytes(bytes);
        return bytes;
    }

    /** Columns of new rows. */
    private static final class Batch {
        private final int size;
        private final long now = System.currentTimeMillis();
        private final byte[][] ids;
        private final byte[][] keys;
        private final byte[][] fingerprints;
        private final String[] correlations;
        private final Long[] owners;

        Batch(int size) {
            this.size = size;
            this.ids = new byte[size][];
            this.keys = new byte[size][];
            this.fingerprints = new byte[size][];
            this.correlations = new String[size];
            this.owners = new Long[size];
            for (int i = 0; i < size; i++) {
                ids[i] = random(32);
                keys[i] = Work.key().getBytes(StandardCharsets.UTF_8);
                fingerprints[i] = random(35);
                owners[i] = ThreadLocalRandom.current().nextLong();
                correlations[i] = Long.toHexString(owners[i]);
            }
        }

        private byte[][] all(byte @Nullable [] value) {
            byte[][] column = new byte[size][];
            Arrays.fill(column, value);
            return column;
        }
    }
}
