package dev.semel.architecture.planted.policy;

import java.sql.Connection;
import java.sql.SQLException;

final class Errors {
    String allowed(SQLException e) {
        return e.getSQLState();
    }

    String schema(Connection connection) throws SQLException {
        return connection.getSchema();
    }
}
