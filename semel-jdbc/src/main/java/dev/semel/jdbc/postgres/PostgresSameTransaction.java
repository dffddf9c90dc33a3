package dev.semel.jdbc.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.core.BaseConnection;

/**
 * Whether a transaction is still the one that was begun. A handler that uses the application's connection past the
 * guard, by JdbcTemplate for example, can commit it; the driver then begins another one with the next statement. Each
 * has a number that no other ever gets. It is drawn before a handler runs, with the statement that looks its record
 * up, and every statement that writes what the handler leaves compares it first, in the same round trip.
 *
 * <p>A transaction that is to be rolled back is asked before: one that the handler has committed cannot be undone.
 * Where the server answers nothing any more, because a statement has failed or the connection is lost, it is asked
 * afterwards how that number ended ({@link PostgresCommits#endOf}).
 */
final class PostgresSameTransaction {
    private static final String CURRENT = "pg_current_xact_id_if_assigned()::text";

    /** One parameter, the number or null. No number can be made of the text: {@link #isAnother}. */
    private static final String DEMANDED = "(CASE WHEN " + CURRENT + " IS NOT DISTINCT FROM coalesce(?, " + CURRENT
            + ") THEN '1' ELSE 'another transaction' END)::int";

    /** In front of a statement in a transaction with a handler or caller: {@link PostgresSql#WAIT_IN_TRANSACTION}, too. */
    static final String AND_WAIT = "SELECT " + DEMANDED + ", " + PostgresSql.THEIR_WAIT_KEPT + "; ";

    private static final String IS_SAME = "SELECT " + CURRENT + " IS NOT DISTINCT FROM ?";

    private PostgresSameTransaction() {}

    /** The state of a transaction that is to be rolled back. */
    enum TransactionCheck {
        SAME,
        ANOTHER,
        /** The server does not say any more. */
        UNTOLD
    }

    /**
     * The statement between the check and the bound for its waits, and what takes the bound back. Its answer is the second one. Also in
     * front of COMMIT, whose deferred constraints wait as long as the application says.
     */
    static String bounded(String sql) {
        return AND_WAIT + sql + PostgresSql.WAIT_AS_BEFORE;
    }

    /** Whether the check found another transaction. */
    static boolean isAnother(SQLException e) {
        return PostgresErrors.state(e).equals("22P02");
    }

    static String draw(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT pg_current_xact_id()::text")) {
            found.next();
            return found.getString(1);
        }
    }

    static TransactionCheck standing(Connection connection, String number) {
        try {
            BaseConnection driver = connection.unwrap(BaseConnection.class);
            if (driver.isClosed()) {
                return TransactionCheck.UNTOLD;
            }
            return switch (driver.getTransactionState()) {
                case IDLE -> TransactionCheck.ANOTHER;
                case FAILED -> TransactionCheck.UNTOLD;
                case OPEN -> told(connection, number) ? TransactionCheck.SAME : TransactionCheck.ANOTHER;
            };
        } catch (SQLException e) {
            return TransactionCheck.UNTOLD;
        }
    }

    private static boolean told(Connection connection, String number) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(IS_SAME)) {
            statement.setString(1, number);
            try (ResultSet found = statement.executeQuery()) {
                found.next();
                return found.getBoolean(1);
            }
        }
    }
}
