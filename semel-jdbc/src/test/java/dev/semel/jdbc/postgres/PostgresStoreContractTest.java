package dev.semel.jdbc.postgres;

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

    @Override
    protected boolean refuse(String word) {
        schema().execute("""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    RAISE EXCEPTION 'simulated' USING ERRCODE = '22021';
                END $$;
                CREATE TRIGGER refuse_record BEFORE INSERT OR UPDATE ON semel_record FOR EACH ROW
                    WHEN (NEW.payload = '%1$s'::bytea OR NEW.result = '%1$s'::bytea) EXECUTE FUNCTION refuse();
                CREATE TRIGGER refuse_event BEFORE INSERT ON semel_audit FOR EACH ROW
                    WHEN (NEW.correlation = '%1$s') EXECUTE FUNCTION refuse()
                """.formatted(word));
        return true;
    }

    private FreshSchema schema() {
        return Objects.requireNonNull(schema, "opened first");
    }
}
