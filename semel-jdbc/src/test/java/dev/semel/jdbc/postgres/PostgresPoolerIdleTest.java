package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.Answer;
import dev.semel.AtomicContext;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.testkit.Await;
import dev.semel.testkit.PrivatePgBouncer;
import dev.semel.testkit.PrivatePgBouncer.Mode;
import dev.semel.testkit.PrivatePostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Behind PgBouncer in transaction mode nothing may be set for a session, so each transaction of Semel's bounds for itself how long
 * it may be idle. The time-out bounds these tests, it never decides.
 */
@Timeout(300)
class PostgresPoolerIdleTest {
    private static final String SETTING = "idle_in_transaction_session_timeout";
    private static final Operation.Atomic<String, String> PAY =
            Operation.atomic("pay", String.class, String.class).withPolicy("once");
    private static final Channel.Atomic<String> BOOK =
            Channel.atomic("book", String.class).withPolicy("once");

    private final PrivatePostgres server = PrivatePostgres.shared();
    private final String database = server.freshDatabase();
    private final PrivatePgBouncer bouncer = PrivatePgBouncer.start(server, Mode.TRANSACTION, 3);

    @BeforeEach
    void makeTable() throws SQLException {
        directly("CREATE TABLE effect (who TEXT)");
    }

    @AfterEach
    void stopPooler() {
        bouncer.close();
    }

    private void directly(String sql) throws SQLException {
        try (Connection connection = direct();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private Connection direct() throws SQLException {
        return DriverManager.getConnection(server.jdbcUrl(database));
    }

    private Engine byUrl(String parameters) {
        return engine(
                new PostgresProvider().open(bouncer.url(database) + parameters, new StoreProvider.Options(null, true)));
    }

    private static Engine engine(Store store) {
        return EngineSettings.on(store)
                .withPolicy(
                        Policy.named("once").withMaxAttempts(1).withoutBackoff().build())
                .open();
    }

    private HikariDataSource source() {
        HikariDataSource source = new HikariDataSource();
        source.setJdbcUrl(bouncer.jdbcUrl(database));
        return source;
    }

    private static Engine on(HikariDataSource source) {
        return engine(PostgresStore.on(source, new StoreProvider.Options(null, true)));
    }

    private static Call<String> call(String key) {
        return Call.of(Tenant.SINGLE, Key.of(key), key);
    }

    private static String setting(AtomicContext tx) throws SQLException {
        return text(tx.connection(), "SHOW " + SETTING);
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            found.next();
            return found.getString(1);
        }
    }

    private static String bound(Engine engine) {
        return engine.run(PAY, call("bound"), (order, tx) -> setting(tx)).orThrow();
    }

    @Test
    void idleTransactionOfAPausedHandlerIsEndedByTheServer() throws SQLException {
        try (Engine engine = byUrl("?idleInTransactionMillis=200")) {
            Answer<String> answer = engine.run(PAY, call("k"), (order, tx) -> {
                assertThat(setting(tx)).isEqualTo("200ms");
                String session = text(tx.connection(), "SELECT pg_backend_pid()");
                EffectFixture.insert(tx.connection(), "paused");
                awaitEndOf(session);
                return "never committed";
            });
            assertThat(answer).isInstanceOf(Answer.RetryLater.class);
            assertThat(engine.run(PAY, call("k"), (order, tx) -> {
                        EffectFixture.insert(tx.connection(), "again");
                        return "paid";
                    }))
                    .isInstanceOf(Answer.Executed.class);
        }
        try (Connection connection = direct()) {
            assertThat(text(connection, "SELECT string_agg(who, ',') FROM effect"))
                    .isEqualTo("again");
        }
    }

    private void awaitEndOf(String session) throws Exception {
        try (Connection connection = direct()) {
            Await.until(
                    "the server has ended session " + session,
                    () -> text(connection, "SELECT count(*) FROM pg_stat_activity WHERE pid = " + session),
                    "0"::equals);
        }
    }

    @Test
    void callsBatchesAndDeliveriesAreBoundAlikeAndNothingStaysOnTheSession() throws Exception {
        try (Engine engine = byUrl("?idleInTransactionMillis=7000")) {
            LinkedBlockingQueue<String> bounds = new LinkedBlockingQueue<>();
            engine.handle(BOOK, (text, tx) -> bounds.add(setting(tx)));
            engine.send(BOOK, Message.of(Tenant.SINGLE, Key.of("m"), "m"));
            assertThat(bounds.take()).isEqualTo("7s");
            assertThat(bound(engine)).isEqualTo("7s");
            assertThat(engine.runAll(PAY, List.of(call("a"), call("b")), (order, tx) -> setting(tx)))
                    .extracting(Answer::orThrow)
                    .containsExactly("7s", "7s");
        }
        try (Connection pooled = DriverManager.getConnection(bouncer.jdbcUrl(database))) {
            assertThat(text(pooled, "SHOW " + SETTING)).isEqualTo("0");
        }
    }

    @Test
    void idleTransactionsOnTheApplicationsConnectionsAreBoundedByDefault() {
        try (HikariDataSource source = source();
                Engine engine = on(source)) {
            assertThat(bound(engine)).isEqualTo("1min");
        }
    }

    @Test
    void settingOfTheServerIsKeptOnTheApplicationsConnections() throws SQLException {
        directly("ALTER DATABASE " + database + " SET " + SETTING + " = '9s'");
        try (HikariDataSource source = source();
                Engine engine = on(source)) {
            assertThat(bound(engine)).isEqualTo("9s");
        }
    }

    @Test
    void connectionOfTheApplicationWithoutAPoolerStaysAsItIs() {
        try (HikariDataSource source = new HikariDataSource()) {
            source.setJdbcUrl(server.jdbcUrl(database));
            try (Engine engine = on(source)) {
                assertThat(bound(engine)).isEqualTo("0");
            }
        }
    }
}
