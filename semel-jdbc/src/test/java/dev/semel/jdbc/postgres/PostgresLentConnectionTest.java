package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.jdbc.Demarcation;
import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.jdbc.shared.UnguardedConnection;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A16: the application's connection is lost while a handler runs that may have committed past the guard, and the server cannot
 * be asked at once how the transaction ended.
 */
@Timeout(300)
class PostgresLentConnectionTest {
    private static final int ALL = Integer.MAX_VALUE;

    private final FreshSchema schema = FreshSchema.make();

    /** How many more connections are refused. */
    private final AtomicInteger refusals = new AtomicInteger();

    private Store store;

    @BeforeEach
    void open() {
        schema.execute("CREATE TABLE effect (n int)");
        DataSource source = new PGSimpleDataSource() {
            private static final long serialVersionUID = 1;

            @Override
            public Connection getConnection() throws SQLException {
                if (refusals.getAndUpdate(left -> left == ALL ? ALL : Math.max(0, left - 1)) > 0) {
                    throw new SQLException("connection refused", "08001");
                }
                return schema.connect();
            }
        };
        store = PostgresStore.on(source, this::begun, new StoreProvider.Options(null, true));
    }

    @AfterEach
    void close() {
        refusals.set(0);
        store.close();
    }

    private Demarcation.Begun begun() {
        try {
            return new Lent(schema.connect());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private record Lent(Connection connection) implements Demarcation.Begun {
        Lent {
            try {
                connection.setAutoCommit(false);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void commit() throws Exception {
            try (connection) {
                connection.commit();
            }
        }

        @Override
        public void rollback() {
            try (connection) {
                connection.rollback();
            } catch (SQLException e) {
                assertThat(e.getSQLState()).startsWith("08");
            }
        }
    }

    /** The handler writes, commits past the guard or not, and loses its connection. */
    private void lost(boolean commits, int refused) throws Exception {
        store.transactions().orElseThrow().run(tx -> {
            tx.lookUp(Transactions.ANY_MODES, List.of(EffectFixture.identity("k")));
            tx.beforeHandler();
            Connection real = UnguardedConnection.real(tx.unwrap(Connection.class));
            try (Statement statement = real.createStatement()) {
                statement.execute("INSERT INTO effect VALUES (1)");
                if (commits) {
                    statement.execute("COMMIT");
                }
            }
            real.abort(Runnable::run);
            refusals.set(refused);
            throw new IllegalStateException("connection lost");
        });
    }

    private long effects() throws SQLException {
        try (Connection own = schema.connect()) {
            return EffectFixture.number(own, "SELECT count(*) FROM effect");
        }
    }

    @Test
    void a16_commitByAHandlerIsFoundAlthoughTheServerDidNotAnswerAtOnce() throws Exception {
        assertThatThrownBy(() -> lost(true, 3))
                .isInstanceOf(SemelException.TransactionEnded.class)
                .hasMessageContaining("the handler has ended the transaction");
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void a16_transactionThatTheHandlerLeftAloneIsFoundToBeRolledBack() throws Exception {
        assertThatThrownBy(() -> lost(false, 3))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("connection lost");
        assertThat(effects()).isZero();
    }

    @Test
    void a16_undecidedTransactionIsNotReportedAsRolledBack() throws Exception {
        assertThatThrownBy(() -> lost(true, ALL))
                .isInstanceOf(SemelException.TransactionEnded.class)
                .hasMessageContaining("it is unknown whether");
        assertThat(effects()).isEqualTo(1);
    }
}
