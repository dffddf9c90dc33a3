package dev.semel.readme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Reconciler.Verdict;
import dev.semel.Semel;
import dev.semel.Tenant;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/** The examples of docs/choosing.md, run. */
@Timeout(300)
class ChoosingTest {
    private static final Policy BRISK = Policy.named("brisk").withoutBackoff().build();
    private static final Operation.Atomic<Order, Receipt> PLACE = Operation.atomic("place", Order.class, Receipt.class);
    private static final Operation.Leased<Order, String> PAY =
            Operation.leased("pay", Order.class, String.class).withPolicy(BRISK);
    private static final Channel.Leased<Order> CAPTURE =
            Channel.leased("capture", Order.class).withPolicy(Policy.HTTP_CLIENT);

    // region guards
    static final Operation.Leased<Order, String> REFUND = Operation.leased("refund", Order.class, String.class)
            .withValidation(order -> order.cents() > 0 ? List.of() : List.of("the amount must be positive"))
            .withRateLimit(Channel.RateLimit.perSecond(50).withPerTenant(10))
            .withBreaker(Channel.Breaker.usual());
    // endregion

    record Order(String id, long cents) {}

    record Receipt(String number) {}

    @TempDir
    Path directory;

    private final Tenant tenant = Tenant.of("acme");
    private final Order order = new Order("o-1", 4200);
    private final Psp psp = new Psp();
    private final Invoices invoices = new Invoices();
    private DataSource pool = new SQLiteDataSource();

    @SuppressWarnings("NullAway.Init")
    private Semel semel;

    @BeforeEach
    void open() throws SQLException {
        SQLiteDataSource source = new SQLiteDataSource();
        source.setUrl("jdbc:sqlite:" + directory.resolve("shop.db"));
        pool = source;
        semel = Semel.open(pool);
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE orders (id TEXT, cents INTEGER)");
        }
    }

    @AfterEach
    void close() {
        semel.close();
    }

    @Test
    void callIsCheckedBeforeAnythingIsStored() {
        Order nothing = new Order("o-0", 0);
        Answer<String> rejected = semel.run(REFUND, Call.of(tenant, Key.of("o-0"), nothing), (each, run) -> "refunded");
        assertThat(rejected).isInstanceOf(Answer.Rejected.class);
        assertThat(semel.status(REFUND, tenant, Key.of("o-0"))).isEmpty();
        assertThat(semel.run(REFUND, Call.of(tenant, Key.of("o-1"), order), (each, run) -> "refunded")
                        .orThrow())
                .isEqualTo("refunded");
    }

    @Test
    void connectionIsRetriedWithoutAKey() {
        // region retry
        String session =
                semel.retry(Call.Keyless.of("psp.connect", Policy.NATS_CONNECT).asHarmless(), psp::connect);
        // endregion
        assertThat(session).isEqualTo("session");
    }

    private static void insertOrder(Connection connection, Order order) throws SQLException {
        try (var insert = connection.prepareStatement("INSERT INTO orders VALUES (?, ?)")) {
            insert.setString(1, order.id());
            insert.setLong(2, order.cents());
            insert.executeUpdate();
        }
    }

    private int orders() throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM orders")) {
            return row.getInt(1);
        }
    }

    @Test
    void exampleOfASplitCapturesOnceForEachOrder() throws SQLException {
        // region split
        semel.handle(CAPTURE, (order, run) -> psp.capture(order.id(), order.cents(), run.downstreamKey()));

        Receipt receipt = semel.run(PLACE, Call.of(tenant, Key.of(order.id()), order), (o, tx) -> {
                    insertOrder(tx.connection(), o);
                    tx.send(CAPTURE, Key.of(o.id()), o);
                    return new Receipt("r-" + o.id());
                })
                .orThrow();
        // endregion
        assertThat(receipt).isEqualTo(new Receipt("r-o-1"));
        while (psp.captured.isEmpty()) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(orders()).isEqualTo(1);
    }

    private Answer<String> pay() {
        // region leased
        Answer<String> answer = semel.run(PAY, Call.of(tenant, Key.of(order.id()), order), (o, run) -> {
            String payment = run.step("capture", String.class, key -> psp.capture(o.id(), o.cents(), key));
            run.step("invoice", String.class, key -> invoices.create(o.id(), payment, key));
            return payment;
        });
        // endregion
        return answer;
    }

    @Test
    void stepThatIsDoneIsNotRepeatedWhenALaterOneFails() {
        invoices.failure =
                Optional.of(Failure.of(Failure.Category.RATE_LIMITED, "Busy.").asException());
        assertThat(pay().orThrow()).isEqualTo("payment-1");
        assertThat(psp.calls).hasValue(1);
        assertThat(invoices.calls).hasValue(2);
    }

    @Test
    void exampleOfAReconcilerDecidesAboutAnInterruptedStep() {
        psp.dies = true;
        assertThat(pay()).isInstanceOf(Answer.Unknown.class);
        assertThat(pay()).as("nobody decides").isInstanceOf(Answer.Unknown.class);
        reconcile();
        Answer<String> answer = pay();
        while (!answer.isResult()) {
            LockSupport.parkNanos(10_000_000);
            answer = pay();
        }
        assertThat(answer.orThrow()).isEqualTo("payment-1");
        assertThat(psp.calls).hasValue(1);
    }

    private void reconcile() {
        // region reconcile
        semel.reconcile(
                PAY,
                (o, interrupted) -> interrupted.bySteps(step -> psp.find(step.downstreamKey())
                        .map(Verdict::tookEffect)
                        .orElseGet(() -> psp.isBusy() ? Verdict.stillUnknown("pending") : Verdict.noEffect())));
        // endregion
    }

    @Test
    void exampleOfAJoinedTransactionCommitsTheOrderWithItsMessage() throws SQLException {
        // region join
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try (Semel.Joined joined = semel.join(connection)) {
                insertOrder(connection, order);
                joined.send(CAPTURE, Message.of(tenant, Key.of(order.id()), order));
                connection.commit();
                joined.committed();
            }
        }
        // endregion
        assertThat(orders()).isEqualTo(1);
        semel.handle(CAPTURE, (each, run) -> psp.capture(each.id(), each.cents(), run.downstreamKey()));
        while (psp.captured.isEmpty()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void exampleOfATransactionOfSemelCommitsTheOrderWithItsMessage() throws SQLException {
        semel.handle(CAPTURE, (each, run) -> psp.capture(each.id(), each.cents(), run.downstreamKey()));
        // region transaction
        semel.inTransaction(tx -> {
            insertOrder(tx.connection(), order);
            tx.send(CAPTURE, Message.of(tenant, Key.of(order.id()), order));
            return order.id();
        });
        // endregion
        assertThat(orders()).isEqualTo(1);
        while (psp.captured.isEmpty()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** A payment service that can fail after it has captured. */
    private static final class Psp {
        private final Map<String, String> captured = new ConcurrentHashMap<>();
        private final AtomicInteger calls = new AtomicInteger();
        private boolean dies;

        String connect() {
            return "session";
        }

        String capture(String order, long cents, String key) throws IOException {
            assertThat(order).isNotEmpty();
            assertThat(cents).isPositive();
            String payment = "payment-" + calls.incrementAndGet();
            captured.put(key, payment);
            if (dies) {
                throw new IOException("The connection was lost.");
            }
            return payment;
        }

        Optional<String> find(String key) {
            return Optional.ofNullable(captured.get(key));
        }

        boolean isBusy() {
            return false;
        }
    }

    /** Fails once. */
    private static final class Invoices {
        private final AtomicInteger calls = new AtomicInteger();
        private Optional<Failure.Thrown> failure = Optional.empty();

        String create(String order, String payment, String key) {
            calls.incrementAndGet();
            assertThat(key).isNotEmpty();
            Optional<Failure.Thrown> now = failure;
            failure = Optional.empty();
            now.ifPresent(thrown -> {
                throw thrown;
            });
            return order + "/" + payment;
        }
    }
}
