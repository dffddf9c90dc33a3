package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.jdbc.ApplicationStore;
import dev.semel.spring.SpringCommitTest.ManagedBy;
import dev.semel.store.StoreProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The transaction manager commits by itself, with everything that others write until then. */
@Timeout(300)
class SpringManagerCommitsTest {
    private static final Operation.Atomic<String, String> PAY = Operation.atomic("pay", String.class, String.class);

    private final List<TransactionState> atCommit = new ArrayList<>();
    private HikariDataSource pool;
    private DelegatingDataSource source;
    private JdbcTemplate jdbc;

    @BeforeEach
    void open() {
        pool = new HikariDataSource();
        pool.setJdbcUrl(Databases.POSTGRESQL.fresh());
        pool.setMaximumPoolSize(1);
        source = new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                return watched(super.getConnection());
            }
        };
        jdbc = new JdbcTemplate(source);
        jdbc.execute("CREATE TABLE payment (order_id TEXT UNIQUE DEFERRABLE INITIALLY DEFERRED)");
        jdbc.execute("INSERT INTO payment VALUES ('twice')");
    }

    @AfterEach
    void close() {
        pool.close();
    }

    /** Remembers how the server's transaction stands whenever it is told to commit. */
    private Connection watched(Connection real) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    if (method.getName().equals("commit")) {
                        atCommit.add(real.unwrap(BaseConnection.class).getTransactionState());
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Engine engine(PlatformTransactionManager manager) {
        return EngineSettings.on(ApplicationStore.on(
                        source, new SpringTransactions(manager, source), StoreProvider.Options.DEFAULT))
                .withoutBackground()
                .open();
    }

    private Answer<String> pay(Engine engine, String order, Runnable besides) {
        return engine.run(PAY, Call.of(Tenant.SINGLE, Key.of(order), order), (payload, tx) -> {
            insert(payload);
            besides.run();
            return "paid";
        });
    }

    private void insert(String order) {
        jdbc.update("INSERT INTO payment (order_id) VALUES (?)", order);
    }

    private List<String> paid() {
        return jdbc.queryForList("SELECT order_id FROM payment ORDER BY order_id", String.class);
    }

    private static void beforeCommit(Runnable work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                work.run();
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void commitIsTheManagersOwn(ManagedBy by) {
        try (Engine engine = engine(by.on(source))) {
            engine.operator().modes();
            atCommit.clear();
            assertThat(pay(engine, "one", () -> {})).isInstanceOf(Answer.Executed.class);
            assertThat(atCommit).containsExactly(TransactionState.OPEN);
            assertThat(pay(engine, "one", () -> {})).isInstanceOf(Answer.Replayed.class);
            assertThat(paid()).containsExactly("one", "twice");
        }
    }

    @ParameterizedTest
    @EnumSource
    void writesBeforeTheCommitCommitWithTheRest(ManagedBy by) {
        try (Engine engine = engine(by.on(source))) {
            assertThat(pay(engine, "twice", () -> beforeCommit(() -> insert("trail"))))
                    .as("what the database refuses at COMMIT is the handler's failure")
                    .isInstanceOfAny(Answer.Failed.class, Answer.RetryLater.class);
            assertThat(paid()).containsExactly("twice");
            jdbc.update("DELETE FROM payment");
            assertThat(pay(engine, "again", () -> beforeCommit(() -> insert("trail"))))
                    .isInstanceOf(Answer.Executed.class);
            assertThat(paid()).containsExactly("again", "trail");
        }
    }

    @ParameterizedTest
    @EnumSource
    void writesOfASecondListenerCommitWithTheRest(ManagedBy by) {
        AtomicReference<String> heard = new AtomicReference<>("twice");
        PlatformTransactionManager manager = by.on(source);
        try (Engine engine = engine(manager)) {
            ((ConfigurableTransactionManager) manager).addListener(new TransactionExecutionListener() {
                @Override
                public void beforeCommit(TransactionExecution transaction) {
                    insert(heard.get());
                }
            });
            assertThatThrownBy(() -> pay(engine, "one", () -> {})).hasRootCauseInstanceOf(SQLException.class);
            assertThat(paid()).containsExactly("twice");
            heard.set("heard");
            assertThat(pay(engine, "one", () -> {})).isInstanceOf(Answer.Executed.class);
            assertThat(paid()).containsExactly("heard", "one", "twice");
        }
    }
}
