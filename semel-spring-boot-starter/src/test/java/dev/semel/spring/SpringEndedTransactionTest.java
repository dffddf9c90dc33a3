package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.jdbc.ApplicationStore;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.StoreProvider;
import dev.semel.store.Switchboard;
import dev.semel.testkit.Await;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A16: a handler ends its transaction by way of JdbcTemplate, whose connection nobody guards. Whatever is said then, it is not
 * that the call was executed or rolled back, and the handler is not run again. Time-outs bound these tests, they never decide.
 */
@Timeout(300)
class SpringEndedTransactionTest {
    private static final Operation.Atomic<String, String> PAY =
            Operation.atomic("pay", String.class, String.class).withPolicy("thrice");
    private static final Operation.Atomic<String, String> PAY_ONCE =
            Operation.atomic("pay-once", String.class, String.class).withPolicy("once");
    private static final Channel.Atomic<String> ORDERS =
            Channel.atomic("orders", String.class).withPolicy("thrice");
    private static final String GUILTY = "guilty";
    private static final String MANY = "innocent-";

    /** What the guilty handler does after it has written its effect. */
    enum Way {
        COMMITS {
            @Override
            void on(JdbcTemplate jdbc) {
                jdbc.execute("COMMIT");
            }
        },
        COMMITS_AND_WRITES {
            @Override
            void on(JdbcTemplate jdbc) {
                jdbc.execute("COMMIT");
                after(jdbc);
            }
        },
        COMMITS_AND_CHAINS {
            @Override
            void on(JdbcTemplate jdbc) {
                jdbc.execute("COMMIT AND CHAIN");
            }
        },
        COMMITS_AND_THROWS {
            @Override
            void on(JdbcTemplate jdbc) {
                jdbc.execute("COMMIT");
                throw new IllegalStateException("after COMMIT");
            }
        },
        COMMITS_WRITES_AND_THROWS {
            @Override
            void on(JdbcTemplate jdbc) {
                jdbc.execute("COMMIT");
                after(jdbc);
                throw new IllegalStateException("after COMMIT");
            }
        },
        COMMITS_AND_FAILS_IN_SQL {
            @Override
            void on(JdbcTemplate jdbc) {
                jdbc.execute("COMMIT");
                jdbc.execute("SELECT 1 / 0");
            }
        },
        COMMITS_AND_SWALLOWS_A_FAILURE {
            @Override
            void on(JdbcTemplate jdbc) {
                jdbc.execute("COMMIT");
                try {
                    jdbc.execute("SELECT 1 / 0");
                } catch (DataAccessException e) {
                    assertThat(e).isNotNull();
                }
            }
        },
        ROLLS_BACK_AND_WRITES {
            @Override
            void on(JdbcTemplate jdbc) {
                jdbc.execute("ROLLBACK");
                after(jdbc);
            }
        };

        abstract void on(JdbcTemplate jdbc);

        private static void after(JdbcTemplate jdbc) {
            jdbc.update("INSERT INTO payment (order_id) VALUES ('after')");
        }
    }

    private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
    private HikariDataSource pool;
    private JdbcTransactionManager manager;
    private JdbcTemplate jdbc;
    private Engine engine;

    @BeforeEach
    void open() {
        pool = new HikariDataSource();
        pool.setJdbcUrl(Databases.POSTGRESQL.fresh());
        pool.setMaximumPoolSize(5);
        manager = new JdbcTransactionManager(pool);
        jdbc = new JdbcTemplate(pool);
        jdbc.execute("CREATE TABLE payment (order_id TEXT NOT NULL)");
        engine = EngineSettings.on(
                        ApplicationStore.on(pool, new SpringTransactions(manager, pool), StoreProvider.Options.DEFAULT))
                .withPolicy(Policy.named("thrice")
                        .withMaxAttempts(3)
                        .withoutBackoff()
                        .build())
                .withPolicy(
                        Policy.named("once").withMaxAttempts(1).withoutBackoff().build())
                .open();
    }

    @AfterEach
    void close() {
        engine.close();
        pool.close();
    }

    private static Call<String> call(String order) {
        return Call.of(Tenant.SINGLE, Key.of(order), order);
    }

    private String pay(String order, Way way) {
        runs.computeIfAbsent(order, none -> new AtomicInteger()).incrementAndGet();
        jdbc.update("INSERT INTO payment (order_id) VALUES (?)", order);
        if (order.equals(GUILTY)) {
            way.on(jdbc);
        }
        return "paid";
    }

    private int paid(String order) {
        Integer count = jdbc.queryForObject("SELECT count(*) FROM payment WHERE order_id = ?", Integer.class, order);
        return count == null ? 0 : count;
    }

    private Stream<State> state(String operation, String order) {
        return engine.operator().find(Tenant.SINGLE, operation, Key.of(order)).map(Row::status).stream()
                .map(status -> status.state());
    }

    private void ranOnce(Way way) {
        assertThat(runs.get(GUILTY)).hasValue(1);
        assertThat(paid(GUILTY)).isEqualTo(way == Way.ROLLS_BACK_AND_WRITES ? 0 : 1);
        assertThat(paid("after")).as("written after the end of the transaction").isZero();
    }

    @ParameterizedTest
    @EnumSource
    void a16_firstCallWhoseHandlerEndedItsTransactionGetsTransactionEnded(Way way) {
        assertThatThrownBy(() -> engine.run(PAY, call(GUILTY), (order, tx) -> pay(order, way)))
                .isInstanceOf(SemelException.TransactionEnded.class);
        ranOnce(way);
        assertThat(state("pay", GUILTY)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void a16_retriedCallWhoseHandlerEndedItsTransactionGetsTransactionEnded(Way way) {
        assertThat(engine.run(PAY_ONCE, call(GUILTY), (order, tx) -> {
                    throw new IllegalStateException("the first time");
                }))
                .isInstanceOf(Answer.RetryLater.class);
        assertThatThrownBy(() -> engine.run(PAY_ONCE, call(GUILTY), (order, tx) -> pay(order, way)))
                .isInstanceOf(SemelException.TransactionEnded.class);
        ranOnce(way);
        assertThat(state("pay-once", GUILTY)).containsExactly(State.FAILED_RETRYABLE);
    }

    @ParameterizedTest
    @EnumSource
    void a16_batchInWhichAHandlerEndedTheTransactionGetsTransactionEndedAndIsNotRunOneByOne(Way way) {
        List<Call<String>> calls = List.of(call(MANY + 1), call(GUILTY), call(MANY + 2));
        assertThatThrownBy(() -> engine.runAll(PAY, calls, (order, tx) -> pay(order, way)))
                .isInstanceOf(SemelException.TransactionEnded.class);
        ranOnce(way);
        assertThat(runs.get(MANY + 1)).hasValue(1);
        calls.forEach(call -> assertThat(state("pay", call.payload())).isEmpty());
    }

    @ParameterizedTest
    @EnumSource
    void a16_shadowedCallWhoseHandlerEndedItsTransactionGetsTransactionEnded(Way way) throws Exception {
        engine.operator()
                .setMode(new Switchboard.Setting(null, "pay", Mode.SHADOW), new Warrant("tester", "a dry run"));
        engine.operator().awaitModes();
        assertThatThrownBy(() -> engine.run(PAY, call(GUILTY), (order, tx) -> pay(order, way)))
                .isInstanceOf(SemelException.TransactionEnded.class);
        ranOnce(way);
    }

    @ParameterizedTest
    @EnumSource
    void a16_callInTheCallersTransactionWhoseHandlerEndedItGetsTransactionEnded(Way way) {
        assertThatThrownBy(() -> new TransactionTemplate(manager).execute(status -> {
                    try (var joined = engine.join(DataSourceUtils.getConnection(pool))) {
                        return joined.run(PAY, call(GUILTY), (order, tx) -> pay(order, way));
                    }
                }))
                .isInstanceOf(SemelException.TransactionEnded.class);
        ranOnce(way);
        assertThat(state("pay", GUILTY)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void a16_messageWhoseHandlerEndedItsTransactionIsUnknown(Way way) throws Exception {
        engine.handle(ORDERS, (order, tx) -> pay(order, way));
        engine.send(ORDERS, Message.of(Tenant.SINGLE, Key.of(GUILTY), GUILTY));
        assertThat(settled(GUILTY)).isEqualTo(State.UNKNOWN);
        ranOnce(way);
    }

    @ParameterizedTest
    @EnumSource
    void a16_messagesOfOneTransactionThatAHandlerEndedAreCompletedWithTheirEffectOrUnknown(Way way) throws Exception {
        List<String> orders =
                IntStream.range(0, 12).mapToObj(i -> i == 5 ? GUILTY : MANY + i).toList();
        engine.sendAll(
                ORDERS,
                orders.stream()
                        .map(order -> Message.of(Tenant.SINGLE, Key.of(order), order))
                        .toList());
        engine.handle(ORDERS, (order, tx) -> pay(order, way));
        for (String order : orders) {
            State state = settled(order);
            assertThat(state).as(order).isIn(State.COMPLETED, State.UNKNOWN);
            if (state == State.COMPLETED) {
                assertThat(paid(order)).as(order).isEqualTo(1);
            }
        }
        assertThat(settled(GUILTY)).isEqualTo(State.UNKNOWN);
        ranOnce(way);
    }

    /** The state in which it stays: no node runs it, or will. */
    private State settled(String order) {
        return Await.until(
                order + " is settled",
                () -> state("orders", order).findFirst().orElseThrow(),
                state -> !Set.of(State.QUEUED, State.IN_PROGRESS, State.FAILED_RETRYABLE)
                        .contains(state));
    }
}
