package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.Rows;
import dev.semel.store.AuditEntry;
import dev.semel.store.RecordWrite;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A batch of first calls that differ only in what tells calls apart: id, key, fingerprint, correlation id and result. That is
 * what a batch of one operation that went well is. The server keeps a list of its own for every array that it expands, so what
 * all have in common travels once, and what an event repeats of its record is taken from the record.
 */
final class PostgresUniformBatch {
    private static final String COMMON =
            String.format(Locale.ROOT, """
            WITH c AS MATERIALIZED (
                SELECT %s AS now, %s AS high, pg_current_xact_id()::text AS xid,
                    pg_current_xact_id()::text::bigint + m.tx_base AS tx
                FROM %s)
            """, PostgresSql.NOW, PostgresSql.HIGH, PostgresSql.META);

    private static final String RECORDS = """
            , u AS (
                INSERT INTO semel_record (id, tenant, operation, key, fingerprint, correlation, origin, state, fence, attempt,
                    at, keep, result)
                SELECT i.id, ?, ?, i.key, i.fingerprint, i.correlation, ?, ?::smallint, c.high | nextval('semel_fence'), ?::int,
                    c.now + least(?::bigint, 9223372036854775807 - c.now), nullif(?::bigint, 0), i.result
                FROM c, unnest(?::bytea[], ?::bytea[], ?::bytea[], ?::text[], ?::bytea[])
                    AS i(id, key, fingerprint, correlation, result)
                RETURNING id, fence, attempt, fingerprint, correlation)
            """;

    private static final String EVENTS = """
            , a AS (
                INSERT INTO semel_audit (tx, at, fence, attempt, type, tenant, operation, record, fingerprint, correlation,
                    policy, body)
                SELECT c.tx, c.now, u.fence, u.attempt, ?::smallint, ?, ?, u.id, u.fingerprint, u.correlation, ?, ?
                FROM c, u)
            """;

    /** One of them is evidence enough: they are committed together. */
    private static final String RESULT = " SELECT u.id, u.fence, c.xid FROM c, u LIMIT 1";

    private static final String SILENT = PostgresSameTransaction.bounded(COMMON + RECORDS + RESULT);
    private static final String AUDITED = PostgresSameTransaction.bounded(COMMON + RECORDS + EVENTS + RESULT);

    private PostgresUniformBatch() {}

    static boolean areAlike(List<RecordWrite> writes) {
        RecordWrite first = writes.get(0);
        return isPlain(first) && writes.stream().allMatch(write -> alike(first, write));
    }

    private static boolean isPlain(RecordWrite write) {
        return write.header().parent() == null && write.outcome().failure() == null;
    }

    private static boolean alike(RecordWrite first, RecordWrite other) {
        return isPlain(other)
                && first.state() == other.state()
                && first.times().equals(other.times())
                && first.header().tenant().equals(other.header().tenant())
                && first.header().operation().equals(other.header().operation())
                && Objects.equals(first.header().origin(), other.header().origin())
                && alike(first.event(), other.event(), other);
    }

    private static boolean alike(@Nullable AuditEntry first, @Nullable AuditEntry other, RecordWrite of) {
        if (first == null || other == null) {
            return first == other;
        }
        AuditEntry.Subject subject = other.subject();
        return first.type() == other.type()
                && Objects.equals(first.policy(), other.policy())
                && Objects.equals(first.body(), other.body())
                && subject.tenant().equals(of.header().tenant())
                && of.header().operation().equals(subject.operation())
                && of.header().correlationId().equals(subject.correlationId())
                && of.id().equals(subject.record())
                && Arrays.equals(of.header().fingerprint().bytes(), subject.fingerprint());
    }

    /**
     * @param number which the transaction must be; null when that is not known
     * @param writes alike, and in the order of their ids
     */
    static PostgresRecordWrites.WritesResult write(
            Connection connection, @Nullable Long now, @Nullable String number, List<RecordWrite> writes)
            throws SQLException {
        RecordWrite first = writes.get(0);
        AuditEntry event = first.event();
        try (PreparedStatement statement = connection.prepareStatement(event == null ? SILENT : AUDITED)) {
            PostgresBinder binder = new PostgresBinder(statement)
                    .text(number)
                    .number(now)
                    .text(first.header().tenant())
                    .text(first.header().operation())
                    .text(first.header().origin())
                    .number(first.state().code())
                    .number(first.times().attempt())
                    .number(first.times().delayMillis())
                    .number(first.times().keepMillis())
                    .bytes(writes, l -> l.id().bytes())
                    .bytes(writes, l -> Rows.key(l.header().key()))
                    .bytes(writes, l -> l.header().fingerprint().bytes())
                    .texts(writes, l -> l.header().correlationId())
                    .bytes(writes, l -> l.outcome().result());
            if (event != null) {
                PostgresEvents.bindShared(binder, event);
            }
            try (ResultSet written = PostgresLedger.second(statement)) {
                written.next();
                return new PostgresRecordWrites.WritesResult(
                        written.getString(3),
                        List.of(new PostgresTx.Evidence(
                                Rows.id(written, 1),
                                written.getLong(2),
                                first.state().code())));
            }
        }
    }
}
