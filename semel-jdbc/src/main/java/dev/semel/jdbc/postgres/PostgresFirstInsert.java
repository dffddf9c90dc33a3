package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.Rows;
import dev.semel.store.AuditEntry;
import dev.semel.store.RecordWrite;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The commonest call: the first of its key, alone. Its fence and the numbers of its transaction were drawn when the record
 * was looked up and found absent, so that everything by which a commit can be found again is known before anything is
 * written: the insert needs no answer, and may be sent together with COMMIT. It also needs nothing of what a batch needs:
 * arrays, their expansion and a join cost more than the insert itself.
 *
 * @param fence the record's
 * @param xid the transaction's number, by which the server can be asked how it ended
 * @param tx the same number as the audit has it
 */
record PostgresFirstInsert(long fence, String xid, long tx) {
    private static final String RECORD = String.format(Locale.ROOT, """
            INSERT INTO semel_record (id, tenant, operation, key, fingerprint, correlation, origin, state, fence, attempt, at,
                keep, result, failure)
            SELECT ?, ?, ?, ?, ?, ?, ?, ?::smallint, ?::bigint, ?::int,
                c.now + least(?::bigint, 9223372036854775807 - c.now),
                nullif(?::bigint, 0), ?, ?
            FROM (SELECT %s AS now OFFSET 0) AS c
            """, PostgresSql.NOW);

    private static final String EVENT = String.format(Locale.ROOT, """
            ; INSERT INTO semel_audit (tx, fence, attempt, type, tenant, operation, record, fingerprint, correlation, policy,
                body, at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, %s)
            """, PostgresSql.NOW);

    /** Not for steps, which are granted and numbered among the steps of their parent. */
    static boolean fits(RecordWrite write) {
        return write.header().parent() == null;
    }

    /** The record and its event, if it has one. */
    static String sql(RecordWrite write) {
        return write.event() == null ? RECORD : RECORD + EVENT;
    }

    PostgresTx.Evidence evidence(RecordWrite write) {
        return new PostgresTx.Evidence(write.id(), fence, write.state().code());
    }

    void bind(PostgresBinder binder, @Nullable Long now, RecordWrite write) throws SQLException {
        bind(binder, write);
        binder.number(now);
        if (write.event() != null) {
            bind(binder, write.event(), write.times().attempt());
            binder.number(now);
        }
    }

    private void bind(PostgresBinder binder, RecordWrite write) throws SQLException {
        binder.bytes(write.id().bytes())
                .text(write.header().tenant())
                .text(write.header().operation())
                .bytes(Rows.key(write.header().key()))
                .bytes(write.header().fingerprint().bytes())
                .text(write.header().correlationId())
                .text(write.header().origin())
                .number(write.state().code())
                .number(fence)
                .number(write.times().attempt())
                .number(write.times().delayMillis())
                .number(write.times().keepMillis())
                .bytes(write.outcome().result())
                .bytes(write.outcome().failure());
    }

    private void bind(PostgresBinder binder, AuditEntry event, int attempt) throws SQLException {
        binder.number(tx).number(fence).number(attempt);
        PostgresEvents.bind(binder, event);
    }
}
