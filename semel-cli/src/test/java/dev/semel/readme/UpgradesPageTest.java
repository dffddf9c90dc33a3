package dev.semel.readme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Operation.Migration;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.jdbc.shared.Schema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What docs/upgrades.md says of payloads that change between two deployments. */
@Timeout(300)
class UpgradesPageTest {
    record OldOrder(String id, int amount) {}

    record NewOrder(String id, int amount, @Nullable String currency) {}

    record LessOrder(String id) {}

    record RenamedOrder(String id, @Nullable Integer cents) {}

    record ReorderedOrder(double amount, String id) {}

    record TypedOrder(String id, int[] amount) {}

    record Receipt(String number) {}

    record OtherReceipt(int[] number) {}

    private static final Operation.Atomic<OldOrder, Receipt> OLD =
            Operation.atomic("place", OldOrder.class, Receipt.class);

    // region declared
    static final Operation.Atomic<NewOrder, Receipt> PLACE =
            Operation.atomic("place", NewOrder.class, Receipt.class).withDefault("currency", "EUR");
    // endregion

    record OrderInEuros(String id, int euros) {}

    record OrderInCents(String id, int cents) {}

    record Order(String id, int cents, String currency) {}

    // region migration
    static final Channel.Atomic<Order> ORDERS = Channel.atomic("orders", Order.class)
            .withSchemaVersion(
                    3,
                    Migration.of(
                            1,
                            OrderInEuros.class,
                            OrderInCents.class,
                            old -> new OrderInCents(old.id(), old.euros() * 100)),
                    Migration.ofJson(2, fields -> {
                        fields.put("currency", "EUR");
                        return fields;
                    }));
    // endregion

    // region inverse
    static final Operation.Atomic<OrderInCents, Receipt> BOOK = Operation.atomic(
                    "book", OrderInCents.class, Receipt.class)
            .withSchemaVersion(
                    2,
                    Migration.of(
                                    1,
                                    OrderInEuros.class,
                                    OrderInCents.class,
                                    old -> new OrderInCents(old.id(), old.euros() * 100))
                            .withInverse(order -> new OrderInEuros(order.id(), order.cents() / 100)));
    // endregion

    @TempDir
    Path directory;

    private String store() {
        return "sqlite:" + directory.resolve("ledger.db");
    }

    private static <P, R> Answer<R> run(Semel semel, Operation.Atomic<P, R> operation, P payload, R result) {
        return semel.run(operation, Call.of(Tenant.SINGLE, Key.of("o-1"), payload), (each, tx) -> result);
    }

    private void takenByTheOldCode() {
        try (Semel semel = Semel.open(store())) {
            run(semel, OLD, new OldOrder("o-1", 42), new Receipt("r-1")).orThrow();
        }
    }

    private <P> Answer<Receipt> retriedByTheNewCode(Operation.Atomic<P, Receipt> operation, P payload) {
        try (Semel semel = Semel.open(store())) {
            return run(semel, operation, payload, new Receipt("another"));
        }
    }

    private static <P> Operation.Atomic<P, Receipt> place(Class<P> payload) {
        return Operation.atomic("place", payload, Receipt.class);
    }

    @Test
    void newFieldIsAConflictUnlessItIsDeclared() {
        takenByTheOldCode();
        assertThat(retriedByTheNewCode(place(NewOrder.class), new NewOrder("o-1", 42, null)))
                .isInstanceOf(Answer.Conflict.class);
        assertThat(retriedByTheNewCode(place(NewOrder.class).withNullsAsAbsent(), new NewOrder("o-1", 42, null)))
                .isInstanceOf(Answer.Replayed.class);
        assertThat(retriedByTheNewCode(PLACE, new NewOrder("o-1", 42, "EUR"))).isInstanceOf(Answer.Replayed.class);
        assertThat(retriedByTheNewCode(PLACE, new NewOrder("o-1", 42, "USD"))).isInstanceOf(Answer.Conflict.class);
    }

    @Test
    void removedAndRenamedFieldsAreConflictsAndOrderAndFormOfNumbersAreNot() {
        takenByTheOldCode();
        assertThat(retriedByTheNewCode(place(LessOrder.class), new LessOrder("o-1")))
                .isInstanceOf(Answer.Conflict.class);
        assertThat(retriedByTheNewCode(place(RenamedOrder.class), new RenamedOrder("o-1", 42)))
                .isInstanceOf(Answer.Conflict.class);
        assertThat(retriedByTheNewCode(place(ReorderedOrder.class), new ReorderedOrder(42.0, "o-1")))
                .isInstanceOf(Answer.Replayed.class);
    }

    @Test
    void resultThatTheNewTypeCannotReadIsAnErrorAndNothingRuns() {
        takenByTheOldCode();
        try (Semel semel = Semel.open(store())) {
            var changed = Operation.atomic("place", OldOrder.class, OtherReceipt.class);
            assertThatThrownBy(() -> run(semel, changed, new OldOrder("o-1", 42), new OtherReceipt(new int[0])))
                    .isInstanceOf(SemelException.Invalid.class)
                    .hasMessageContaining("let it still accept the older form");
        }
    }

    @Test
    void renamedOperationDoesNotFindItsRecords() {
        takenByTheOldCode();
        var renamed = Operation.atomic("place-order", OldOrder.class, Receipt.class);
        assertThat(retriedByTheNewCode(renamed, new OldOrder("o-1", 42))).isInstanceOf(Answer.Executed.class);
    }

    private <P> String readByTheNewCode(Class<P> payload) throws Exception {
        try (Semel semel = Semel.open(store())) {
            semel.send(
                            Channel.atomic("orders", OldOrder.class),
                            Message.of(Tenant.SINGLE, Key.of(payload.getSimpleName()), new OldOrder("o-1", 42)))
                    .orThrow();
        }
        var read = new LinkedBlockingQueue<String>();
        try (Semel semel = Semel.open(store())) {
            semel.handle(Channel.atomic("orders", payload), (each, tx) -> read.add(String.valueOf(each)));
            String first = read.poll(30, TimeUnit.SECONDS);
            return first == null ? "nothing" : first;
        }
    }

    @Test
    void messagesOfTheOldCodeAreReadByTheNewCode() throws Exception {
        assertThat(readByTheNewCode(NewOrder.class)).isEqualTo("NewOrder[id=o-1, amount=42, currency=null]");
        assertThat(readByTheNewCode(LessOrder.class)).isEqualTo("LessOrder[id=o-1]");
        assertThat(readByTheNewCode(RenamedOrder.class)).isEqualTo("RenamedOrder[id=o-1, cents=null]");
        assertThat(readByTheNewCode(ReorderedOrder.class)).isEqualTo("ReorderedOrder[amount=42.0, id=o-1]");
    }

    @Test
    void messageOfAnOlderVersionIsMigratedAndItsRetryIsADuplicate() throws Exception {
        try (Semel semel = Semel.open(store())) {
            semel.send(
                            Channel.atomic("orders", OrderInEuros.class),
                            Message.of(Tenant.SINGLE, Key.of("o-1"), new OrderInEuros("o-1", 42)))
                    .orThrow();
        }
        var read = new LinkedBlockingQueue<Order>();
        try (Semel semel = Semel.open(store())) {
            Order order = new Order("o-1", 4200, "EUR");
            semel.handle(ORDERS, (each, tx) -> read.add(each));
            assertThat(read.poll(30, TimeUnit.SECONDS)).isEqualTo(order);
            assertThat(semel.send(ORDERS, Message.of(Tenant.SINGLE, Key.of("o-1"), order))
                            .orThrow()
                            .first())
                    .isFalse();
        }
    }

    @Test
    void retryOfAnOlderAtomicCallIsRecognisedByTheInverse() {
        try (Semel semel = Semel.open(store())) {
            run(
                    semel,
                    Operation.atomic("book", OrderInEuros.class, Receipt.class),
                    new OrderInEuros("o-1", 42),
                    new Receipt("r"));
        }
        assertThat(retriedByTheNewCode(BOOK, new OrderInCents("o-1", 4200))).isInstanceOf(Answer.Replayed.class);
        assertThat(retriedByTheNewCode(BOOK, new OrderInCents("o-1", 42))).isInstanceOf(Answer.Conflict.class);
    }

    @Test
    void twoDeclarationsOfOneNameInOneProcessAreRefused() {
        try (Semel semel = Semel.open("memory:")) {
            semel.handle(Channel.atomic("orders", OldOrder.class), (each, tx) -> {});
            assertThatThrownBy(() -> semel.handle(Channel.leased("orders", TypedOrder.class), (each, run) -> {}))
                    .isInstanceOf(SemelException.Invalid.class);
        }
    }

    @Test
    void pageNamesTheSchemaVersionOfThisCode() throws IOException {
        assertThat(Files.readString(PageFiles.repository().resolve("docs/upgrades.md")))
                .contains("**schema version " + Schema.VERSION + "**");
    }
}
