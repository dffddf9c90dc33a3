package dev.semel.jdbc.postgres;

import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.time.TimeSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An empty schema in a database of this JVM: cheaper than a database for each test. */
record FreshSchema(PrivatePostgres server, String database, String name) {
    private static final AtomicInteger COUNT = new AtomicInteger();

    static FreshSchema make() {
        PrivatePostgres server = PrivatePostgres.shared();
        return make(server, Shared.DATABASE);
    }

    static FreshSchema make(PrivatePostgres server, String database) {
        FreshSchema schema = new FreshSchema(server, database, "s" + COUNT.incrementAndGet());
        schema.execute("CREATE SCHEMA " + schema.name);
        return schema;
    }

    String url() {
        return server.url(database) + "?currentSchema=" + name + "&poolSize=20";
    }

    Store open(@Nullable TimeSource time) {
        return new PostgresProvider().open(url(), new StoreProvider.Options(time, false));
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(server.jdbcUrl(database) + "&currentSchema=" + name);
    }

    void execute(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private static final class Shared {
        static final String DATABASE = PrivatePostgres.shared().freshDatabase();
    }
}
