package dev.semel.jdbc.postgres;

import dev.semel.SemelException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.postgresql.PGConnection;

/**
 * A pooler between the driver and the server, such as PgBouncer, which may give each transaction another session of
 * the server. So nothing is left on a session: no prepared statements, no settings beyond a transaction, no LISTEN.
 * The first statement of each transaction sets its idle time-out, so that a paused node does not hold its rows for
 * ever. The pooling mode cannot be seen from outside while the pooler is idle; everything that works in transaction
 * mode also works in session mode.
 */
final class PostgresPooler {
    private static final String IDLE = "idle_in_transaction_session_timeout";

    /** On the application's connections: the setting of the role, the database or the server, or else a minute. */
    static final String IDLE_BOUND = "set_config('" + IDLE + "', coalesce(nullif(current_setting('" + IDLE
            + "'), '0'), '" + PostgresParameter.IDLE_IN_TRANSACTION.preset() + "'), true)";

    private PostgresPooler() {}

    /** As {@link #IDLE_BOUND}, on connections by a URL that says how long. */
    static String idleBound(long millis) {
        return "set_config('" + IDLE + "', '" + millis + "', true)";
    }

    /** A pooler makes up the number of a process that it tells the driver at the start; the server tells its own. */
    static boolean isBetween(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT pg_backend_pid()")) {
            found.next();
            return found.getInt(1) != connection.unwrap(PGConnection.class).getBackendPID();
        }
    }

    /** From here on the driver keeps no statement prepared on the session. */
    static void keepNothingPrepared(Connection connection) throws SQLException {
        PGConnection driver = connection.unwrap(PGConnection.class);
        if (driver.getPrepareThreshold() != 0) {
            driver.setPrepareThreshold(0);
        }
    }

    /** A schema in the URL is a setting of the session, which poolers refuse, or drop in silence. */
    static void demandSchema(Connection connection, PostgresUrl url) throws SQLException {
        String wanted = url.driver().getProperty("currentSchema");
        if (wanted == null) {
            return;
        }
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT coalesce(current_schema(), '')")) {
            found.next();
            if (!found.getString(1).equals(wanted.split(",")[0].strip())) {
                throw new SemelException.Misconfigured(
                        url.name(),
                        List.of("the connection pooler in front of the server does not pass currentSchema=" + wanted
                                + " on: take it out of the URL and set it for the role (ALTER ROLE ... SET search_path = "
                                + wanted + "), or connect to the server directly"));
            }
        }
    }
}
