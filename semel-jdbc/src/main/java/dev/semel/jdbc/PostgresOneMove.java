package dev.semel.jdbc;

import dev.semel.store.AuditEntry;
import dev.semel.store.Move;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * One change by itself, as an idle service has it and as a caller's transaction brings it. Of a list the server guesses the
 * length, guesses better when it plans anew, and so plans the statement of a batch each time, which takes longer than the change.
 * Of single values there is nothing to guess: the plan is made once for each connection, and needs no lists to be expanded.
 */
final class PostgresOneMove {
    private static final String UPDATE = """
            UPDATE semel_record r SET state = ?::smallint, at = c.now + least(?::bigint, 9223372036854775807 - c.now),
                keep = nullif(?::bigint, 0), attempt = coalesce(nullif(?::int, -1), r.attempt), result = ?, failure = ?,
                turn = CASE WHEN ?::int = 1 THEN NULL ELSE r.turn END
            FROM (SELECT %s AS now OFFSET 0) AS c
            WHERE r.id = ? AND r.fence = ? AND (?::int >> r.state) & 1 = 1 AND (?::int = 0 OR r.at <= c.now)
                AND %s
            """.formatted(PostgresSql.NOW, PostgresSql.KEPT);

    private static final String SILENT = UPDATE + "RETURNING pg_current_xact_id()::text";

    private static final String AUDITED = "WITH w AS (" + UPDATE + """
            RETURNING r.fence, r.attempt, c.now)
            , a AS (
                INSERT INTO semel_audit (tx, at, fence, attempt, type, tenant, operation, record, fingerprint, correlation,
                    policy, body)
                SELECT pg_current_xact_id()::text::bigint + m.tx_base, w.now, w.fence, w.attempt, ?::smallint, ?, ?, ?, ?, ?,
                    ?, ?
                FROM w, %s)
            SELECT pg_current_xact_id()::text FROM w""".formatted(PostgresSql.META);

    /** As {@link PostgresSql#BY_INDEX}, of which one row needs only this. */
    private static final String INDEXED =
            "SELECT " + PostgresSql.IS_READ_COMMITTED + ", set_config('enable_seqscan', 'off', true); ";

    private PostgresOneMove() {}

    /** Whether it is to a state, and moves nobody else up. */
    static boolean fits(Move move) {
        return move.to() != null
                && PostgresAlikeMoves.followsNobody(move.change().place());
    }

    /**
     * @param indexed whether the transaction is the ledger's own
     * @return the number of the transaction; null when nothing was changed
     */
    static @Nullable String apply(Connection connection, @Nullable Long now, boolean indexed, Move move)
            throws SQLException {
        AuditEntry event = move.event();
        String sql = (indexed ? INDEXED : "") + (event == null ? SILENT : AUDITED);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Binder binder = new Binder(statement);
            bind(binder, now, move);
            if (event != null) {
                PostgresEvents.bind(binder, event);
            }
            statement.execute();
            if (indexed) {
                statement.getMoreResults();
            }
            try (ResultSet written = statement.getResultSet()) {
                return written.next() ? written.getString(1) : null;
            }
        }
    }

    private static void bind(Binder binder, @Nullable Long now, Move move) throws SQLException {
        Move.Change change = move.change();
        binder.number(PostgresMoves.target(move.to()))
                .number(change.delayMillis())
                .number(change.keepMillis())
                .number(change.attempt())
                .bytes(change.result())
                .bytes(change.failure())
                .number(change.place() == null ? 0 : 1)
                .number(now)
                .bytes(move.id().bytes())
                .number(move.fence())
                .number(PostgresMoves.origins(move))
                .number(change.onlyIfOver() ? 1 : 0);
    }
}
