package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.JdbcEffects;
import dev.semel.store.Store;
import dev.semel.testkit.engine.Effects;
import dev.semel.testkit.engine.EngineContract;
import dev.semel.time.TimeSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

class PostgresEngineContractTest extends EngineContract {
    private @Nullable FreshSchema schema;
    private @Nullable JdbcEffects applied;

    @Override
    protected Store open(TimeSource time) {
        schema = FreshSchema.make();
        return schema.open(time);
    }

    @Override
    protected Store reopen(Store first, TimeSource time) {
        return schema().open(time);
    }

    @Override
    protected Effects effects(Store store) throws Exception {
        applied = new JdbcEffects(schema().connect());
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
        return Optional.of(schema().connect());
    }

    private FreshSchema schema() {
        return Objects.requireNonNull(schema, "opened first");
    }
}
