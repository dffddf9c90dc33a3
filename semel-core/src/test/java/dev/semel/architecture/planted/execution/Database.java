package dev.semel.architecture.planted.execution;

import dev.semel.architecture.planted.Host;
import java.sql.Connection;
import java.sql.SQLException;

final class Database {
    Connection passedThrough(Host host) {
        return host.connection();
    }

    void commit(Connection connection) throws SQLException {
        connection.commit();
    }

    String state(SQLException e) {
        return e.getSQLState();
    }
}
