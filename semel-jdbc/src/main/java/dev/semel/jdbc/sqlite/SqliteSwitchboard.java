package dev.semel.jdbc.sqlite;

import dev.semel.Mode;
import dev.semel.store.AuditEntry;
import dev.semel.store.Row;
import dev.semel.store.Switchboard;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

final class SqliteSwitchboard implements Switchboard {
    // Version and settings in one statement, and so of one moment.
    private static final String MODES = """
            SELECT m.modes, s.tenant, s.operation, s.mode, NULL, NULL, NULL FROM semel_meta m LEFT JOIN semel_mode s
            UNION ALL
            SELECT m.modes, p.tenant, p.operation, NULL, p.reason, p.since, p.probe FROM semel_meta m, semel_pause p""";
    private static final String EPOCH = "SELECT epoch FROM semel_meta";
    private static final String CLEAR = "DELETE FROM semel_mode WHERE tenant = ? AND operation = ?";
    private static final String SET = "INSERT INTO semel_mode (tenant, operation, mode) VALUES (?, ?, ?)";
    private static final String RESUME = "DELETE FROM semel_pause WHERE operation = ? AND tenant = ?";
    private static final String PAUSE =
            "INSERT INTO semel_pause (operation, tenant, reason, since, probe) VALUES (?, ?, ?, ?, ?)";
    private static final String NEW_VERSION = "UPDATE semel_meta SET modes = modes + 1";
    private static final String NEW_EPOCH = "UPDATE semel_meta SET epoch = ?";

    private final SqliteAccess access;

    SqliteSwitchboard(SqliteAccess access) {
        this.access = access;
    }

    @Override
    public Modes modes() {
        return access.read(session -> read(session.connection(), access.now()));
    }

    static Modes read(Connection connection, long now) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(MODES)) {
            long version = 0;
            List<Setting> settings = new ArrayList<>();
            List<Pause> pauses = new ArrayList<>();
            while (found.next()) {
                version = found.getLong(1);
                String mode = found.getString(4);
                String reason = found.getString(5);
                if (mode != null) {
                    settings.add(new Setting(absent(found, 2), absent(found, 3), Mode.valueOf(mode)));
                } else if (reason != null) {
                    pauses.add(new Pause(
                            found.getString(3), absent(found, 2), reason, found.getLong(6), found.getLong(7)));
                }
            }
            return new Modes(version, settings, pauses, now);
        }
    }

    @Override
    public long set(Setting setting, AuditEntry event) {
        return access.write(db -> {
            SqliteSession session = db.session();
            session.update(CLEAR, statement -> {
                statement.setString(1, stored(setting.tenant()));
                statement.setString(2, stored(setting.operation()));
            });
            if (setting.mode() != Mode.LIVE) {
                session.update(SET, statement -> {
                    statement.setString(1, stored(setting.tenant()));
                    statement.setString(2, stored(setting.operation()));
                    statement.setString(3, setting.mode().name());
                });
            }
            return changed(db, event);
        });
    }

    private static long changed(SqliteWriteConnection db, AuditEntry event) throws SQLException {
        db.session().execute(NEW_VERSION);
        db.records().append(event, event.fence(), event.attempt());
        long version = db.modes() + 1;
        db.metaChanged(db.epoch(), version);
        return version;
    }

    @Override
    public long pause(Pause pause, AuditEntry event) {
        return access.write(db -> {
            end(db, pause.operation(), pause.tenant());
            db.session().update(PAUSE, statement -> {
                statement.setString(1, pause.operation());
                statement.setString(2, stored(pause.tenant()));
                statement.setString(3, pause.reason());
                statement.setLong(4, pause.since());
                statement.setLong(5, pause.probeMillis());
            });
            return changed(db, event);
        });
    }

    @Override
    public boolean resume(String operation, @Nullable String tenant, AuditEntry event) {
        return access.write(db -> {
            boolean there = end(db, operation, tenant);
            if (there) {
                changed(db, event);
            }
            return there;
        });
    }

    private static boolean end(SqliteWriteConnection db, String operation, @Nullable String tenant)
            throws SQLException {
        return db.session().update(RESUME, statement -> {
                    statement.setString(1, operation);
                    statement.setString(2, stored(tenant));
                })
                > 0;
    }

    @Override
    public int epoch() {
        return access.read(session -> session.first(EPOCH, SqliteSession.NOTHING, row -> row.getInt(1))
                .orElse(0));
    }

    @Override
    public int adopt(Function<Row, AuditEntry> forRecord, AuditEntry adoption) {
        return access.write(db -> {
            int epoch = db.epoch() + 1;
            db.raiseEpoch(epoch);
            db.session().update(NEW_EPOCH, statement -> statement.setInt(1, epoch));
            db.metaChanged(epoch, db.modes());
            int disowned = db.records().disown(forRecord);
            db.records().append(adoption, adoption.fence(), adoption.attempt());
            return disowned;
        });
    }

    private static String stored(@Nullable String name) {
        return name == null ? "" : name;
    }

    private static @Nullable String absent(ResultSet row, int column) throws SQLException {
        String stored = row.getString(column);
        return stored.isEmpty() ? null : stored;
    }
}
