package dev.semel.jdbc.postgres;

import dev.semel.SemelException.Misconfigured;
import dev.semel.SemelException.StoreUnavailable;
import dev.semel.jdbc.shared.FenceJump;
import dev.semel.jdbc.shared.Schema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes a database ready: refuses one that cannot serve, installs or upgrades the schema in one transaction under a lock, so
 * that of two nodes one does it and neither finds half of it, and raises the epoch when this is another server, another start
 * or history of it, or another copy of the tables than the last time: any of them may be a restored backup.
 */
final class PostgresInstaller {
    static final Schema SCHEMA = Schema.of("postgresql", PostgresInstaller.class);
    private static final int OLDEST = 130_000;

    /**
     * Waiting for a table's lock blocks everybody who asks for it later, and the holder may be paused: so a wait is
     * bounded, and repeated a few times.
     */
    private static final String BEGIN = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '2s';"
            + " SET LOCAL idle_in_transaction_session_timeout = '60s'";

    private static final int TRIES_AT_OPENING = 15;

    /** A caller waits for it. */
    private static final int TRIES_WHEN_OPEN = 2;

    /** Reads the catalogue's table, because to_regclass may answer from a cache that was filled before the lock was taken. */
    private static final String SERVER = """
            SELECT current_setting('server_version_num')::int, current_setting('server_version'), pg_is_in_recovery(),
                EXISTS (SELECT FROM pg_class WHERE relname = 'semel_meta' AND pg_table_is_visible(oid)),
                coalesce(current_schema(), ''),
                has_function_privilege('pg_control_system()', 'execute')""";

    private static final String LOCK = "SELECT pg_advisory_xact_lock(" + PostgresSql.INSTALL_LOCK + ")";

    /** The timeline is that of the next byte of the log: the control file learns of a promotion only later. */
    private static final String ORIGIN = """
            SELECT %s, ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int,
                (SELECT oid FROM pg_database WHERE datname = current_database())::text || '/'
                    || 'semel_meta'::regclass::oid::text""";

    private static final String KNOWN = """
            SELECT timeline, epoch, system_identifier = ? AND timeline = ?
                AND server_start IS NOT DISTINCT FROM pg_postmaster_start_time() AND copy IS NOT DISTINCT FROM ?
            FROM semel_meta""";

    private static final String SET_ORIGIN = """
            UPDATE semel_meta SET epoch = ?, system_identifier = ?, timeline = ?, copy = ?,
                server_start = pg_postmaster_start_time(),
                tx_base = greatest(tx_base, (SELECT coalesce(max(tx), 0) + 1 FROM semel_audit)
                    - pg_current_xact_id()::text::bigint)""";

    /** Of a role that may write records: one that only reads needs none of them. */
    private static final String MISSING_ON_ADDED = """
            SELECT current_user, string_agg(each, ', ')
            FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS each
            WHERE has_table_privilege(to_regclass('semel_record')::oid, 'INSERT')
                AND NOT has_table_privilege(to_regclass(?)::oid, each)""";

    /** Tables that came later, by the version that added them: a script that an administrator runs grants nothing on them. */
    private static final Map<Integer, String> ADDED = new TreeMap<>(Map.of(4, "semel_permit", 5, "semel_activity"));

    private final String name;
    private final boolean create;
    private final Schema schema;
    private final LongUnaryOperator jump;

    /** @param create whether a schema may be installed where there is none, and an older one upgraded */
    PostgresInstaller(String name, boolean create) {
        this(name, create, SCHEMA, FenceJump::from);
    }

    /** @param jump how far the counter of fences goes forth from where it is, when the epoch is raised */
    PostgresInstaller(String name, boolean create, Schema schema, LongUnaryOperator jump) {
        this.jump = jump;
        this.name = name;
        this.create = create;
        this.schema = schema;
    }

    private record Server(
            int version, String versionText, boolean replica, boolean installed, String schema, boolean control) {}

    /**
     * Which server this is, which history of it, and which copy of the tables.
     *
     * @param copy the numbers of the database and of the table of the ledger's own row
     */
    private record Origin(long system, int timeline, String copy) {}

    /** Opens the store. Runs in a transaction of its own on the connection, which is given back as it was. */
    void prepare(Connection connection) {
        prepare(connection, false);
    }

    /** The same for a further connection of a store that is open: a schema that was upgraded meanwhile is accepted. */
    void prepareFurther(Connection connection) {
        prepare(connection, true);
    }

    private void prepare(Connection connection, boolean open) {
        for (int tries = 1; ; tries++) {
            try {
                tryToPrepare(connection, open);
                return;
            } catch (SQLException e) {
                if (!PostgresErrors.state(e).equals(PostgresErrors.LOCK_NOT_AVAILABLE)
                        || tries == (open ? TRIES_WHEN_OPEN : TRIES_AT_OPENING)) {
                    throw refused(e);
                }
            }
        }
    }

    private void tryToPrepare(Connection connection, boolean open) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try {
            prepareInTransaction(connection, open);
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            PostgresSessions.rollback(connection, e);
            throw e;
        } finally {
            connection.setAutoCommit(autoCommit);
        }
    }

    private void prepareInTransaction(Connection connection, boolean open) throws SQLException {
        run(connection, BEGIN);
        Server server = server(connection);
        demandServing(server);
        if (!server.installed && !create) {
            throw new Misconfigured(
                    name,
                    List.of(
                            "there is no ledger in schema " + server.schema
                                    + ", and it may not be created here: check the database"
                                    + " and currentSchema in the URL, or let the application that uses the ledger open it first"));
        }
        if (!server.installed || version(connection) < schema.version()) {
            upgrade(connection);
        }
        if (!open) {
            schema.demandCurrent(name, version(connection));
            demandUseOfAddedTables(connection);
        }
        Origin origin = origin(connection, server.control);
        if (unknown(connection, origin) != null) {
            run(connection, LOCK);
            raiseEpoch(connection, origin);
        }
    }

    private void demandServing(Server server) {
        List<String> faults = new ArrayList<>();
        if (server.version < OLDEST) {
            faults.add("the server is PostgreSQL " + server.versionText + "; Semel needs 13 or later: upgrade it");
        }
        if (server.replica) {
            faults.add("the server is a read replica and cannot be written; connect to the primary"
                    + " (with several hosts in the URL: targetServerType=primary)");
        }
        if (server.schema.isEmpty()) {
            faults.add("the search_path names no schema that exists; create it, or set currentSchema in the URL");
        }
        if (!faults.isEmpty()) {
            throw new Misconfigured(name, faults);
        }
    }

    /** Found out here, and not at the first call under a rate limit or by a warning every few seconds. */
    private void demandUseOfAddedTables(Connection connection) throws SQLException {
        List<String> faults = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(MISSING_ON_ADDED)) {
            for (Map.Entry<Integer, String> each : ADDED.entrySet()) {
                String table = each.getValue();
                statement.setString(1, table);
                try (ResultSet found = statement.executeQuery()) {
                    found.next();
                    String missing = found.getString(2);
                    if (each.getKey() <= schema.version() && missing != null) {
                        faults.add("the role " + found.getString(1) + " may not " + missing + " on the table " + table
                                + ", which schema version " + each.getKey()
                                + " added; nothing was changed. Let its owner run: GRANT SELECT, INSERT, UPDATE, DELETE ON "
                                + table + " TO " + found.getString(1));
                    }
                }
            }
        }
        if (!faults.isEmpty()) {
            throw new Misconfigured(name, faults);
        }
    }

    /** Step by step to the version of this code; a second node finds it done. */
    private void upgrade(Connection connection) throws SQLException {
        run(connection, LOCK);
        int from = 0;
        if (server(connection).installed) {
            from = version(connection);
            schema.demandUpgradable(name, Math.min(from, schema.version()));
            if (!create) {
                schema.demandCurrent(name, from);
            }
        }
        for (int next = from + 1; next <= schema.version(); next++) {
            run(connection, schema.script(next));
        }
    }

    private static Server server(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(SERVER)) {
            found.next();
            return new Server(
                    found.getInt(1),
                    found.getString(2),
                    found.getBoolean(3),
                    found.getBoolean(4),
                    found.getString(5),
                    found.getBoolean(6));
        }
    }

    private static int version(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT schema_version FROM semel_meta")) {
            found.next();
            return found.getInt(1);
        }
    }

    /** The system identifier is 0 where the role may not read it; the timeline alone still shows a failover. */
    private static Origin origin(Connection connection, boolean control) throws SQLException {
        String system = control ? "(SELECT system_identifier FROM pg_control_system())" : "0";
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(String.format(Locale.ROOT, ORIGIN, system))) {
            found.next();
            return new Origin(found.getLong(1), found.getInt(2), found.getString(3));
        }
    }

    /**
     * What is known of the place that issued the newest fences.
     *
     * @param timeline 0 where none was ever issued
     */
    private record NewestFences(int timeline, int epoch) {}

    /** @return null when it was here */
    private static @Nullable NewestFences unknown(Connection connection, Origin origin) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(KNOWN)) {
            new PostgresBinder(statement)
                    .number(origin.system)
                    .number((long) origin.timeline)
                    .text(origin.copy);
            try (ResultSet found = statement.executeQuery()) {
                found.next();
                return found.getBoolean(3) ? null : new NewestFences(found.getInt(1), found.getInt(2));
            }
        }
    }

    /** Of several nodes that see the change, the first raises it. */
    private void raiseEpoch(Connection connection, Origin origin) throws SQLException {
        NewestFences last = unknown(connection, origin);
        if (last == null) {
            return;
        }
        boolean used = last.timeline != 0;
        if (used) {
            long counter = number(connection, "SELECT nextval('semel_fence')");
            number(connection, "SELECT setval('semel_fence', " + (counter + jump.applyAsLong(counter)) + ")");
        }
        try (PreparedStatement statement = connection.prepareStatement(SET_ORIGIN)) {
            new PostgresBinder(statement)
                    .number((long) (used ? FenceJump.next(last.epoch) : last.epoch))
                    .number(origin.system)
                    .number((long) origin.timeline)
                    .text(origin.copy);
            statement.executeUpdate();
        }
    }

    private static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            found.next();
            return found.getLong(1);
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private RuntimeException refused(SQLException e) {
        if (PostgresErrors.state(e).equals(PostgresErrors.NO_PRIVILEGE)) {
            return new Misconfigured(
                    name,
                    List.of("the role may not install or use the schema (" + PostgresErrors.brief(e)
                            + "); nothing was changed. Grant it CREATE on the schema, or let an administrator run what"
                            + " \"semel schema print --engine postgresql\" prints and grant the role its use"));
        }
        if (PostgresErrors.state(e).equals(PostgresErrors.LOCK_NOT_AVAILABLE)) {
            return new StoreUnavailable(
                    name + ": the schema could not be checked or upgraded to version " + schema.version()
                            + ", because other transactions kept its tables locked; nothing was changed. Look for"
                            + " long transactions (pg_stat_activity) and repeat the call.",
                    e);
        }
        return new StoreUnavailable(
                name + ": the database could not be prepared (" + PostgresErrors.brief(e) + "); nothing was changed. "
                        + PostgresErrors.advice(e),
                e);
    }
}
