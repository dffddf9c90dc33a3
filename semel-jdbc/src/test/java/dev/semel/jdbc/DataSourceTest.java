package dev.semel.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.Answer;
import dev.semel.AtomicContext;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.testkit.PrivatePostgres;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.sqlite.SQLiteDataSource;

/** The ledger in the database that an ordinary pool of the application leads to. */
class DataSourceTest {
    private static final Operation.Atomic<Long, Long> CHARGE = Operation.atomic("charge", Long.class, Long.class);
    private static final Operation.Leased<Long, String> REFUND = Operation.leased("refund", Long.class, String.class);
    private static final Channel.Atomic<Long> BOOKED = Channel.atomic("booked", Long.class);
    private static final Channel.Leased<Long> TOLD = Channel.leased("told", Long.class);
    private static final int POOL = 4;

    @TempDir
    Path directory;

    private final HikariDataSource pool = new HikariDataSource();

    enum Database {
        POSTGRESQL,
        SQLITE
    }

    private void prepare(Database database, int connections) throws SQLException {
        pool.setJdbcUrl(
                switch (database) {
                    case POSTGRESQL ->
                        PrivatePostgres.shared()
                                .jdbcUrl(PrivatePostgres.shared().freshDatabase());
                    case SQLITE -> "jdbc:sqlite:" + directory.resolve("shop.db") + "?transaction_mode=IMMEDIATE";
                });
        pool.setMaximumPoolSize(connections);
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE payment (cents bigint)");
        }
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    private static long pay(Connection connection, long cents) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO payment VALUES (?)")) {
            insert.setLong(1, cents);
            insert.executeUpdate();
        }
        return cents;
    }

    private static long charge(Long cents, AtomicContext tx) throws SQLException {
        return pay(tx.connection(), cents);
    }

    private List<Long> payments() throws SQLException {
        List<Long> found = new ArrayList<>();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT cents FROM payment ORDER BY cents")) {
            while (rows.next()) {
                found.add(rows.getLong(1));
            }
        }
        return found;
    }

    private static Call<Long> call(String key, long cents) {
        return Call.of(Tenant.SINGLE, Key.of(key), cents);
    }

    @ParameterizedTest
    @EnumSource
    void effectAndRecordCommitTogetherInThePoolsDatabase(Database database) throws SQLException {
        prepare(database, POOL);
        try (Semel semel = Semel.open(pool)) {
            assertThat(semel.run(CHARGE, call("a", 7), DataSourceTest::charge)).isInstanceOf(Answer.Executed.class);
            Answer<Long> failed = semel.run(CHARGE, call("b", 8), (cents, tx) -> {
                charge(cents, tx);
                throw Failure.of(Failure.Category.VALIDATION, "declined").asException();
            });
            assertThat(failed).isInstanceOf(Answer.Failed.class);
        }
        try (Semel again = Semel.open(pool)) {
            assertThat(again.run(CHARGE, call("a", 7), DataSourceTest::charge)).isInstanceOf(Answer.Replayed.class);
        }
        assertThat(payments()).containsExactly(7L);
    }

    @ParameterizedTest
    @EnumSource
    void callsJoinATransactionOnAConnectionOfThePool(Database database) throws SQLException {
        prepare(database, POOL);
        try (Semel semel = Semel.open(pool);
                Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try (Semel.Joined joined = semel.join(connection)) {
                joined.run(CHARGE, call("a", 7), (cents, tx) -> pay(connection, cents));
                connection.rollback();
            }
            try (Semel.Joined joined = semel.join(connection)) {
                Answer<Long> answer = joined.run(CHARGE, call("a", 7), (cents, tx) -> pay(connection, cents));
                connection.commit();
                joined.committed();
                assertThat(answer).isInstanceOf(Answer.Executed.class);
            }
        }
        assertThat(payments()).containsExactly(7L);
    }

    @ParameterizedTest
    @EnumSource
    void messagesAreSentAndHandled(Database database) throws Exception {
        prepare(database, POOL);
        var handled = new LinkedBlockingQueue<Long>();
        try (Semel semel = Semel.open(pool)) {
            semel.handle(BOOKED, (cents, tx) -> {
                pay(tx.connection(), -cents);
                tx.send(TOLD, Key.of("a"), cents);
            });
            semel.handle(TOLD, (cents, run) -> handled.add(cents));
            semel.run(CHARGE, call("a", 7), (cents, tx) -> {
                tx.send(BOOKED, Key.of("a"), cents);
                return charge(cents, tx);
            });
            assertThat(handled.poll(1, TimeUnit.MINUTES)).isEqualTo(7L);
        }
        assertThat(payments()).containsExactly(-7L, 7L);
    }

    @ParameterizedTest
    @EnumSource
    void onePooledConnectionIsEnough(Database database) throws SQLException {
        prepare(database, 1);
        try (Semel semel = Semel.open(pool)) {
            assertThat(semel.run(CHARGE, call("a", 7), DataSourceTest::charge).orThrow())
                    .isEqualTo(7L);
            assertThat(semel.run(
                                    REFUND,
                                    call("a", 7),
                                    (cents, run) -> run.step("psp", String.class, key -> "refunded " + cents))
                            .orThrow())
                    .isEqualTo("refunded 7");
        }
        assertThat(payments()).containsExactly(7L);
    }

    @ParameterizedTest
    @EnumSource
    void closingLeavesThePoolOpenAndGivesAllConnectionsBack(Database database) throws SQLException {
        prepare(database, POOL);
        try (Semel semel = Semel.open(pool)) {
            semel.run(CHARGE, call("a", 7), DataSourceTest::charge);
        }
        assertThat(pool.isClosed()).isFalse();
        List<Connection> all = new ArrayList<>();
        try {
            for (int i = 0; i < POOL; i++) {
                all.add(pool.getConnection());
            }
        } finally {
            for (Connection connection : all) {
                connection.close();
            }
        }
    }

    @Test
    void anotherDatabaseIsRejectedWithThoseThatServe() {
        DataSource h2 = source(connection("H2"));
        assertThatThrownBy(() -> Semel.open(h2))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("the data source leads to H2")
                .hasMessageContaining("PostgreSQL or SQLite");
    }

    @Test
    void sqliteDatabaseInMemoryIsRejected() {
        SQLiteDataSource memory = new SQLiteDataSource();
        memory.setUrl("jdbc:sqlite::memory:");
        assertThatThrownBy(() -> Semel.open(memory))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("in memory");
    }

    @Test
    void settingsAloneDoNotConnect() {
        PGSimpleDataSource nowhere = new PGSimpleDataSource();
        nowhere.setServerNames(new String[] {"localhost"});
        nowhere.setPortNumbers(new int[] {1});
        Semel.Settings settings = Semel.settings(nowhere).withLocalCache(10);
        assertThatThrownBy(settings::open).isInstanceOf(SemelException.StoreUnavailable.class);
    }

    private static DataSource source(Connection connection) {
        return proxy(DataSource.class, "getConnection", connection);
    }

    private static Connection connection(String product) {
        return proxy(Connection.class, "getMetaData", proxy(DatabaseMetaData.class, "getDatabaseProductName", product));
    }

    /** Answers one method, and closes. */
    private static <T> T proxy(Class<T> type, String method, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, called, arguments) -> switch (called.getName()) {
                    case "close" -> null;
                    default -> {
                        assertThat(called.getName()).isEqualTo(method);
                        yield answer;
                    }
                }));
    }
}
