package dev.semel.jdbc.sqlite;

import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.testkit.StoreContract;
import dev.semel.time.TimeSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;

class SqliteStoreContractTest extends StoreContract {
    @TempDir
    private static Path directory;

    private static int opened;

    private final Path file = directory.resolve("contract-" + ++opened + ".db");

    @Override
    protected Store open(TimeSource time) {
        return new SqliteProvider().open("sqlite:" + file, new StoreProvider.Options(time, false));
    }

    @Override
    protected Optional<Store> reopen(TimeSource time) {
        return Optional.of(open(time));
    }

    @Override
    protected Optional<Connection> connect() throws SQLException {
        return Optional.of(DriverManager.getConnection("jdbc:sqlite:" + file));
    }

    @Override
    protected boolean refuse(String word) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            for (String event : List.of("INSERT", "UPDATE")) {
                statement.execute("CREATE TRIGGER refuse_" + event + " BEFORE " + event + " ON semel_record"
                        + " WHEN CAST(NEW.payload AS TEXT) = '" + word + "' OR CAST(NEW.result AS TEXT) = '" + word
                        + "' BEGIN SELECT RAISE(ABORT, 'simulated'); END");
            }
            statement.execute("CREATE TRIGGER refuse_event BEFORE INSERT ON semel_audit WHEN NEW.correlation = '" + word
                    + "' BEGIN SELECT RAISE(ABORT, 'simulated'); END");
        }
        return true;
    }

    @Override
    protected boolean hasOneWriter() {
        return true;
    }
}
