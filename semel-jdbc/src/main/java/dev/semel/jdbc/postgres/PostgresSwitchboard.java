package dev.semel.jdbc.postgres;

import dev.semel.Mode;
import dev.semel.jdbc.shared.Rows;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.Row;
import dev.semel.store.Switchboard;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

final class PostgresSwitchboard implements Switchboard {
    private static final int CHUNK = 1000;

    /** An adoption needs every record that runs; one that stays locked longer is reported to the operator. */
    private static final int ADOPTION_WAIT_MILLIS = 10_000;

    private static final String MODES = "SELECT " + PostgresSql.NOW + """
             AS now, m.modes_version, s.* FROM semel_meta m LEFT JOIN (
                SELECT tenant, operation, mode, NULL AS reason, NULL AS since, NULL AS probe FROM semel_mode
                UNION ALL
                SELECT tenant, operation, NULL, reason, since, probe FROM semel_pause) s ON true""";

    private static final String REMOVE = "DELETE FROM semel_mode WHERE tenant = ? AND operation = ?";
    private static final String ADD = "INSERT INTO semel_mode (tenant, operation, mode) VALUES (?, ?, ?)"
            + " ON CONFLICT (tenant, operation) DO UPDATE SET mode = excluded.mode";
    private static final String PAUSE = "INSERT INTO semel_pause (operation, tenant, reason, since, probe)"
            + " VALUES (?, ?, ?, ?, ?) ON CONFLICT (operation, tenant) DO UPDATE SET reason = excluded.reason,"
            + " since = excluded.since, probe = excluded.probe";
    private static final String RESUME = "DELETE FROM semel_pause WHERE operation = ? AND tenant = ?";
    private static final String NEXT_VERSION =
            "UPDATE semel_meta SET modes_version = modes_version + 1 RETURNING modes_version";
    private static final String EPOCH = "SELECT epoch FROM semel_meta";
    private static final String NEXT_EPOCH = "UPDATE semel_meta SET epoch = epoch + 1";

    private static final String RUNNING = "SELECT " + Rows.WITH_LINE
            + " FROM semel_record WHERE state = 1 AND " + Rows.NO_STEP + " AND id > ? ORDER BY id LIMIT " + CHUNK
            + " FOR UPDATE";

    private static final String TO_UNKNOWN = PostgresSql.COMMON
            + "UPDATE semel_record r SET state = 5, at = c.now, keep = NULL FROM c WHERE r.id = ANY(?::bytea[])";

    private final PostgresSessions sessions;
    private final PostgresModesLock turn;

    PostgresSwitchboard(PostgresSessions sessions) {
        this.sessions = sessions;
        this.turn = new PostgresModesLock(sessions);
    }

    @Override
    public Modes modes() {
        return sessions.once("reading the modes", connection -> read(connection, sessions.now()));
    }

    static Modes read(Connection connection, @Nullable Long time) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(MODES)) {
            new PostgresBinder(statement).number(time);
            try (ResultSet found = statement.executeQuery()) {
                return read(found);
            }
        }
    }

    private static Modes read(ResultSet found) throws SQLException {
        long now = 0;
        long version = 0;
        List<Setting> settings = new ArrayList<>();
        List<Pause> pauses = new ArrayList<>();
        while (found.next()) {
            now = found.getLong(1);
            version = found.getLong(2);
            String tenant = found.getString(3);
            String reason = found.getString(6);
            if (reason != null) {
                pauses.add(new Pause(found.getString(4), orAll(tenant), reason, found.getLong(7), found.getLong(8)));
            } else if (tenant != null) {
                settings.add(new Setting(orAll(tenant), orAll(found.getString(4)), Mode.values()[found.getInt(5)]));
            }
        }
        return new Modes(version, settings, pauses, now);
    }

    @Override
    public long set(Setting setting, AuditEntry event) {
        return turn.alone("a change of modes", connection -> {
            boolean live = setting.mode() == Mode.LIVE;
            try (PreparedStatement statement = connection.prepareStatement(live ? REMOVE : ADD)) {
                PostgresBinder binder = new PostgresBinder(statement)
                        .text(stored(setting.tenant()))
                        .text(stored(setting.operation()));
                if (!live) {
                    binder.number((long) setting.mode().ordinal());
                }
                statement.executeUpdate();
            }
            PostgresEvents.write(connection, sessions.now(), List.of(event));
            return number(connection, NEXT_VERSION);
        });
    }

    @Override
    public long pause(Pause pause, AuditEntry event) {
        return turn.alone("pausing an operation", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(PAUSE)) {
                new PostgresBinder(statement)
                        .text(pause.operation())
                        .text(stored(pause.tenant()))
                        .text(pause.reason())
                        .number(pause.since())
                        .number(pause.probeMillis());
                statement.executeUpdate();
            }
            PostgresEvents.write(connection, sessions.now(), List.of(event));
            return number(connection, NEXT_VERSION);
        });
    }

    @Override
    public boolean resume(String operation, @Nullable String tenant, AuditEntry event) {
        return turn.alone("resuming an operation", connection -> {
            boolean there;
            try (PreparedStatement statement = connection.prepareStatement(RESUME)) {
                new PostgresBinder(statement).text(operation).text(stored(tenant));
                there = statement.executeUpdate() > 0;
            }
            if (there) {
                PostgresEvents.write(connection, sessions.now(), List.of(event));
                number(connection, NEXT_VERSION);
            }
            return there;
        });
    }

    @Override
    public int epoch() {
        return sessions.once("reading the epoch", connection -> (int) number(connection, EPOCH));
    }

    @Override
    public int adopt(Function<Row, AuditEntry> forRecord, AuditEntry adoption) {
        return sessions.transaction("adopting the store", connection -> {
            run(connection, "SET LOCAL lock_timeout = " + ADOPTION_WAIT_MILLIS);
            run(connection, "SELECT pg_advisory_xact_lock(" + PostgresSql.INSTALL_LOCK + ")");
            run(connection, NEXT_EPOCH);
            int count = 0;
            byte[] last = new byte[0];
            while (true) {
                List<Row> running = running(connection, last);
                if (running.isEmpty()) {
                    break;
                }
                toUnknown(connection, running, forRecord);
                count += running.size();
                last = running.get(running.size() - 1).id().bytes();
            }
            PostgresEvents.write(connection, sessions.now(), List.of(adoption));
            return count;
        });
    }

    private static List<Row> running(Connection connection, byte[] after) throws SQLException {
        List<Row> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(RUNNING)) {
            new PostgresBinder(statement).bytes(after);
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    rows.add(Rows.withLine(found, 1));
                }
            }
        }
        return rows;
    }

    private void toUnknown(Connection connection, List<Row> rows, Function<Row, AuditEntry> forRecord)
            throws SQLException {
        List<RecordId> ids = rows.stream().map(Row::id).toList();
        try (PreparedStatement statement = connection.prepareStatement(TO_UNKNOWN)) {
            new PostgresBinder(statement).number(sessions.now()).bytes(ids, RecordId::bytes);
            statement.executeUpdate();
        }
        PostgresEvents.write(
                connection,
                sessions.now(),
                rows.stream()
                        .map(row -> PostgresEvents.under(
                                forRecord.apply(row),
                                row.status().fence(),
                                row.status().attempt()))
                        .toList());
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            found.next();
            return found.getLong(1);
        }
    }

    private static String stored(@Nullable String nameOrAll) {
        return nameOrAll == null ? "" : nameOrAll;
    }

    private static @Nullable String orAll(String stored) {
        return stored.isEmpty() ? null : stored;
    }
}
