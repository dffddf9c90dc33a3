package dev.semel.jdbc.postgres;

import dev.semel.testkit.PrivatePostgres;
import org.postgresql.ds.PGSimpleDataSource;

/** An application's data source behind which another server takes over. */
final class SwitchedDataSource extends PGSimpleDataSource {
    private static final long serialVersionUID = 1;

    private transient volatile PrivatePostgres server;

    SwitchedDataSource(PrivatePostgres server) {
        this.server = server;
    }

    void switchTo(PrivatePostgres other) {
        server = other;
    }

    @Override
    public String getUrl() {
        return server.jdbcUrl();
    }
}
