package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.store.Store;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The payment table of the demo. It has no unique constraint, so that a payment that is made twice has two rows.
 *
 * @param run separates the payments of this run from those of other runs in the same database
 */
record DemoTable(String run) {
    private static final List<String> CREATE = List.of(
            "CREATE TABLE IF NOT EXISTS semel_demo_payment (run VARCHAR(64) NOT NULL, number INTEGER NOT NULL, cents"
                    + " INTEGER NOT NULL)",
            "CREATE INDEX IF NOT EXISTS semel_demo_payment_number ON semel_demo_payment (run, number)");
    private static final String INSERT = "INSERT INTO semel_demo_payment (run, number, cents) VALUES (?, ?, ?)";
    private static final String COUNTS =
            "SELECT number, count(*) FROM semel_demo_payment WHERE run = ? GROUP BY number";
    private static final String EXISTS = "SELECT count(*) FROM semel_demo_payment WHERE run = ? AND number = ?";
    private static final String DELETE = "DELETE FROM semel_demo_payment WHERE run = ?";

    /** Work on a connection. */
    interface Use<T> {
        T with(Connection connection) throws SQLException;
    }

    void create(Store store) {
        inTransaction(store, connection -> {
            try (Statement statement = connection.createStatement()) {
                for (String sql : CREATE) {
                    statement.execute(sql);
                }
            }
            return true;
        });
    }

    void insert(Connection connection, DemoPayment payment) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, run);
            statement.setInt(2, payment.number());
            statement.setInt(3, payment.cents());
            statement.executeUpdate();
        }
    }

    boolean holds(Connection connection, int number) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(EXISTS)) {
            statement.setString(1, run);
            statement.setInt(2, number);
            try (ResultSet found = statement.executeQuery()) {
                return found.next() && found.getInt(1) > 0;
            }
        }
    }

    /** The number of rows of each payment. */
    Map<Integer, Integer> counts(Store store) {
        return inTransaction(store, connection -> {
            Map<Integer, Integer> counts = new HashMap<>();
            try (PreparedStatement statement = connection.prepareStatement(COUNTS)) {
                statement.setString(1, run);
                try (ResultSet found = statement.executeQuery()) {
                    while (found.next()) {
                        counts.put(found.getInt(1), found.getInt(2));
                    }
                }
            }
            return counts;
        });
    }

    void clear(Store store) {
        inTransaction(store, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(DELETE)) {
                statement.setString(1, run);
                return statement.executeUpdate();
            }
        });
    }

    /** Runs in its own transaction, without the ledger. */
    static <T> T inTransaction(Store store, Use<T> use) {
        try {
            return store.transactions()
                    .orElseThrow(() -> unfit(store))
                    .run(tx -> Ended.keep(use.with(connection(store, tx))));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new SemelException.StoreUnavailable(
                    store.name() + ": access to the demo table failed (" + e.getMessage() + ").", e);
        }
    }

    private static Connection connection(Store store, Tx tx) {
        Connection connection = tx.connection();
        if (connection == null) {
            throw unfit(store);
        }
        return connection;
    }

    private static SemelException.Misconfigured unfit(Store store) {
        return new SemelException.Misconfigured(
                store.name(),
                List.of("the demo needs a database that several processes share: omit --store, or use a sqlite: or"
                        + " postgresql: store"));
    }
}
