package dev.semel.jdbc;

import dev.semel.store.Store;
import dev.semel.testkit.StoreContract;
import dev.semel.time.TimeSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

class PostgresStoreContractTest extends StoreContract {
    private @Nullable FreshSchema schema;

    @Override
    protected Store open(TimeSource time) {
        schema = FreshSchema.make();
        return schema.open(time);
    }

    @Override
    protected Optional<Store> reopen(TimeSource time) {
        return Optional.of(schema().open(time));
    }

    @Override
    protected Optional<Connection> connect() throws SQLException {
        return Optional.of(schema().connect());
    }

    private FreshSchema schema() {
        return Objects.requireNonNull(schema, "opened first");
    }
}
