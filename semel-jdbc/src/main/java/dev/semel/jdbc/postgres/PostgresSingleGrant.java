package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.Rows;
import dev.semel.store.Header;
import dev.semel.store.Reservation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The grant of one new record by itself, see {@link PostgresSingleMove}. */
final class PostgresSingleGrant {
    /** The lock first, so that the version of the modes is read under it. */
    private static final String INSERT = String.format(
            Locale.ROOT,
            """
            SELECT %s, %s, %s;
            INSERT INTO semel_record (id, tenant, operation, key, fingerprint, correlation, origin, state, fence, attempt, at,
                owner, payload)
            SELECT ?, ?, ?, ?, ?, ?, ?, 1, %s | nextval('semel_fence'), 1,
                m.now + least(?::bigint, 9223372036854775807 - m.now), ?, ?
            FROM (SELECT %s AS now, %s FROM semel_meta WHERE single AND modes_version = ? LIMIT 1) AS m
            ON CONFLICT (id) DO NOTHING
            RETURNING fence""",
            PostgresSql.BOUNDED_WAIT,
            PostgresSql.SHARE_MODES,
            PostgresSql.IS_READ_COMMITTED,
            PostgresSql.HIGH,
            PostgresSql.NOW,
            PostgresSql.EPOCH);

    private PostgresSingleGrant() {}

    /** Not for steps, which are numbered among the steps of their parent. */
    static boolean fits(Reservation reservation) {
        return reservation.header().parent() == null;
    }

    /** @return its fence; null when the record is there already, or the modes are other ones */
    static @Nullable Long insert(Connection connection, @Nullable Long now, long modesVersion, Reservation reservation)
            throws SQLException {
        Header header = reservation.header();
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            new PostgresBinder(statement)
                    .bytes(reservation.identity().id().bytes())
                    .text(header.tenant())
                    .text(header.operation())
                    .bytes(Rows.key(header.key()))
                    .bytes(header.fingerprint().bytes())
                    .text(header.correlationId())
                    .text(header.origin())
                    .number(reservation.grant().leaseMillis())
                    .number(reservation.grant().owner())
                    .bytes(reservation.payload())
                    .number(now)
                    .number(modesVersion);
            try (ResultSet made = PostgresLedger.second(statement)) {
                return made.next() ? made.getLong(1) : null;
            }
        }
    }
}
