package dev.semel.architecture.planted.execution;

import dev.semel.architecture.planted.Host;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

final class Database {
    Connection passedThrough(Host host) {
        return host.connection();
    }

    DataSource alsoPassedThrough(DataSource source) {
        return source;
    }

    Connection taken(DataSource source) throws SQLException {
        return source.getConnection();
    }

    void commit(Connection connection) throws SQLException {
        connection.commit();
    }

    String state(SQLException e) {
        return e.getSQLState();
    }
}
