package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.Rows;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import dev.semel.store.Seal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * Events are ordered by the number of their transaction, then by their own. A transaction below the oldest one still open can
 * no longer add any: that is the horizon.
 */
final class PostgresAuditLog implements AuditLog {
    private static final String BEHIND_HORIZON = "SELECT " + Rows.AUDIT + """
             FROM semel_audit
            WHERE (tx, seq) > (?, ?)
                AND tx < (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + tx_base FROM semel_meta)
            ORDER BY tx, seq LIMIT ?""";

    private static final String BETWEEN = "SELECT " + Rows.AUDIT
            + " FROM semel_audit WHERE (tx, seq) > (?, ?) AND (tx, seq) <= (?, ?) ORDER BY tx, seq";

    private static final String OLDER = "SELECT " + Rows.AUDIT
            + " FROM semel_audit WHERE (tx, seq) < (?, ?)%s%s%s%s ORDER BY tx DESC, seq DESC LIMIT ?";

    /**
     * Sent before a search for the events of one record, which the index of ranges finds. Without it the planner reads the whole table at
     * 20,000 events.
     */
    private static final String BY_RANGES =
            "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true); ";

    private static final String ADD_SEAL = "INSERT INTO semel_seal (" + Rows.SEAL + """
            ) SELECT ?, ?, ?, ?, ?, ?, ?, ?
            WHERE (SELECT coalesce(max(number), 0) + 1 FROM semel_seal) = ?
            ON CONFLICT DO NOTHING""";

    private static final String NEWEST_SEAL = "SELECT " + Rows.SEAL + " FROM semel_seal ORDER BY number DESC LIMIT 1";

    private static final String SEALS =
            "SELECT " + Rows.SEAL + " FROM semel_seal WHERE number >= ? ORDER BY number LIMIT ?";

    private static final String OLDEST_SEAL = "SELECT " + Rows.SEAL + """
             FROM semel_seal WHERE number = (SELECT min(number) FROM semel_seal)
                AND number < (SELECT max(number) FROM semel_seal)
            FOR UPDATE SKIP LOCKED""";

    private static final String SEGMENT = "SELECT count(*), coalesce(max(at), 0) <= " + PostgresSql.NOW + " - ?"
            + " FROM semel_audit WHERE (tx, seq) > (?, ?) AND (tx, seq) <= (?, ?)";

    private static final String REMOVE_EVENTS =
            "DELETE FROM semel_audit WHERE (tx, seq) > (?, ?) AND (tx, seq) <= (?, ?)";

    private static final String REMOVE_SEAL = "DELETE FROM semel_seal WHERE number = ?";

    private final PostgresSessions sessions;

    PostgresAuditLog(PostgresSessions sessions) {
        this.sessions = sessions;
    }

    @Override
    public void append(List<AuditEntry> entries) {
        sessions.anyhow("writing an audit event", connection -> {
            PostgresEvents.write(connection, sessions.now(), entries);
            return true;
        });
    }

    @Override
    public List<AuditRow> behindHorizon(AuditRow.Position after, int limit) {
        return read(BEHIND_HORIZON, binder -> position(binder, after).number((long) limit), Rows::audit);
    }

    @Override
    public List<AuditRow> between(AuditRow.Position after, AuditRow.Position upTo) {
        return read(BETWEEN, binder -> position(position(binder, after), upTo), Rows::audit);
    }

    @Override
    public List<AuditRow> older(AuditFilter filter, AuditRow.Position before, int limit) {
        String sql = String.format(
                Locale.ROOT,
                OLDER,
                filter.tenant() == null ? "" : " AND tenant = ?",
                filter.operation() == null ? "" : " AND operation = ?",
                filter.record() == null ? "" : " AND record = ?",
                filter.type() == null ? "" : " AND type = ?");
        PostgresBinder.Binding binding = binder -> {
            position(binder, before);
            if (filter.tenant() != null) {
                binder.text(filter.tenant());
            }
            if (filter.operation() != null) {
                binder.text(filter.operation());
            }
            if (filter.record() != null) {
                binder.bytes(filter.record().bytes());
            }
            if (filter.type() != null) {
                binder.number(filter.type().longValue());
            }
            binder.number((long) limit);
        };
        return filter.record() == null ? read(sql, binding, Rows::audit) : ofRecord(BY_RANGES + sql, binding);
    }

    private List<AuditRow> ofRecord(String sql, PostgresBinder.Binding binding) {
        return sessions.once("reading the audit log", connection -> {
            List<AuditRow> rows = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                binding.bind(new PostgresBinder(statement));
                try (ResultSet found = PostgresLedger.second(statement)) {
                    while (found.next()) {
                        rows.add(Rows.audit(found));
                    }
                }
            }
            return rows;
        });
    }

    @Override
    public boolean add(Seal seal) {
        return sessions.once("sealing the audit log", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(ADD_SEAL)) {
                PostgresBinder binder = new PostgresBinder(statement).number(seal.number());
                position(position(binder, seal.after()), seal.upTo())
                        .bytes(seal.digests())
                        .bytes(seal.previous())
                        .bytes(seal.hash())
                        .number(seal.number());
                return statement.executeUpdate() == 1;
            }
        });
    }

    @Override
    public Optional<Seal> newestSeal() {
        return read(NEWEST_SEAL, binder -> {}, Rows::seal).stream().findFirst();
    }

    @Override
    public List<Seal> seals(long from, int limit) {
        return read(SEALS, binder -> binder.number(from).number((long) limit), Rows::seal);
    }

    @Override
    public Optional<PurgedSegment> purge(long ageMillis, Function<PurgedSegment, AuditEntry> event) {
        return sessions.transaction("purging the audit log", connection -> {
            Optional<Seal> oldest = read(connection, OLDEST_SEAL, binder -> {}, Rows::seal).stream()
                    .findFirst();
            if (oldest.isEmpty() || !isPurged(connection, oldest.get(), ageMillis)) {
                return Optional.empty();
            }
            Seal seal = oldest.get();
            PurgedSegment removed = new PurgedSegment(seal);
            update(connection, REMOVE_EVENTS, binder -> position(position(binder, seal.after()), seal.upTo()));
            update(connection, REMOVE_SEAL, binder -> binder.number(seal.number()));
            PostgresEvents.write(connection, sessions.now(), List.of(event.apply(removed)));
            return Optional.of(removed);
        });
    }

    private boolean isPurged(Connection connection, Seal seal, long ageMillis) throws SQLException {
        return read(
                        connection,
                        SEGMENT,
                        binder -> position(
                                position(binder.number(sessions.now()).number(ageMillis), seal.after()), seal.upTo()),
                        found -> found.getLong(1) == seal.events() && found.getBoolean(2))
                .get(0);
    }

    private static void update(Connection connection, String sql, PostgresBinder.Binding binding) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            binding.bind(new PostgresBinder(statement));
            statement.executeUpdate();
        }
    }

    private static PostgresBinder position(PostgresBinder binder, AuditRow.Position position) throws SQLException {
        return binder.number(position.tx()).number(position.seq());
    }

    @FunctionalInterface
    private interface Reading<T> {
        T read(ResultSet found) throws SQLException;
    }

    private <T> List<T> read(String sql, PostgresBinder.Binding binding, Reading<T> reading) {
        return sessions.once("reading the audit log", connection -> read(connection, sql, binding, reading));
    }

    private static <T> List<T> read(
            Connection connection, String sql, PostgresBinder.Binding binding, Reading<T> reading) throws SQLException {
        List<T> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            binding.bind(new PostgresBinder(statement));
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    rows.add(reading.read(found));
                }
            }
        }
        return rows;
    }
}
