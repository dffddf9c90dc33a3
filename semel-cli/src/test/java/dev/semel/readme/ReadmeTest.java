package dev.semel.readme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Reconciler.Verdict;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.time.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteDataSource;

/** The examples of the README, compiled and run. */
class ReadmeTest {
    @TempDir
    Path directory;

    private String url = "";
    private final Tenant tenant = Tenant.of("acme");
    private final Order order = new Order("o-17", 4200);
    private final ManualTime time = new ManualTime(System.currentTimeMillis());
    private Psp psp = new Psp(Path.of("."));

    record Order(String id, long cents) {}

    record Receipt(String number) {}

    record Refund(String orderId) {}

    record RefundId(String value) {}

    // region operations
    static final Operation.Atomic<Order, Receipt> CHARGE = Operation.atomic("charge", Order.class, Receipt.class);
    static final Operation.Leased<Refund, RefundId> REFUND =
            Operation.leased("refund", Refund.class, RefundId.class).withPolicy(Policy.HTTP_CLIENT);
    // endregion

    record Mail(String customer, String text) {}

    // region channels
    static final Channel.Leased<Mail> MAIL =
            Channel.leased("mail", Mail.class).withPolicy(Policy.HTTP_CLIENT).withLane(Mail::customer);
    // endregion

    @BeforeEach
    void makeTable() {
        url = "sqlite:" + directory.resolve("shop.db");
        psp = new Psp(directory);
        try (Semel semel = Semel.open(url)) {
            var table = Operation.atomic("make-table", String.class, Void.class);
            semel.run(table, Call.of(tenant, Key.of("1"), "payment"), (name, tx) -> {
                try (Statement statement = tx.connection().createStatement()) {
                    statement.execute("CREATE TABLE payment (id TEXT, cents INTEGER)");
                }
                return null;
            });
        }
    }

    private static Receipt insertPayment(Connection connection, Order order) throws SQLException {
        try (var insert = connection.prepareStatement("INSERT INTO payment VALUES (?, ?)")) {
            insert.setString(1, order.id());
            insert.setLong(2, order.cents());
            insert.executeUpdate();
        }
        return new Receipt("r-" + order.id());
    }

    @Test
    void firstExample() {
        SQLiteDataSource dataSource = new SQLiteDataSource();
        dataSource.setUrl("jdbc:" + url);
        // region first
        Semel semel = Semel.open(dataSource);

        Receipt receipt = semel.run(
                        CHARGE,
                        Call.of(tenant, Key.of(order.id()), order),
                        (o, tx) -> insertPayment(tx.connection(), o))
                .orThrow();
        // endregion
        try (semel) {
            assertThat(receipt).isEqualTo(new Receipt("r-o-17"));
            Answer<Receipt> again = semel.run(CHARGE, Call.of(tenant, Key.of(order.id()), order), (o, tx) -> {
                throw new AssertionError("it ran a second time");
            });
            assertThat(again).isInstanceOf(Answer.Replayed.class);
            assertThat(again.orThrow()).isEqualTo(receipt);
        }
    }

    @Test
    void outsideWorld() {
        try (Semel semel = Semel.open(url)) {
            assertThat(refund(semel, new Refund("o-17")).orThrow()).isEqualTo(new RefundId("refund-1"));
        }
    }

    private Answer<RefundId> refund(Semel semel, Refund refund) {
        // region leased
        Answer<RefundId> answer = semel.run(
                REFUND,
                Call.of(tenant, Key.of(refund.orderId()), refund),
                (r, run) -> run.step("psp", RefundId.class, key -> psp.refund(r, key)));

        semel.reconcile(
                REFUND,
                (r, interrupted) -> interrupted.bySteps(step -> psp.find(step.downstreamKey())
                        .map(Verdict::tookEffect)
                        .orElseGet(() -> psp.hasPending() ? Verdict.stillUnknown("pending") : Verdict.noEffect())));
        // endregion
        return answer;
    }

    @Test
    void a18_processDiesInsideTheStepAfterTheRefund() throws Exception {
        die("after");
        assertThat(again()).isInstanceOf(Answer.Unknown.class);
        assertThat(again().orThrow()).isEqualTo(new RefundId("refund-1"));
        assertThat(psp.refunds()).isEqualTo(1);
        assertThat(again()).isInstanceOf(Answer.Replayed.class);
    }

    @Test
    void a18_processDiesInsideTheStepBeforeTheRefund() throws Exception {
        die("before");
        Files.createFile(directory.resolve("busy"));
        assertThat(again()).isInstanceOf(Answer.Unknown.class);
        assertThat(again()).as("the PSP may still perform it").isInstanceOf(Answer.Unknown.class);
        Files.delete(directory.resolve("busy"));
        assertThat(again()).isInstanceOf(Answer.Unknown.class);
        assertThat(again().orThrow()).isEqualTo(new RefundId("refund-1"));
        assertThat(psp.refunds()).isEqualTo(1);
    }

    /** Another process begins the refund and dies inside its step. */
    private void die(String when) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        DyingRefund.class.getName(),
                        url,
                        directory.toString(),
                        when)
                .inheritIO()
                .start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isEqualTo(DyingRefund.DIED);
    }

    /** One process more, some minutes later: it asks once, and its reconciler is asked. */
    private Answer<RefundId> again() {
        time.advance(Duration.ofMinutes(10));
        Store store = Stores.open(url, new StoreProvider.Options(time, false));
        try (Engine engine =
                EngineSettings.on(store).withTime(time).withoutBackground().open()) {
            Answer<RefundId> answer = refund(engine, new Refund("o-17"));
            engine.duties().reconciliation().reconcile();
            return answer;
        }
    }

    /** Begins a refund, as the README says, and dies inside its step. */
    static final class DyingRefund {
        static final int DIED = 42;

        public static void main(String[] arguments) {
            Psp psp = new Psp(Path.of(arguments[1]));
            Refund refund = new Refund("o-17");
            Semel semel = Semel.open(arguments[0]);
            semel.run(
                    REFUND,
                    Call.of(Tenant.of("acme"), Key.of(refund.orderId()), refund),
                    (r, run) -> run.step("psp", RefundId.class, key -> {
                        if (arguments[2].equals("after")) {
                            psp.refund(r, key);
                        }
                        Runtime.getRuntime().halt(DIED);
                        return null;
                    }));
        }
    }

    @Test
    void everyCaseOfAnAnswer() {
        try (Semel semel = Semel.open(url)) {
            Answer<Receipt> answer = semel.run(
                    CHARGE, Call.of(tenant, Key.of("k"), order), (o, tx) -> insertPayment(tx.connection(), o));
            // region fold
            String shown = answer.fold(
                    receipt -> "Paid: " + receipt.number(), notice -> notice.reason() + " You may: " + notice.next());
            // endregion
            assertThat(shown).isEqualTo("Paid: r-o-17");
        }
    }

    @Test
    void manyAtOnce() {
        List<Call<Order>> calls = List.of(Call.of(tenant, Key.of("a"), order), Call.of(tenant, Key.of("b"), order));
        try (Semel semel = Semel.open(url)) {
            // region batch
            List<Answer<Receipt>> answers = semel.runAll(CHARGE, calls, (o, tx) -> insertPayment(tx.connection(), o));
            // endregion
            assertThat(answers).hasSize(2).allMatch(Answer::isResult);
        }
    }

    @Test
    void policyOfOnesOwn() {
        // region policy
        Semel semel = Semel.settings(url)
                .withPolicy(Policy.named("psp")
                        .withMaxAttempts(5)
                        .withExponentialBackoff(Duration.ofMillis(250), 2, Duration.ofSeconds(30))
                        .withJitter(new Policy.Jitter.Full())
                        .withAttemptTimeout(Duration.ofSeconds(10))
                        .withRetention(Policy.Retention.PAYMENTS)
                        .build())
                .withLocalCache(10_000)
                .open();
        // endregion
        semel.close();
    }

    /** A payment service in a directory. It does not notice that it is asked twice. */
    private record Psp(Path directory) {
        RefundId refund(Refund refund, String key) throws IOException {
            RefundId id = new RefundId("refund-" + (refunds() + 1));
            Files.writeString(directory.resolve(id.value() + ".refund"), key);
            return id;
        }

        Optional<RefundId> find(String key) throws IOException {
            for (Path each : files()) {
                if (Files.readString(each).equals(key)) {
                    return Optional.of(
                            new RefundId(each.getFileName().toString().replace(".refund", "")));
                }
            }
            return Optional.empty();
        }

        boolean hasPending() {
            return Files.exists(directory.resolve("busy"));
        }

        int refunds() throws IOException {
            return files().size();
        }

        private List<Path> files() throws IOException {
            try (Stream<Path> all = Files.list(directory)) {
                return all.filter(each -> each.toString().endsWith(".refund")).toList();
            }
        }
    }

    @Test
    void exampleOfAChannel() throws Exception {
        var sentOut = new LinkedBlockingQueue<String>();
        var mailer = new Mailer(sentOut);
        try (Semel semel = Semel.open(url)) {
            // region handle
            semel.handle(MAIL, (mail, run) -> mailer.send(mail, run.downstreamKey()));
            // endregion
            // region send
            semel.run(CHARGE, Call.of(tenant, Key.of(order.id()), order), (o, tx) -> {
                Receipt receipt = insertPayment(tx.connection(), o);
                tx.send(MAIL, Key.of(o.id()), new Mail("c-1", "Paid: " + receipt.number()));
                return receipt;
            });
            // endregion
            assertThat(sentOut.poll(30, TimeUnit.SECONDS)).isEqualTo("Paid: r-o-17");
        }
    }

    private record Mailer(LinkedBlockingQueue<String> out) {
        void send(Mail mail, String key) {
            assertThat(key).isNotBlank();
            out.add(mail.text());
        }
    }
}
