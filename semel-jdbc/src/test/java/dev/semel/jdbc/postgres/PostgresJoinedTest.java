package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.time.ManualTime;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class PostgresJoinedTest {
    private static final Operation.Atomic<String, String> GREET = Operation.atomic("greet", String.class, String.class);

    @Test
    void a14_duplicateAtRepeatableReadMustBeRetried() throws Exception {
        Call<String> call = Call.of(Tenant.SINGLE, Key.of("k"), "payload");
        FreshSchema schema = FreshSchema.make();
        try (Engine engine = EngineSettings.on(schema.open(new ManualTime(1_800_000_000_000L)))
                        .withoutBackground()
                        .open();
                Connection connection = schema.connect()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1 FROM semel_meta");
            }
            assertThat(engine.run(GREET, call, (payload, tx) -> "first")).isInstanceOf(Answer.Executed.class);
            try (Semel.Joined joined = engine.join(connection)) {
                assertThatThrownBy(() -> joined.run(GREET, call, (payload, tx) -> "second"))
                        .isInstanceOf(SemelException.TransactionMustBeRetried.class);
                connection.rollback();
                assertThat(joined.run(GREET, call, (payload, tx) -> "third").orThrow())
                        .isEqualTo("first");
                connection.rollback();
            }
        }
    }

    @Test
    void a14_lostUpdateOfTheHandlersOwnIsATransactionThatMustBeRetried() throws Exception {
        FreshSchema schema = FreshSchema.make();
        schema.execute("CREATE TABLE stock (n int)");
        schema.execute("INSERT INTO stock VALUES (1)");
        Call<String> call = Call.of(Tenant.SINGLE, Key.of("k"), "payload");
        try (Engine engine = EngineSettings.on(schema.open(new ManualTime(1_800_000_000_000L)))
                        .withoutBackground()
                        .open();
                Connection connection = schema.connect()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            try (Statement statement = connection.createStatement();
                    Semel.Joined joined = engine.join(connection)) {
                statement.execute("SELECT n FROM stock");
                schema.execute("UPDATE stock SET n = n + 1");
                assertThatThrownBy(() -> joined.run(GREET, call, (payload, tx) -> {
                            statement.execute("UPDATE stock SET n = n + 1");
                            return "unreached";
                        }))
                        .isInstanceOf(SemelException.TransactionMustBeRetried.class);
                connection.rollback();
            }
        }
    }
}
