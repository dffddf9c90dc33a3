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
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of the README, compiled and run. */
class ReadmeTest {
    @TempDir
    Path directory;

    private String url = "";
    private final Tenant tenant = Tenant.of("acme");
    private final Order order = new Order("o-17", 4200);
    private final Psp psp = new Psp();

    record Order(String id, long cents) {}

    record Receipt(String number) {}

    record Refund(String orderId) {}

    record RefundId(String value) {}

    // region operations
    static final Operation.Atomic<Order, Receipt> CHARGE = Operation.atomic("charge", Order.class, Receipt.class);
    static final Operation.Leased<Refund, RefundId> REFUND =
            Operation.leased("refund", Refund.class, RefundId.class).withPolicy("http.client");
    // endregion

    record Mail(String customer, String text) {}

    // region channels
    static final Channel.Leased<Mail> MAIL =
            Channel.leased("mail", Mail.class).withPolicy("http.client").withLane(Mail::customer);
    // endregion

    @BeforeEach
    void makeTable() {
        url = "sqlite:" + directory.resolve("shop.db");
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
    void theFirstExample() {
        // region first
        Semel semel = Semel.open(url);

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
    void theOutsideWorld() {
        Refund refund = new Refund("o-17");
        try (Semel semel = Semel.open(url)) {
            // region leased
            Answer<RefundId> answer = semel.run(
                    REFUND,
                    Call.of(tenant, Key.of(refund.orderId()), refund),
                    (r, run) -> run.step("psp", RefundId.class, key -> psp.refund(r, key)));

            semel.reconcile(
                    REFUND,
                    (r, interrupted) -> psp.find(interrupted.downstreamKey())
                            .<Verdict<RefundId>>map(Verdict.TookEffect::new)
                            .orElseGet(Verdict.NoEffect::new));
            // endregion
            assertThat(answer.orThrow()).isEqualTo(new RefundId("refund-1"));
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
    void aPolicyOfOnesOwn() {
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

    /** A payment service that checks the key it is given. */
    private static final class Psp {
        private final Map<String, RefundId> refunds = new HashMap<>();

        RefundId refund(Refund refund, String key) {
            return refunds.computeIfAbsent(key, k -> new RefundId("refund-" + (refunds.size() + 1)));
        }

        java.util.Optional<RefundId> find(String key) {
            return java.util.Optional.ofNullable(refunds.get(key));
        }
    }

    @Test
    void theExampleOfAChannel() throws Exception {
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
