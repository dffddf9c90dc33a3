package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.jdbc.shared.UnguardedConnection;
import dev.semel.key.Identity;
import dev.semel.store.Store;
import dev.semel.store.Transactions.Ended;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts that end the transaction and got past the guard, and what handlers leave on their session. */
@Timeout(300)
class PostgresEndedTransactionTest {
    private FreshSchema schema;
    private Store store;

    @BeforeEach
    void open() throws SQLException {
        schema = FreshSchema.make();
        store = schema.open(null);
        try (Connection own = schema.connect()) {
            execute(own, "CREATE TABLE effect (who TEXT)");
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"COMMIT", "ROLLBACK", "COMMIT; BEGIN", "COMMIT AND CHAIN"})
    void plantedHoleInTheGuardIsNoticedBeforeARecordIsCommitted(String text) throws Exception {
        AtomicInteger runs = new AtomicInteger();
        assertThatThrownBy(() -> called("k", connection -> {
                    runs.incrementAndGet();
                    Connection real = UnguardedConnection.real(connection);
                    execute(real, "INSERT INTO effect VALUES ('guilty')");
                    execute(real, text);
                    execute(connection, "INSERT INTO effect VALUES ('after')");
                }))
                .isInstanceOf(SemelException.TransactionEnded.class)
                .hasMessageContaining("may be committed without its record");
        assertThat(runs.get()).isEqualTo(1);
        assertThat(number("SELECT count(*) FROM semel_record")).isZero();
        assertThat(number("SELECT count(*) FROM effect WHERE who = 'after'")).isZero();
        called("other", connection -> execute(connection, "INSERT INTO effect VALUES ('other')"));
        assertThat(number("SELECT count(*) FROM semel_record")).isEqualTo(1);
    }

    @Test
    void textThatTheGuardAdmittedAndThatEndedTheTransactionIsNoticedAtOnce() throws Exception {
        assertThatThrownBy(() -> store.transactions().orElseThrow().run(tx -> {
                    Connection connection = Objects.requireNonNull(tx.connection());
                    execute(connection, "INSERT INTO effect VALUES ('before')");
                    execute(UnguardedConnection.real(connection), "COMMIT");
                    // Sends nothing, and so finds the connection outside of a transaction.
                    try (Statement statement = connection.createStatement()) {
                        statement.executeBatch();
                    } catch (SQLException e) {
                        assertThat(e.getSQLState()).isEqualTo("2D000");
                    }
                    return Ended.keep(true);
                }))
                .isInstanceOf(SemelException.TransactionEnded.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET search_path = pg_catalog",
                "SET statement_timeout = 1234",
                "SET ROLE pg_monitor",
                "SELECT set_config('semel_test.setting', 'x', false)",
                "LISTEN somewhere",
                "SELECT pg_advisory_lock(42)"
            })
    void whatAHandlerLeavesOnItsSessionDoesNotReachTheNextCaller(String text) throws Exception {
        String before = session();
        try {
            called("k", connection -> execute(connection, text));
        } catch (SemelException.StoreUnavailable e) {
            // Its own record cannot be written under such a setting.
            assertThat(text).contains("SET");
        }
        assertThat(session()).isEqualTo(before);
        assertThat(number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 42"))
                .isZero();
    }

    /** The answer to the next caller. */
    private String session() throws Exception {
        return store.transactions().orElseThrow().run(tx -> {
            try (Statement statement = Objects.requireNonNull(tx.connection()).createStatement();
                    ResultSet found = statement.executeQuery("SELECT current_setting('search_path') || current_user"
                            + " || current_setting('statement_timeout') || coalesce(current_setting('semel_test.setting',"
                            + " true), '') || (SELECT count(*) FROM pg_listening_channels())")) {
                found.next();
                return Ended.undo(found.getString(1));
            }
        });
    }

    private interface Handler {
        void on(Connection connection) throws SQLException;
    }

    private void called(String key, Handler handler) throws Exception {
        long modes = store.switchboard().modes().version();
        Identity identity = EffectFixture.identity(key);
        store.transactions().orElseThrow().run(tx -> {
            tx.lookUp(modes, List.of(identity));
            handler.on(Objects.requireNonNull(tx.connection()));
            tx.write(List.of(EffectFixture.write(key)));
            return Ended.keep(true);
        });
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long number(String sql) throws SQLException {
        try (Connection own = schema.connect()) {
            return EffectFixture.number(own, sql);
        }
    }
}
