package dev.semel.http;

import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.Scratch;
import dev.semel.time.TimeSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A database that holds the ledger and the application's table of effects. */
public record TestDatabase(String url, String jdbcUrl) {
    /** The engines. */
    public enum Kind {
        SQLITE {
            @Override
            TestDatabase lay() {
                Path file = Scratch.directory("ground").resolve("ledger.db");
                return new TestDatabase("sqlite:" + file, "jdbc:sqlite:" + file + "?busy_timeout=20000");
            }
        },
        POSTGRESQL {
            @Override
            TestDatabase lay() {
                PrivatePostgres postgres = PrivatePostgres.shared();
                String database = postgres.freshDatabase();
                return new TestDatabase(postgres.url(database), postgres.jdbcUrl(database));
            }
        };

        abstract TestDatabase lay();

        /** A new one, with an empty table of effects. */
        public TestDatabase fresh() {
            TestDatabase ground = lay();
            ground.open(null).close();
            ground.execute("create table effect (name varchar(100) not null)");
            return ground;
        }
    }

    public Store open(@Nullable TimeSource time) {
        return Stores.open(url, new StoreProvider.Options(time, false));
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl);
    }

    private void execute(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Somebody has added a rule to the ledger's table: no result is larger than this. */
    void refuseResultsOver(int bytes) {
        execute(
                url.startsWith("sqlite:")
                        ? "create trigger refuse before update on semel_record when length(new.result) > " + bytes
                                + " begin select raise(abort, 'too large'); end"
                        : "alter table semel_record add constraint refuse check (octet_length(result) <= " + bytes
                                + ")");
    }

    /** The effect of a handler, in its transaction. */
    static void effect(Connection connection, String name) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into effect values (?)")) {
            insert.setString(1, name);
            insert.executeUpdate();
        }
    }

    int effects(String name) {
        try (Connection connection = connect();
                PreparedStatement count = connection.prepareStatement("select count(*) from effect where name = ?")) {
            count.setString(1, name);
            try (ResultSet rows = count.executeQuery()) {
                rows.next();
                return rows.getInt(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Work in a transaction of the handler's own, with its mark as the last thing before the commit. */
    void marked(IdempotentExchange exchange, String name) throws SQLException {
        try (Connection connection = connect()) {
            connection.setAutoCommit(false);
            effect(connection, name);
            exchange.mark(connection);
            connection.commit();
        }
    }
}
