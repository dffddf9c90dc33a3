package dev.semel.bench;

import dev.semel.Semel;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.function.Consumer;

/**
 * The ledger of a measured server, as the bench sees it from outside.
 *
 * @param label which begins the names of its cells
 * @param url Semel's
 * @param jdbcUrl the driver's, to count records with
 * @param least what acknowledged webhooks must reach of the bare Jetty
 * @param database the data directory of its database; another directory where that has no process of its own
 */
record IngressStore(String label, String url, String jdbcUrl, double least, Path database) {
    private static final String COUNT = "SELECT count(*) FROM semel_record WHERE operation = ?";
    private static final Operator.Warrant WARRANT = new Operator.Warrant("bench", "measured apart from intake");

    /** Messages of the channel wait from now on. Returns when every node knows it. */
    void pause(String channel) {
        operate(operator -> operator.pause(channel, null, WARRANT));
    }

    void resume(String channel) {
        operate(operator -> operator.resume(channel, null, WARRANT));
    }

    private void operate(Consumer<Operator> change) {
        try (Semel semel = Semel.open(url)) {
            Operator operator = Engine.behind(semel).orElseThrow().operator();
            change.accept(operator);
            operator.awaitModes();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The bench was interrupted.", e);
        }
    }

    /** How many records an operation or channel has. */
    long records(String operation) {
        try (Connection connection = DriverManager.getConnection(jdbcUrl);
                PreparedStatement statement = connection.prepareStatement(COUNT)) {
            statement.setString(1, operation);
            try (ResultSet found = statement.executeQuery()) {
                found.next();
                return found.getLong(1);
            }
        } catch (SQLException e) {
            throw new HttpBench.Wrong(label + ": the records of " + operation + " cannot be counted: SQLState "
                    + e.getSQLState() + ", " + e.getMessage());
        }
    }

    /** Each of so many was recorded, and once. */
    void demandRecords(String operation, long expected) {
        long found = records(operation);
        if (found != expected) {
            throw new HttpBench.Wrong(label + ": the ledger has " + found + " records of " + operation + ", and "
                    + expected + " were answered. Something was " + (found > expected ? "done twice." : "lost."));
        }
    }
}
