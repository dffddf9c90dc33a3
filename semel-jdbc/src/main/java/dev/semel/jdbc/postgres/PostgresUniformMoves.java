package dev.semel.jdbc.postgres;

import dev.semel.store.AuditEntry;
import dev.semel.store.Move;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A batch of changes that differ only in record, fence, result, and the payload data of their events: the results of
 * one operation that runs many times at once. As in {@link PostgresUniformBatch}, common values are sent once.
 */
final class PostgresUniformMoves {
    private static final String UPDATE = PostgresSql.COMMON + """
            , i AS MATERIALIZED (
                SELECT * FROM unnest(?::bytea[], ?::bigint[], ?::bytea[]%s) WITH ORDINALITY AS i(id, fence, result%s, n))
            , w AS (
                UPDATE semel_record r SET state = ?::smallint, at = c.now + least(?::bigint, 9223372036854775807 - c.now),
                    keep = nullif(?::bigint, 0), attempt = coalesce(nullif(?::int, -1), r.attempt), result = i.result,
                    failure = NULL, turn = CASE WHEN ?::int = 1 THEN NULL ELSE r.turn END
                FROM i, c
                WHERE r.id = i.id AND r.fence = i.fence AND (?::int >> r.state) & 1 = 1 AND (?::int = 0 OR r.at <= c.now)""" + " AND " + PostgresSql.KEPT + """
                RETURNING i.n, i.id, r.fence, r.attempt%s)
            """;

    private static final String EVENT_COLUMNS = ", fingerprint, correlation";

    private static final String EVENTS = """
            , a AS (
                INSERT INTO semel_audit (tx, at, fence, attempt, type, tenant, operation, record, fingerprint, correlation,
                    policy, body)
                SELECT pg_current_xact_id()::text::bigint + c.tx_base, c.now, w.fence, w.attempt, ?::smallint, ?, ?, w.id,
                    w.fingerprint, w.correlation, ?, ?
                FROM c, w ORDER BY w.n)
            """;

    /** Counted from nought, as the items are. */
    private static final String RESULT = " SELECT (w.n - 1)::int, pg_current_xact_id()::text FROM w";

    static final String SILENT = String.format(Locale.ROOT, UPDATE, "", "", "") + RESULT;
    static final String AUDITED = String.format(
                    Locale.ROOT, UPDATE, ", ?::bytea[], ?::text[]", EVENT_COLUMNS, ", i.fingerprint, i.correlation")
            + EVENTS
            + RESULT;

    private PostgresUniformMoves() {}

    static boolean areAlike(List<Move> moves) {
        Move first = moves.get(0);
        return moves.stream().allMatch(move -> alike(first, move));
    }

    private static boolean alike(Move first, Move other) {
        Move.Change one = first.change();
        Move.Change two = other.change();
        return first.to() == other.to()
                && first.from().equals(other.from())
                && one.delayMillis() == two.delayMillis()
                && one.keepMillis() == two.keepMillis()
                && one.attempt() == two.attempt()
                && one.onlyIfOver() == two.onlyIfOver()
                && two.failure() == null
                && Objects.equals(one.place(), two.place())
                && followsNobody(two.place())
                && other.events().size() <= 1
                && alike(first.event(), other.event(), other);
    }

    /** Whether no lane has to be held for it. */
    static boolean followsNobody(Move.@Nullable Place place) {
        return place == null || place.lane() == null && place.then() == Move.Then.LEAVE;
    }

    private static boolean alike(@Nullable AuditEntry first, @Nullable AuditEntry other, Move of) {
        if (first == null || other == null) {
            return first == other;
        }
        return first.type() == other.type()
                && Objects.equals(first.policy(), other.policy())
                && Objects.equals(first.body(), other.body())
                && first.subject().tenant().equals(other.subject().tenant())
                && Objects.equals(first.subject().operation(), other.subject().operation())
                && of.id().equals(other.subject().record());
    }

    /** @param moves alike, to a state, and in the order of their ids */
    static void bind(PostgresBinder binder, @Nullable Long now, List<Move> moves) throws SQLException {
        Move first = moves.get(0);
        AuditEntry event = first.event();
        binder.number(now)
                .bytes(moves, move -> move.id().bytes())
                .longs(moves, Move::fence)
                .bytes(moves, move -> move.change().result());
        if (event != null) {
            binder.bytes(moves, move -> subject(move).fingerprint())
                    .texts(moves, move -> subject(move).correlationId());
        }
        binder.number(PostgresMoves.target(first.to()))
                .number(first.change().delayMillis())
                .number(first.change().keepMillis())
                .number(first.change().attempt())
                .number(first.change().place() == null ? 0 : 1)
                .number(PostgresMoves.origins(first))
                .number(first.change().onlyIfOver() ? 1 : 0);
        if (event != null) {
            PostgresEvents.bindShared(binder, event);
        }
    }

    private static AuditEntry.Subject subject(Move move) {
        return Objects.requireNonNull(move.event()).subject();
    }
}
