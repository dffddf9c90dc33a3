package dev.semel.bench.servers;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.UUID;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * What somebody would write who promises the same without Semel: a record with its answer, found by its key and by the end of
 * its retention, and an event of an audit. Nothing of it is looked after: no leases, no failures, no modes, no purge.
 */
@Component
@ConditionalOnProperty("bench.by-hand")
class HandLedger {
    private static final String TABLES = """
            CREATE SEQUENCE IF NOT EXISTS hand_fence;
            CREATE SEQUENCE IF NOT EXISTS hand_event CACHE 64;
            CREATE TABLE IF NOT EXISTS hand_record (fence bigint NOT NULL, at bigint NOT NULL, state smallint NOT NULL,
                id bytea PRIMARY KEY, operation text NOT NULL, key text NOT NULL, fingerprint bytea NOT NULL,
                correlation text NOT NULL, result bytea);
            CREATE INDEX IF NOT EXISTS hand_record_expiry ON hand_record (at) WHERE state = 2;
            CREATE INDEX IF NOT EXISTS hand_record_open ON hand_record (at) WHERE state <> 2;
            CREATE TABLE IF NOT EXISTS hand_audit (tx bigint NOT NULL, seq bigint NOT NULL DEFAULT nextval('hand_event'),
                at bigint NOT NULL, fence bigint NOT NULL, type smallint NOT NULL, operation text, record bytea,
                fingerprint bytea, correlation text, body text, PRIMARY KEY (tx, seq))""";

    private static final String LOOK_UP =
            "SELECT pg_try_advisory_xact_lock(?), (SELECT result FROM hand_record WHERE id = ?), nextval('hand_fence')";

    private static final String RECORD = "INSERT INTO hand_record (fence, at, state, id, operation, key, fingerprint,"
            + " correlation, result) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private static final String EVENT = "INSERT INTO hand_audit (tx, at, fence, type, operation, record, fingerprint,"
            + " correlation, body) VALUES (pg_current_xact_id()::text::bigint, ?, ?, ?, ?, ?, ?, ?, ?)";

    private static final String RESERVE = "INSERT INTO hand_record (fence, at, state, id, operation, key, fingerprint,"
            + " correlation) VALUES (nextval('hand_fence'), ?, 1, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING fence";

    private static final String MARK =
            "UPDATE hand_record SET state = 2, at = ? WHERE id = ? AND fence = ? AND state = 1";

    private static final String ANSWER =
            "UPDATE hand_record SET at = ?, result = ? WHERE id = ? AND fence = ? AND state = 2";

    private static final String OPERATION = "POST /orders";
    private static final long DAY_MILLIS = 86_400_000;
    private static final long LEASE_MILLIS = 60_000;

    private final JdbcTemplate jdbc;

    HandLedger(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
        jdbc.execute(TABLES);
    }

    /** A request under its key. */
    record HandRequest(String key, byte[] id, byte[] fingerprint, String correlation) {
        static HandRequest of(String key, byte[] body) {
            return new HandRequest(
                    key,
                    sha256((OPERATION + "\0" + key).getBytes(StandardCharsets.UTF_8)),
                    sha256(body),
                    UUID.randomUUID().toString());
        }

        private static byte[] sha256(byte[] bytes) {
            try {
                return MessageDigest.getInstance("SHA-256").digest(bytes);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("Every Java platform has SHA-256.", e);
            }
        }

        private long lock() {
            return java.nio.ByteBuffer.wrap(id).getLong();
        }
    }

    private static long now() {
        return System.currentTimeMillis();
    }

    private static String body(HandRequest asked) {
        return "{\"source\":\"http\",\"request_id\":\"" + asked.correlation + "\"}";
    }

    /** The first statement of the one transaction: locks, looks up, and draws a fence. */
    long open(HandRequest asked) {
        Map<String, Object> found = jdbc.queryForMap(LOOK_UP, asked.lock(), asked.id);
        if (!Boolean.TRUE.equals(found.get("pg_try_advisory_xact_lock")) || found.get("result") != null) {
            throw new IllegalStateException("The bench sends each key by hand once.");
        }
        return ((Number) found.get("nextval")).longValue();
    }

    /** The last statements of the one transaction, in one round trip. */
    void write(HandRequest asked, long fence, byte[] answer) {
        jdbc.update(
                RECORD + "; " + EVENT,
                fence,
                now() + DAY_MILLIS,
                2,
                asked.id,
                OPERATION,
                asked.key,
                asked.fingerprint,
                asked.correlation,
                answer,
                now(),
                fence,
                1,
                OPERATION,
                asked.id,
                asked.fingerprint,
                asked.correlation,
                body(asked));
    }

    /** The first of three commits. */
    long reserve(HandRequest asked) {
        Long fence = jdbc.queryForObject(
                RESERVE,
                Long.class,
                now() + LEASE_MILLIS,
                asked.id,
                OPERATION,
                asked.key,
                asked.fingerprint,
                asked.correlation);
        return fence == null ? 0 : fence;
    }

    /** In the transaction of the effect, which is the second. */
    void mark(HandRequest asked, long fence) {
        if (jdbc.update(MARK, now() + DAY_MILLIS, asked.id, fence) != 1) {
            throw new IllegalStateException("The lease is lost.");
        }
        jdbc.update(EVENT, now(), fence, 1, OPERATION, asked.id, asked.fingerprint, asked.correlation, body(asked));
    }

    /** The third. */
    void answer(HandRequest asked, long fence, byte[] answer) {
        if (jdbc.update(ANSWER, now() + DAY_MILLIS, answer, asked.id, fence) != 1) {
            throw new IllegalStateException("The record is gone.");
        }
    }
}
