package dev.semel.jdbc.postgres;

import dev.semel.store.AuditEntry;
import dev.semel.store.Move;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One change by itself, as an idle service has it and as a caller's transaction brings it. The server estimates the length
 * of an array, estimates better with a new plan, and so plans the statement of a batch on each execution, which takes
 * longer than the change. With single values there is nothing to estimate: the plan is made once for each connection, and
 * no arrays are expanded.
 */
final class PostgresSingleMove {
    private static final String UPDATE = String.format(Locale.ROOT, """
            UPDATE semel_record r SET state = ?::smallint, at = c.now + least(?::bigint, 9223372036854775807 - c.now),
                keep = nullif(?::bigint, 0), attempt = coalesce(nullif(?::int, -1), r.attempt), result = ?, failure = ?,
                turn = CASE WHEN ?::int = 1 THEN NULL ELSE r.turn END
            FROM (SELECT %s AS now OFFSET 0) AS c
            WHERE r.id = ? AND r.fence = ? AND (?::int >> r.state) & 1 = 1 AND (?::int = 0 OR r.at <= c.now)
                AND %s
            """, PostgresSql.NOW, PostgresSql.KEPT);

    private static final String RETURNED = " RETURNING r.fence, r.attempt, c.now)";

    private static final String EVENT = String.format(Locale.ROOT, """
            , a AS (
                INSERT INTO semel_audit (tx, at, fence, attempt, type, tenant, operation, record, fingerprint, correlation,
                    policy, body)
                SELECT pg_current_xact_id()::text::bigint + m.tx_base, w.now, w.fence, w.attempt, ?::smallint, ?, ?, ?, ?, ?,
                    ?, ?
                FROM w, %s)
            """, PostgresSql.META);

    private static final String SILENT = UPDATE + "RETURNING pg_current_xact_id()::text";

    private static final String AUDITED =
            "WITH w AS (" + UPDATE + RETURNED + EVENT + "SELECT pg_current_xact_id()::text FROM w";

    /** A transaction has a number once it has written something, or locked a row. Asked before this statement writes. */
    private static final String HAS_WRITTEN = "pg_current_xact_id_if_assigned() IS NOT NULL";

    private static final String UPDATE_IF_WRITTEN = "WITH w AS (" + UPDATE + "AND " + HAS_WRITTEN + RETURNED;

    private static final String WHETHER = " SELECT (SELECT pg_current_xact_id()::text FROM w), " + HAS_WRITTEN;

    private static final String SILENT_IF_WRITTEN = UPDATE_IF_WRITTEN + WHETHER;

    private static final String AUDITED_IF_WRITTEN = UPDATE_IF_WRITTEN + EVENT + WHETHER;

    /** As {@link PostgresSql#BY_INDEX}, of which one row needs only this. */
    private static final String INDEXED = "SELECT " + PostgresSql.BOUNDED_WAIT + ", " + PostgresSql.IS_READ_COMMITTED
            + ", set_config('enable_seqscan', 'off', true); ";

    private final Connection connection;
    private final @Nullable Long now;
    private final Move move;

    PostgresSingleMove(Connection connection, @Nullable Long now, Move move) {
        this.connection = connection;
        this.now = now;
        this.move = move;
    }

    /** Whether it is to a state, moves nobody else up, and has one event at most. */
    static boolean fits(Move move) {
        return move.to() != null
                && move.events().size() <= 1
                && PostgresUniformMoves.followsNobody(move.change().place());
    }

    /**
     * In a transaction of the ledger's own.
     *
     * @return the number of the transaction; null when nothing was changed
     */
    @Nullable
    String apply() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INDEXED + chosen(SILENT, AUDITED))) {
            return applied(new PostgresBinder(statement), statement);
        }
    }

    /**
     * In a transaction with a handler or caller.
     *
     * @param number which it must be; null when that is not known
     * @return the number of the transaction; null when nothing was changed
     */
    @Nullable
    String applyIn(@Nullable String number) throws SQLException {
        String sql = PostgresSameTransaction.AND_WAIT + chosen(SILENT, AUDITED) + PostgresSql.WAIT_AS_BEFORE;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            return applied(new PostgresBinder(statement).text(number), statement);
        }
    }

    private @Nullable String applied(PostgresBinder binder, PreparedStatement statement) throws SQLException {
        bind(binder);
        try (ResultSet written = PostgresLedger.second(statement)) {
            return written.next() ? written.getString(1) : null;
        }
    }

    /**
     * @param written whether the transaction had written anything before
     * @param xid the number of the transaction; null when nothing was changed
     */
    record IfWritten(boolean written, @Nullable String xid) {}

    /** As {@link #applyIn}, provided that the caller's transaction has written something; in one round trip. */
    IfWritten applyIfWritten(@Nullable String number) throws SQLException {
        String sql = PostgresSameTransaction.AND_WAIT
                + chosen(SILENT_IF_WRITTEN, AUDITED_IF_WRITTEN)
                + PostgresSql.WAIT_AS_BEFORE;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(new PostgresBinder(statement).text(number));
            try (ResultSet found = PostgresLedger.second(statement)) {
                found.next();
                return new IfWritten(found.getBoolean(2), found.getString(1));
            }
        }
    }

    private String chosen(String silent, String audited) {
        return move.event() == null ? silent : audited;
    }

    private void bind(PostgresBinder binder) throws SQLException {
        bind(binder, now, move);
        AuditEntry event = move.event();
        if (event != null) {
            PostgresEvents.bind(binder, event);
        }
    }

    private static void bind(PostgresBinder binder, @Nullable Long now, Move move) throws SQLException {
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
