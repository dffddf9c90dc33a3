package dev.semel.jdbc.sqlite;

import dev.semel.jdbc.shared.Rows;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import dev.semel.store.Seal;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** One transaction writes at a time, so every event that is committed is behind the horizon. */
final class SqliteAuditLog implements AuditLog {
    private static final String COLUMNS = Rows.AUDIT.replace("tx, seq", "0, seq");
    private static final String AFTER = "SELECT " + COLUMNS + " FROM semel_audit WHERE seq > ? ORDER BY seq LIMIT ?";
    private static final String BETWEEN =
            "SELECT " + COLUMNS + " FROM semel_audit WHERE seq > ? AND seq <= ? ORDER BY seq";
    private static final String OLDER = "SELECT " + COLUMNS
            + " FROM semel_audit WHERE (?1 IS NULL OR tenant = ?1) AND (?2 IS NULL OR operation = ?2)"
            + " AND (?3 IS NULL OR record = ?3) AND (?4 IS NULL OR type = ?4) AND seq < ?5 ORDER BY seq DESC LIMIT ?6";
    private static final String ADD = "INSERT INTO semel_seal (" + Rows.SEAL
            + ") SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE ?1 = (SELECT coalesce(max(number), 0) + 1 FROM semel_seal)";
    private static final String NEWEST_SEAL = "SELECT " + Rows.SEAL + " FROM semel_seal ORDER BY number DESC LIMIT 1";
    private static final String SEALS =
            "SELECT " + Rows.SEAL + " FROM semel_seal WHERE number >= ? ORDER BY number LIMIT ?";

    private static final String OLDEST_SEAL = "SELECT " + Rows.SEAL
            + " FROM semel_seal WHERE number = (SELECT min(number) FROM semel_seal)"
            + " AND number < (SELECT max(number) FROM semel_seal)";
    private static final String SEGMENT =
            "SELECT count(*), coalesce(max(at), 0) FROM semel_audit WHERE seq > ? AND seq <= ?";
    private static final String REMOVE_EVENTS = "DELETE FROM semel_audit WHERE seq > ? AND seq <= ?";
    private static final String REMOVE_SEAL = "DELETE FROM semel_seal WHERE number = ?";

    private final SqliteAccess access;
    private final SqliteBackground background;

    SqliteAuditLog(SqliteAccess access, SqliteBackground background) {
        this.access = access;
        this.background = background;
    }

    @Override
    public void append(List<AuditEntry> entries) {
        access.write(db -> {
            for (AuditEntry entry : entries) {
                db.records().append(entry, entry.fence(), entry.attempt());
            }
            return true;
        });
    }

    @Override
    public List<AuditRow> behindHorizon(AuditRow.Position after, int limit) {
        return access.read(session -> session.all(
                AFTER,
                statement -> {
                    statement.setLong(1, after.seq());
                    statement.setInt(2, limit);
                },
                Rows::audit));
    }

    @Override
    public List<AuditRow> between(AuditRow.Position after, AuditRow.Position upTo) {
        return access.read(session -> session.all(
                BETWEEN,
                statement -> {
                    statement.setLong(1, after.seq());
                    statement.setLong(2, upTo.seq());
                },
                Rows::audit));
    }

    @Override
    public List<AuditRow> older(AuditFilter filter, AuditRow.Position before, int limit) {
        return access.read(session -> session.all(
                OLDER,
                statement -> {
                    statement.setString(1, filter.tenant());
                    statement.setString(2, filter.operation());
                    statement.setBytes(
                            3, filter.record() == null ? null : filter.record().bytes());
                    statement.setObject(4, filter.type());
                    statement.setLong(5, before.seq());
                    statement.setInt(6, limit);
                },
                Rows::audit));
    }

    @Override
    public boolean add(Seal seal) {
        return access.write(db -> db.session().update(ADD, statement -> {
                    statement.setLong(1, seal.number());
                    statement.setLong(2, seal.after().tx());
                    statement.setLong(3, seal.after().seq());
                    statement.setLong(4, seal.upTo().tx());
                    statement.setLong(5, seal.upTo().seq());
                    statement.setBytes(6, seal.digests());
                    statement.setBytes(7, seal.previous());
                    statement.setBytes(8, seal.hash());
                })
                == 1);
    }

    @Override
    public Optional<Seal> newestSeal() {
        return access.read(session -> session.first(NEWEST_SEAL, SqliteSession.NOTHING, Rows::seal));
    }

    @Override
    public Optional<PurgedSegment> purge(long ageMillis, Function<PurgedSegment, AuditEntry> event) {
        return background.write(db -> {
            SqliteSession session = db.session();
            Seal seal = session.first(OLDEST_SEAL, SqliteSession.NOTHING, Rows::seal)
                    .orElse(null);
            if (seal == null) {
                return Optional.empty();
            }
            SqliteSession.Binder segment = statement -> {
                statement.setLong(1, seal.after().seq());
                statement.setLong(2, seal.upTo().seq());
            };
            long newest = access.now() - ageMillis;
            boolean purged = session.first(
                            SEGMENT, segment, row -> row.getLong(1) == seal.events() && row.getLong(2) <= newest)
                    .orElse(false);
            if (!purged) {
                return Optional.empty();
            }
            PurgedSegment removed = new PurgedSegment(seal);
            AuditEntry entry = event.apply(removed);
            db.records().append(entry, entry.fence(), entry.attempt());
            session.update(REMOVE_EVENTS, segment);
            session.update(REMOVE_SEAL, statement -> statement.setLong(1, seal.number()));
            return Optional.of(removed);
        });
    }

    @Override
    public List<Seal> seals(long from, int limit) {
        return access.read(session -> session.all(
                SEALS,
                statement -> {
                    statement.setLong(1, from);
                    statement.setInt(2, limit);
                },
                Rows::seal));
    }
}
