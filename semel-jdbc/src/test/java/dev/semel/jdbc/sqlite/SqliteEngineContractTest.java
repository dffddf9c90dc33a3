package dev.semel.jdbc.sqlite;

import dev.semel.jdbc.shared.JdbcEffects;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.testkit.engine.Effects;
import dev.semel.testkit.engine.EngineContract;
import dev.semel.time.TimeSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

class SqliteEngineContractTest extends EngineContract {
    private static final AtomicInteger FILES = new AtomicInteger();

    @TempDir
    static Path directory;

    private Path file = Path.of("none");
    private @Nullable JdbcEffects applied;

    @Override
    protected Store open(TimeSource time) {
        file = directory.resolve(FILES.incrementAndGet() + ".db");
        return SqliteFixture.open(file, new StoreProvider.Options(time, false));
    }

    @Override
    protected Store reopen(Store first, TimeSource time) {
        return SqliteFixture.open(file, new StoreProvider.Options(time, false));
    }

    @Override
    protected Effects effects(Store store) throws Exception {
        applied = new JdbcEffects(raw());
        return applied;
    }

    @AfterEach
    void closeEffects() throws SQLException {
        if (applied != null) {
            applied.close();
        }
    }

    @Override
    protected Optional<Connection> connect() throws SQLException {
        return Optional.of(raw());
    }

    private Connection raw() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + file);
    }
}
