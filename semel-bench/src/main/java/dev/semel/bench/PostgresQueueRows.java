package dev.semel.bench;

import dev.semel.store.Stores;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The writes of a drain, without Semel: rows of the same layout with the same indexes are claimed by one multi-row
 * commit and finished by another, on two connections. The code relies on a single tenant, no failures and no other
 * worker. This is the limit to aim at.
 */
final class PostgresQueueRows {
    static final int CONNECTIONS = 2;
    private static final int BATCH = 512;

    private static final String LOAD = """
            INSERT INTO semel_record (id, tenant, operation, key, fingerprint, correlation, state, fence, attempt, at, created,
                payload, turn, place)
            SELECT sha256(n::text::bytea), 'acme', 'bench-messages', convert_to('k-' || n, 'UTF8'),
                '\\x000000'::bytea || sha256(n::text::bytea), to_hex(n), 0, 0, 0, n, n,
                convert_to('{"item":"book","number":' || n || ',"lane":null}', 'UTF8'), 0, n
            FROM generate_series(1, ?) AS n""";

    private static final String CLAIM = """
            WITH k AS MATERIALIZED (
                SELECT r.ctid AS place FROM semel_record r
                WHERE r.operation = 'bench-messages' AND r.tenant = 'acme' AND r.turn = 0 AND r.state IN (0, 3) AND r.state = 0
                    AND r.at >= ? ORDER BY r.at LIMIT ? FOR UPDATE SKIP LOCKED)
            UPDATE semel_record r SET state = 1, fence = nextval('semel_fence'), attempt = r.attempt + 1,
                at = 4000000000000, owner = 1
            FROM k WHERE r.ctid = k.place RETURNING r.created, r.id, r.fence, r.fingerprint, r.correlation, r.key, r.payload""";

    private static final String FINISH = """
            UPDATE semel_record r SET state = 2, at = 4000000086400, keep = 86400000, turn = NULL
            FROM unnest(?::bytea[], ?::bigint[]) AS i(id, fence)
            WHERE r.id = i.id AND r.fence = i.fence AND r.state = 1""";

    private static final String EVENTS = """
            INSERT INTO semel_audit (tx, at, fence, attempt, type, tenant, operation, record, fingerprint, correlation, policy)
            SELECT pg_current_xact_id()::text::bigint, 4000000000000, i.fence, 1, 1, 'acme', 'bench-messages', i.id,
                i.fingerprint, i.correlation, 'RETRY_DEFAULT'
            FROM unnest(?::bytea[], ?::bigint[], ?::bytea[], ?::text[]) AS i(id, fence, fingerprint, correlation)""";

    private static final String BY_INDEX =
            "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off";

    private final PostgresPlace place;
    private final boolean audited;

    /** @param audited whether each finish writes an event, as Semel's does */
    PostgresQueueRows(PostgresPlace place, boolean audited) {
        this.place = place;
        this.audited = audited;
    }

    AlternatingRuns.RoundResult drain(int backlog) throws Exception {
        place.execute(Stores.installed().engine("postgresql").ddl());
        try (Connection connection = place.connect();
                PreparedStatement load = connection.prepareStatement(LOAD)) {
            load.setInt(1, backlog);
            load.executeUpdate();
        }
        ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
        try {
            long began = System.nanoTime();
            List<Future<Integer>> workers = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                workers.add(threads.submit(this::work));
            }
            int done = 0;
            for (Future<Integer> worker : workers) {
                done += worker.get();
            }
            long nanos = System.nanoTime() - began;
            if (done != backlog) {
                throw new IllegalStateException("Rows: of " + backlog + " only " + done + " were finished.");
            }
            return AlternatingRuns.RoundResult.of(done, nanos);
        } finally {
            threads.shutdownNow();
        }
    }

    private int work() throws SQLException {
        try (Connection connection = place.connect()) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(BY_INDEX);
            }
            connection.setAutoCommit(false);
            int done = 0;
            long floor = 0;
            while (true) {
                Claimed claimed = claim(connection, floor);
                if (claimed.ids.isEmpty()) {
                    return done;
                }
                floor = claimed.floor;
                finish(connection, claimed);
                done += claimed.ids.size();
            }
        }
    }

    private static final class Claimed {
        private final List<byte[]> ids = new ArrayList<>();
        private final List<Long> fences = new ArrayList<>();
        private final List<byte[]> fingerprints = new ArrayList<>();
        private final List<String> correlations = new ArrayList<>();
        private long floor = Long.MAX_VALUE;
    }

    private static Claimed claim(Connection connection, long floor) throws SQLException {
        Claimed claimed = new Claimed();
        try (PreparedStatement statement = connection.prepareStatement(CLAIM)) {
            statement.setLong(1, floor);
            statement.setInt(2, BATCH);
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    claimed.floor = Math.min(claimed.floor, found.getLong(1));
                    claimed.ids.add(found.getBytes(2));
                    claimed.fences.add(found.getLong(3));
                    claimed.fingerprints.add(found.getBytes(4));
                    claimed.correlations.add(found.getString(5));
                }
            }
        }
        connection.commit();
        return claimed;
    }

    private void finish(Connection connection, Claimed claimed) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FINISH)) {
            statement.setArray(1, connection.createArrayOf("bytea", claimed.ids.toArray(byte[][]::new)));
            statement.setArray(2, connection.createArrayOf("bigint", claimed.fences.toArray(Long[]::new)));
            statement.executeUpdate();
        }
        if (audited) {
            try (PreparedStatement statement = connection.prepareStatement(EVENTS)) {
                statement.setArray(1, connection.createArrayOf("bytea", claimed.ids.toArray(byte[][]::new)));
                statement.setArray(2, connection.createArrayOf("bigint", claimed.fences.toArray(Long[]::new)));
                statement.setArray(3, connection.createArrayOf("bytea", claimed.fingerprints.toArray(byte[][]::new)));
                statement.setArray(4, connection.createArrayOf("text", claimed.correlations.toArray(String[]::new)));
                statement.executeUpdate();
            }
        }
        connection.commit();
    }
}
