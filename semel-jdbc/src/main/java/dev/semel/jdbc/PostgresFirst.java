package dev.semel.jdbc;

import dev.semel.store.AuditEntry;
import dev.semel.store.Landing;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The commonest call: the first of its key, alone in its transaction. The same as {@link PostgresLandings} for one record that
 * is absent, without what a batch needs: arrays, their expansion and a join cost more than the insert itself.
 */
final class PostgresFirst {
    private static final String RECORD = """
            INSERT INTO semel_record (id, tenant, operation, key, fingerprint, correlation, parent, state, fence, attempt, at,
                created, keep, result, failure)
            SELECT ?, ?, ?, ?, ?, ?, ?, ?::smallint, c.high | nextval('semel_fence'), ?::int,
                c.now + least(?::bigint, 9223372036854775807 - c.now), c.now, nullif(?::bigint, 0), ?, ?
            FROM c
            """;

    private static final String SILENT = PostgresSql.COMMON + RECORD + " RETURNING fence, pg_current_xact_id()::text";

    private static final String AUDITED = PostgresSql.COMMON + ", r AS (" + RECORD + """
            RETURNING fence, attempt, created)
            INSERT INTO semel_audit (tx, at, fence, attempt, type, tenant, operation, record, fingerprint, correlation, policy,
                body)
            SELECT pg_current_xact_id()::text::bigint + c.tx_base, r.created, r.fence, r.attempt, ?::smallint, ?, ?, ?, ?, ?,
                ?, ?
            FROM r, c
            RETURNING fence, pg_current_xact_id()::text
            """;

    private PostgresFirst() {}

    static PostgresLandings.Result land(Connection connection, @Nullable Long now, Landing landing)
            throws SQLException {
        AuditEntry event = landing.event();
        try (PreparedStatement statement = connection.prepareStatement(event == null ? SILENT : AUDITED)) {
            Binder binder = new Binder(statement).number(now);
            bind(binder, landing);
            if (event != null) {
                bind(binder, event);
            }
            try (ResultSet written = statement.executeQuery()) {
                written.next();
                return PostgresLandings.Result.of(landing, written.getLong(1), written.getString(2));
            }
        }
    }

    private static void bind(Binder binder, Landing landing) throws SQLException {
        binder.bytes(landing.id().bytes())
                .text(landing.header().tenant())
                .text(landing.header().operation())
                .bytes(Rows.key(landing.header().key()))
                .bytes(landing.header().fingerprint().bytes())
                .text(landing.header().correlationId())
                .bytes(Rows.bytes(landing.header().parent()))
                .number(landing.state().code())
                .number(landing.times().attempt())
                .number(landing.times().delayMillis())
                .number(landing.times().keepMillis())
                .bytes(landing.outcome().result())
                .bytes(landing.outcome().failure());
    }

    private static void bind(Binder binder, AuditEntry event) throws SQLException {
        AuditEntry.Subject subject = event.subject();
        binder.number(event.type())
                .text(subject.tenant())
                .text(subject.operation())
                .bytes(Rows.bytes(subject.record()))
                .bytes(subject.fingerprint())
                .text(subject.correlationId())
                .text(event.policy())
                .text(event.body());
    }
}
