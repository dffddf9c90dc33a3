package dev.semel.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.fault.FaultProxy.Loss;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class FaultProxyTest {
    private static final Duration BOUND = Duration.ofSeconds(60);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final PrivatePostgres postgres = PrivatePostgres.shared();
    private final String database = postgres.freshDatabase();
    private FaultProxy proxy;

    @BeforeEach
    void start() throws IOException, SQLException {
        proxy = FaultProxy.toPostgres(postgres.port());
        try (Connection connection = direct();
                Statement statement = connection.createStatement()) {
            statement.execute("create table t (n int)");
        }
    }

    @AfterEach
    void stop() throws IOException {
        threads.shutdownNow();
        proxy.close();
    }

    @Test
    void everythingPassesInFairWeather() throws SQLException {
        try (Connection connection = proxied()) {
            insert(connection, 1);
            assertThat(count(connection)).isEqualTo(1);
            assertThat(proxy.connections()).isEqualTo(1);
        }
    }

    @Test
    void cutResetsOpenConnectionsAndLetsNewOnesPass() throws SQLException {
        try (Connection connection = proxied()) {
            proxy.cut();
            assertThatThrownBy(() -> insert(connection, 1)).isInstanceOf(SQLException.class);
        }
        try (Connection connection = proxied()) {
            insert(connection, 2);
        }
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void partitionRefusesEverybodyUntilItHeals() throws SQLException {
        proxy.partition();
        assertThatThrownBy(this::proxied).isInstanceOf(SQLException.class);
        proxy.heal();
        try (Connection connection = proxied()) {
            insert(connection, 1);
        }
    }

    @Test
    void stalledConnectionContinuesWhenTheNetworkHeals() throws Exception {
        try (Connection connection = proxied()) {
            proxy.stall();
            Future<?> insert = threads.submit(() -> {
                insert(connection, 1);
                return 0;
            });
            assertThat(insert).isNotDone();
            assertThat(count()).isZero();
            proxy.heal();
            insert.get(120, TimeUnit.SECONDS);
            assertThat(count()).isEqualTo(1);
        }
    }

    @Test
    void heldReplyArrivesAfterTheServerHasActed() throws Exception {
        try (Connection connection = proxied()) {
            proxy.dropReplies();
            Future<?> insert = threads.submit(() -> {
                insert(connection, 1);
                return 0;
            });
            awaitCount(1);
            assertThat(insert).isNotDone();
            proxy.heal();
            insert.get(120, TimeUnit.SECONDS);
        }
    }

    @Test
    void heldRequestReachesTheServerOnlyWhenTheNetworkHeals() throws Exception {
        try (Connection connection = proxied()) {
            proxy.dropRequests();
            Future<?> insert = threads.submit(() -> {
                insert(connection, 1);
                return 0;
            });
            assertThat(count()).isZero();
            proxy.heal();
            insert.get(120, TimeUnit.SECONDS);
        }
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void trickleIsSlowAndWhole() throws Exception {
        try (Connection connection = proxied()) {
            proxy.trickle();
            Future<?> insert = threads.submit(() -> {
                insert(connection, 1);
                return 0;
            });
            assertThat(insert).isNotDone();
            proxy.heal();
            insert.get(120, TimeUnit.SECONDS);
        }
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void trickleOfRepliesLetsRequestsThrough() throws Exception {
        try (Connection connection = proxied()) {
            proxy.trickleReplies(Duration.ofHours(1));
            Future<?> insert = threads.submit(() -> {
                insert(connection, 1);
                return 0;
            });
            while (count() == 0) {
                Thread.onSpinWait();
            }
            assertThat(insert).isNotDone();
            proxy.heal();
            insert.get(120, TimeUnit.SECONDS);
        }
    }

    @Test
    void commitWhoseRequestIsLostDidNotHappen() throws Exception {
        try (Connection connection = transaction()) {
            FaultProxy.Trap trap = proxy.atCommit(Loss.REQUEST);
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
            assertThat(trap.awaitSprung(BOUND)).isTrue();
        }
        assertThat(count()).isEqualTo(3);
    }

    @Test
    void commitWhoseReplyIsLostDidHappen() throws Exception {
        try (Connection connection = transaction()) {
            FaultProxy.Trap trap = proxy.atCommit(Loss.REPLY);
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
            assertThat(trap.awaitSprung(BOUND)).isTrue();
            assertThat(trap.awaitAnswered(BOUND)).isTrue();
        }
        assertThat(count()).isEqualTo(4);
    }

    @Test
    void commitCanStayInFlightAfterItsClientIsGone() throws Exception {
        try (Connection connection = transaction()) {
            FaultProxy.Trap trap = proxy.atCommit(Loss.REQUEST_HELD);
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
            assertThat(trap.awaitSprung(BOUND)).isTrue();
            assertThat(count()).isEqualTo(3);
            assertThat(open()).isEqualTo(1);
            trap.release();
            assertThat(trap.awaitAnswered(BOUND)).isTrue();
            assertThat(count()).isEqualTo(4);
        }
    }

    @Test
    void trapSpringsOnceAndOnlyForItsStatement() throws Exception {
        try (Connection connection = proxied()) {
            FaultProxy.Trap trap = proxy.at(sql -> sql.startsWith("insert"), Loss.REPLY);
            assertThat(count(connection)).isZero();
            assertThatThrownBy(() -> insert(connection, 1)).isInstanceOf(SQLException.class);
            assertThat(trap.awaitAnswered(BOUND)).isTrue();
        }
        try (Connection connection = proxied()) {
            insert(connection, 2);
            assertThat(count(connection)).isEqualTo(2);
        }
    }

    @Test
    void proxyOfAnythingElsePassesBytesAndSetsNoTraps() throws Exception {
        try (FaultProxy plain = FaultProxy.to(postgres.port())) {
            String url = "jdbc:postgresql://127.0.0.1:" + plain.port() + "/" + database + "?user=postgres";
            try (Connection connection = DriverManager.getConnection(url)) {
                assertThat(count(connection)).isZero();
            }
            assertThatThrownBy(() -> plain.atCommit(Loss.REPLY)).isInstanceOf(IllegalStateException.class);
        }
    }

    /** Three commits, after which the driver knows COMMIT by a name, and a transaction that waits for its own. */
    private Connection transaction() throws SQLException {
        Connection connection = proxied();
        connection.setAutoCommit(false);
        for (int i = 0; i < 3; i++) {
            insert(connection, i);
            connection.commit();
        }
        insert(connection, 4);
        return connection;
    }

    private Connection proxied() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + proxy.port() + "/" + database + "?user=postgres");
    }

    private Connection direct() throws SQLException {
        return DriverManager.getConnection(postgres.jdbcUrl(database));
    }

    private static void insert(Connection connection, int n) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("insert into t values (" + n + ")");
        }
    }

    private int count() throws SQLException {
        try (Connection connection = direct()) {
            return count(connection);
        }
    }

    private static int count(Connection connection) throws SQLException {
        return number(connection, "select count(*) from t");
    }

    /** Transactions that others have open in this database. */
    private int open() throws SQLException {
        try (Connection connection = direct()) {
            return number(
                    connection,
                    "select count(*) from pg_stat_activity where datname = current_database()"
                            + " and pid <> pg_backend_pid() and xact_start is not null");
        }
    }

    private void awaitCount(int expected) throws SQLException {
        while (count() != expected) {
            Thread.onSpinWait();
        }
    }

    private static int number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getInt(1);
        }
    }
}
