package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.ClockFinding;
import dev.semel.store.Inspection;
import dev.semel.store.Inspection.CheckedSetting;
import dev.semel.store.Inspection.Guarantee;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the settings as this session sees them, so with what is set for the database and the role. */
final class PostgresInspection {
    private static final String SETTINGS = """
            SELECT current_setting('server_version'), current_setting('fsync'), current_setting('full_page_writes'),
                current_setting('synchronous_commit'), current_setting('data_checksums'),
                current_setting('default_transaction_isolation'),
                current_setting('idle_in_transaction_session_timeout'), current_setting('max_locks_per_transaction'),
                current_setting('wal_level'), pg_is_in_recovery(), m.epoch, m.system_identifier, m.timeline,
                m.schema_version, current_setting('max_connections')::int,
                current_setting('max_prepared_transactions')::int,
                least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
                        - coalesce(current_setting('reserved_connections', true)::int, 0),
                    CASE WHEN a.rolconnlimit >= 0 THEN a.rolconnlimit END, CASE WHEN d.datconnlimit >= 0 THEN d.datconnlimit END),
                (SELECT ahead FROM semel_clock)
            FROM semel_meta m, pg_roles a, pg_database d
            WHERE a.rolname = current_user AND d.datname = current_database()""";

    /** So many calls, or ends of messages in lanes, are one transaction at most; each costs a lock. */
    private static final int LARGEST_BATCH = 512;

    private final int pool;

    private final List<CheckedSetting> findings = new ArrayList<>();

    private PostgresInspection(int pool) {
        this.pool = pool;
    }

    /**
     * @param pool how many connections a node may open for its work; 0 if that is the application's business
     * @param pooled whether a pooler is between, see {@link PostgresPooler}
     */
    static Inspection of(Connection connection, int pool, boolean pooled) throws SQLException {
        PostgresInspection inspection = new PostgresInspection(pool);
        inspection.pooler(pooled);
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(SETTINGS)) {
            found.next();
            inspection.read(found);
        }
        Guarantee worst = inspection.findings.stream()
                .map(CheckedSetting::limits)
                .max(Comparator.naturalOrder())
                .orElse(Guarantee.A);
        return new Inspection(worst, inspection.findings);
    }

    private void read(ResultSet found) throws SQLException {
        sound("server_version", found.getString(1));
        durable(
                "fsync",
                found.getString(2),
                "Set fsync = on: without it a crash of the machine loses or damages acknowledged commits.");
        durable(
                "full_page_writes",
                found.getString(3),
                "Set full_page_writes = on unless the file system never tears a page: a crash can damage the data.");
        durable(
                "synchronous_commit",
                found.getString(4),
                "Set synchronous_commit = on for this role: with off a crash loses commits that were acknowledged.");
        advised(
                "data_checksums",
                found.getString(5),
                "on",
                "Consider pg_checksums --enable: damaged pages are then found instead of read.");
        advised(
                "default_transaction_isolation",
                found.getString(6),
                "read committed",
                "Semel sets READ COMMITTED for its own transactions; transactions that it joins may have to be retried.");
        String idle = found.getString(7);
        finding(
                "idle_in_transaction_session_timeout",
                idle,
                Guarantee.A,
                idle.equals("0")
                        ? "Set it, so that the server ends the session of a paused node that holds a transaction open."
                        : null);
        connections(found.getInt(15), found.getInt(17));
        locks(found.getInt(8), found.getInt(15) + found.getInt(16));
        sound("wal_level", found.getString(9));
        boolean replica = found.getBoolean(10);
        finding(
                "in_recovery",
                Boolean.toString(replica),
                replica ? Guarantee.C : Guarantee.A,
                replica ? "Connect to the primary." : null);
        sound("epoch", found.getString(11));
        sound("system_identifier", found.getString(12));
        sound("timeline", found.getString(13));
        sound("schema_version", found.getString(14));
        findings.add(ClockFinding.of(found.getLong(18)));
    }

    private void pooler(boolean pooled) {
        finding(
                "connection_pooler",
                pooled ? "yes" : "no",
                Guarantee.A,
                pooled
                        ? "Nothing is left on a session, so that transaction pooling works: statements are not kept prepared,"
                                + " workers poll instead of being notified, and each transaction of Semel's sets"
                                + " idle_in_transaction_session_timeout for itself. Connect to the server directly for speed."
                        : null);
    }

    private void connections(int most, int ours) {
        int needed = pool + 1; // one listens for wake-ups
        finding(
                "max_connections",
                most + " (" + ours + " for this role)",
                Guarantee.A,
                pool == 0 || needed <= ours
                        ? null
                        : "A node opens up to " + needed + " connections (poolSize " + pool
                                + ", and one that listens), and "
                                + ours
                                + " are available: raise max_connections or the limit of the role or the database,"
                                + " or lower poolSize. Otherwise calls wait for connections and fail. Count all nodes.");
    }

    /** The table of locks is shared by all sessions, and sized by both settings. */
    private void locks(int each, int sessions) {
        long room = (long) each * sessions;
        long needed = (long) pool * LARGEST_BATCH;
        finding(
                "max_locks_per_transaction",
                each + " (room for " + room + " locks)",
                Guarantee.A,
                needed <= room
                        ? null
                        : "Set max_locks_per_transaction to " + (needed + sessions - 1) / sessions
                                + " or more: each of a"
                                + " node's " + pool + " connections may hold " + LARGEST_BATCH
                                + " locks at once, for a batch"
                                + " of atomic calls or of messages in lanes. What does not fit is refused (SQLState 53200)"
                                + " and must be repeated; nothing is done twice. Count all nodes.");
    }

    private void durable(String setting, String value, String advice) {
        boolean off = value.equals("off");
        finding(setting, value, off ? Guarantee.C : Guarantee.A, off ? advice : null);
    }

    private void advised(String setting, String value, String wanted, String advice) {
        finding(setting, value, Guarantee.A, value.equals(wanted) ? null : advice);
    }

    private void sound(String setting, String value) {
        finding(setting, value, Guarantee.A, null);
    }

    private void finding(String setting, String value, Guarantee limits, @Nullable String advice) {
        findings.add(new CheckedSetting(setting, value, limits, advice));
    }
}
