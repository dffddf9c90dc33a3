package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.store.Inspection;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.testkit.Await;
import dev.semel.testkit.PrivatePgBouncer;
import dev.semel.testkit.PrivatePgBouncer.Mode;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.fault.FaultProxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** PgBouncer in front of the server. The time-out bounds these tests, it never decides. */
@Timeout(180)
class PostgresPoolerTest {
    private static final int THREADS = 6;
    private static final int CALLS = 40;
    private static final int MESSAGES = 120;
    private static final int LANES = 7;

    private static final Operation.Atomic<String, String> PAY =
            Operation.atomic("pay", String.class, String.class).withPolicy("once");
    private static final Operation.Leased<String, String> SHIP =
            Operation.leased("ship", String.class, String.class).withPolicy("once");
    private static final Channel.Atomic<String> BOOK = Channel.atomic("book", String.class)
            .withLane(PostgresPoolerTest::lane)
            .withPolicy("once");
    private static final Channel.Leased<String> CHAT = Channel.leased("chat", String.class)
            .withLane(PostgresPoolerTest::lane)
            .withPolicy("once");

    private final PrivatePostgres server = PrivatePostgres.shared();
    private final String database = server.freshDatabase();

    private static String lane(String text) {
        return text.substring(0, text.indexOf(':'));
    }

    @BeforeEach
    void makeTable() throws SQLException {
        try (Connection connection = direct();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE effect (who TEXT)");
        }
    }

    @AfterEach
    void nothingIsLeftOnTheServer() throws SQLException {
        assertThat(number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()"
                        + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"))
                .isZero();
    }

    private Connection direct() throws SQLException {
        return DriverManager.getConnection(server.jdbcUrl(database));
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = direct()) {
            return EffectFixture.number(connection, sql);
        }
    }

    private static Engine engine(Store store) {
        return EngineSettings.on(store)
                .withPolicy(
                        Policy.named("once").withMaxAttempts(1).withoutBackoff().build())
                .open();
    }

    private static Store on(String url) {
        return new PostgresProvider().open(url, new StoreProvider.Options(null, true));
    }

    @ParameterizedTest
    @EnumSource
    void callsAndMessagesByUrlAreEachDoneOnce(Mode mode) throws Exception {
        try (PrivatePgBouncer bouncer = PrivatePgBouncer.start(server, mode, mode == Mode.SESSION ? 40 : 3);
                Engine engine = engine(on(bouncer.url(database)))) {
            everythingIsDoneOnce(engine);
        }
    }

    @ParameterizedTest
    @EnumSource
    void callsAndMessagesOnTheApplicationsConnectionsAreEachDoneOnce(Mode mode) throws Exception {
        try (PrivatePgBouncer bouncer = PrivatePgBouncer.start(server, mode, mode == Mode.SESSION ? 40 : 3);
                HikariDataSource source = new HikariDataSource()) {
            source.setJdbcUrl(bouncer.jdbcUrl(database));
            source.setMaximumPoolSize(10);
            try (Engine engine = engine(PostgresStore.on(source, new StoreProvider.Options(null, true)))) {
                everythingIsDoneOnce(engine);
            }
        }
    }

    private void everythingIsDoneOnce(Engine engine) throws Exception {
        Map<String, ConcurrentLinkedQueue<String>> chats = new ConcurrentHashMap<>();
        engine.handle(BOOK, (text, tx) -> EffectFixture.insert(tx.connection(), "book " + text));
        engine.handle(
                CHAT,
                (text, run) -> chats.computeIfAbsent(lane(text), none -> new ConcurrentLinkedQueue<>())
                        .add(text));
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int own = thread;
                running.add(threads.submit(() -> calls(engine, own)));
            }
            List<String> texts = IntStream.range(0, MESSAGES)
                    .mapToObj(i -> i % LANES + ":" + i)
                    .toList();
            for (String text : texts) {
                engine.send(BOOK, Message.of(Tenant.SINGLE, Key.of(text), text));
                engine.send(CHAT, Message.of(Tenant.SINGLE, Key.of(text), text));
            }
            for (Future<?> each : running) {
                each.get();
            }
            Await.until(
                    "no message is queued or in progress",
                    () -> number("SELECT count(*) FROM semel_record WHERE state IN (0, 1)"),
                    left -> left == 0);
        } finally {
            threads.shutdownNow();
        }
        assertThat(number("SELECT count(*) FROM semel_record WHERE state <> 2")).isZero();
        assertThat(number("SELECT count(*) FROM effect WHERE who LIKE 'book %'"))
                .isEqualTo(MESSAGES);
        assertThat(number("SELECT count(DISTINCT who) FROM effect")).isEqualTo(MESSAGES + THREADS * CALLS);
        assertThat(number("SELECT count(*) FROM effect")).isEqualTo(MESSAGES + THREADS * CALLS);
        chats.forEach((lane, said) -> assertThat(said)
                .as(lane)
                .containsExactlyElementsOf(IntStream.range(0, MESSAGES)
                        .filter(i -> lane.equals(String.valueOf(i % LANES)))
                        .mapToObj(i -> lane + ":" + i)
                        .toList()));
    }

    private static boolean calls(Engine engine, int thread) {
        for (int i = 0; i < CALLS; i++) {
            String key = thread + "-" + i;
            Call<String> call = Call.of(Tenant.SINGLE, Key.of(key), key);
            assertThat(engine.run(PAY, call, (order, tx) -> {
                        EffectFixture.insert(tx.connection(), "pay " + order);
                        return "paid";
                    }))
                    .isInstanceOf(Answer.Executed.class);
            assertThat(engine.run(SHIP, call, (order, run) -> "shipped")).isInstanceOf(Answer.Executed.class);
            assertThat(engine.run(PAY, call, (order, tx) -> "never")).isInstanceOf(Answer.Replayed.class);
        }
        return true;
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultProxy.Loss.class,
            names = {"REPLY", "REQUEST"})
    void a5_aCommitThatIsLostInFrontOfThePoolerIsDecided(FaultProxy.Loss loss) throws Exception {
        try (PrivatePgBouncer bouncer = PrivatePgBouncer.start(server, Mode.TRANSACTION, 3);
                FaultProxy proxy = FaultProxy.toPostgres(bouncer.port());
                Engine engine = EngineSettings.on(
                                on("postgresql://postgres@127.0.0.1:" + proxy.port() + "/" + database))
                        .withoutBackground()
                        .open()) {
            engine.operator().modes();
            proxy.atCommit(loss);
            Call<String> call = Call.of(Tenant.SINGLE, Key.of("k"), "k");
            Operation.Atomic<String, String> operation = Operation.atomic("pay", String.class, String.class);
            if (loss == FaultProxy.Loss.REPLY) {
                assertThat(engine.run(operation, call, (order, tx) -> paid(tx.connection())))
                        .isInstanceOf(Answer.Executed.class);
            } else {
                assertThatThrownBy(() -> engine.run(operation, call, (order, tx) -> paid(tx.connection())))
                        .isInstanceOf(SemelException.StoreUnavailable.class)
                        .hasMessageContaining("nothing was committed");
                assertThat(engine.run(operation, call, (order, tx) -> paid(tx.connection())))
                        .isInstanceOf(Answer.Executed.class);
            }
            assertThat(number("SELECT count(*) FROM effect")).isEqualTo(1);
        }
    }

    private static String paid(Connection connection) throws SQLException {
        EffectFixture.insert(connection, "k");
        return "paid";
    }

    @Test
    void doctorReportsThePoolerAndItsCost() {
        try (PrivatePgBouncer bouncer = PrivatePgBouncer.start(server, Mode.TRANSACTION, 3);
                Store pooled = on(bouncer.url(database));
                Store plain = on(server.url(database))) {
            assertThat(pooled.inspect().findings())
                    .filteredOn(finding -> finding.setting().equals("connection_pooler"))
                    .extracting(Inspection.CheckedSetting::value)
                    .containsExactly("yes");
            assertThat(pooled.signals()).isEmpty();
            assertThat(plain.inspect().findings())
                    .filteredOn(finding -> finding.setting().equals("connection_pooler"))
                    .extracting(Inspection.CheckedSetting::value)
                    .containsExactly("no");
            assertThat(plain.signals()).isPresent();
        }
    }

    @Test
    void statementThatChangesASharedSessionIsRejected() {
        try (PrivatePgBouncer bouncer = PrivatePgBouncer.start(server, Mode.TRANSACTION, 3);
                Engine engine = engine(on(bouncer.url(database)))) {
            Answer<String> answer = engine.run(PAY, Call.of(Tenant.SINGLE, Key.of("k"), "k"), (order, tx) -> {
                try (Statement statement = tx.connection().createStatement()) {
                    statement.execute("SET search_path = pg_catalog");
                }
                return "never";
            });
            assertThat(answer).isInstanceOfAny(Answer.RetryLater.class, Answer.Failed.class);
        }
    }

    @Test
    void schemaThatThePoolerDoesNotPassOnIsRejectedAtOpening() throws SQLException {
        try (Connection connection = direct();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA elsewhere");
        }
        try (PrivatePgBouncer bouncer = PrivatePgBouncer.start(server, Mode.TRANSACTION, 3)) {
            assertThatThrownBy(() -> on(bouncer.url(database) + "?currentSchema=elsewhere"))
                    .isInstanceOf(SemelException.Misconfigured.class)
                    .hasMessageContaining("ALTER ROLE");
        }
    }
}
