package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Operation.Migration;
import dev.semel.Reconciler.Verdict;
import dev.semel.Sent;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator;
import dev.semel.operator.Replays;
import dev.semel.store.State;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A deployment changes a payload type while older payloads are queued, running, dead or remembered. */
abstract class MigrationSuite extends ChannelFixture {
    private static final Operator.Warrant WARRANT = new Operator.Warrant("ann", "the type is back");

    /** Amounts in euros. */
    record EuroPayment(String order, int euros) {}

    /** Amounts in cents. */
    record CentPayment(String order, int cents) {}

    record CurrencyPayment(String order, int cents, String currency) {}

    private static final Migration<EuroPayment, CentPayment> IN_CENTS =
            Migration.of(1, EuroPayment.class, CentPayment.class, MigrationSuite::inCents);
    private static final Migration<Map<String, Object>, Map<String, Object>> WITH_CURRENCY =
            Migration.ofJson(2, fields -> {
                fields.put("currency", "EUR");
                return fields;
            });

    private static final Channel.Leased<EuroPayment> V1 =
            Channel.leased("pay", EuroPayment.class).withPolicy("steady");
    private static final Channel.Leased<CentPayment> V2 =
            Channel.leased("pay", CentPayment.class).withPolicy("steady").withSchemaVersion(2, IN_CENTS);
    private static final Channel.Leased<CurrencyPayment> V3 = Channel.leased("pay", CurrencyPayment.class)
            .withPolicy("steady")
            .withSchemaVersion(3, IN_CENTS, WITH_CURRENCY);

    MigrationSuite(EngineContract contract) {
        super(contract);
    }

    private static CentPayment inCents(EuroPayment old) {
        if (old.order.startsWith("bad")) {
            throw new IllegalStateException("simulated: no such currency");
        }
        return new CentPayment(old.order, old.euros * 100);
    }

    private static <P> Message<P> message(String key, P payload) {
        return Message.of(ACME, Key.of(key), payload);
    }

    private static Message<EuroPayment> first(String key) {
        return message(key, new EuroPayment(key, 5));
    }

    private static CurrencyPayment third(String key) {
        return new CurrencyPayment(key, 500, "EUR");
    }

    private Channel.LeasedDelivery<CurrencyPayment> list() {
        return (payment, run) -> handled.add(payment.order + " " + payment.cents + payment.currency);
    }

    @Test
    void d13_messagesOfOlderVersionsAreDeliveredInThePresentOne() {
        Engine older = otherNode();
        older.send(V1, first("a"));
        older.send(V2, message("b", new CentPayment("b", 7)));
        engine.send(V3, message("c", new CurrencyPayment("c", 8, "CHF")));
        older.send(V1, Message.of(ACME, Key.of("none"), null));
        engine.handle(V3, (payment, run) -> handled.add(String.valueOf(payment)));
        work();
        assertThat(handled)
                .containsExactlyInAnyOrder(
                        third("a").toString(),
                        new CurrencyPayment("b", 7, "EUR").toString(),
                        new CurrencyPayment("c", 8, "CHF").toString(),
                        "null");
        assertThat(story(V1.operation(), "a")).containsExactly("operation.queued", "operation.executed");
    }

    @Test
    void d13_messageOfAnOlderVersionTakesEffectOnceInAnAtomicChannel() throws Exception {
        Channel.Atomic<EuroPayment> older =
                Channel.atomic("book-pay", EuroPayment.class).withPolicy("steady");
        Channel.Atomic<CurrencyPayment> present = Channel.atomic("book-pay", CurrencyPayment.class)
                .withPolicy("steady")
                .withSchemaVersion(3, WITH_CURRENCY, IN_CENTS);
        otherNode().send(older, first("a"));
        engine.handle(present, (payment, tx) -> effects.apply(tx, payment.order + payment.cents));
        work();
        assertThat(effects.count("a500")).isEqualTo(1);
        assertThat(engine.send(present, message("a", third("a"))).orThrow().first())
                .isFalse();
    }

    @Test
    void d13_migrationThatThrowsLeavesTheMessageToOthersAndThenItIsDeadWithItsStory() {
        Engine older = otherNode();
        List.of("a", "bad", "b").forEach(key -> older.send(V1, first(key)));
        engine.handle(V3, list());
        work();
        assertThat(handled).containsExactlyInAnyOrder("a 500EUR", "b 500EUR");
        assertThat(state(V1.operation(), "bad")).isEqualTo(State.QUEUED);
        workThrough(Duration.ofSeconds(513), 11);
        assertThat(state(V1.operation(), "bad")).isEqualTo(State.FAILED_TERMINAL);
        assertThat(Objects.requireNonNull(row(V1.operation(), "bad")).failure())
                .asString()
                .contains("mapping", "The migration of pay from schema version 1 throws");
        assertThat(story(V1.operation(), "bad")).containsExactly("operation.queued", "system.error");
    }

    @Test
    void d13_messageOfANewerVersionIsLeftToANodeThatKnowsIt() {
        Engine older = otherNode();
        older.handle(V2, (payment, run) -> handled.add("older " + payment.cents));
        engine.send(V3, message("c", new CurrencyPayment("c", 8, "CHF")));
        work(older);
        assertThat(handled).isEmpty();
        assertThat(state(V3.operation(), "c")).isEqualTo(State.QUEUED);
        assertThat(Objects.requireNonNull(row(V3.operation(), "c")).failure())
                .asString()
                .contains("schema version 3", "up to version 2");
        time.advance(Duration.ofSeconds(2));
        engine.handle(V3, list());
        work();
        assertThat(handled).containsExactly("c 8CHF");
    }

    @Test
    void d13_versionBeforeTheOldestMigrationIsNotRead() {
        otherNode().send(V1, first("a"));
        Channel.Leased<CurrencyPayment> withoutFirst = Channel.leased("pay", CurrencyPayment.class)
                .withPolicy("steady")
                .withSchemaVersion(3, WITH_CURRENCY);
        engine.handle(withoutFirst, list());
        work();
        assertThat(handled).isEmpty();
        assertThat(Objects.requireNonNull(row(V1.operation(), "a")).failure())
                .asString()
                .contains("schema version 1", "begin with version 2");
    }

    @Test
    void d13_retryOfAnOlderMessageIsADuplicateAndAnotherPayloadAConflict() {
        otherNode().send(V1, first("a"));
        assertThat(engine.send(V3, message("a", third("a"))).orThrow().first()).isFalse();
        // The same number in the JSON, and a hundredth of the amount.
        assertThat(engine.send(V2, message("a", new CentPayment("a", 5)))).isInstanceOf(Sent.Conflict.class);
        assertThat(engine.send(V3, message("a", new CurrencyPayment("a", 500, "CHF"))))
                .isInstanceOf(Sent.Conflict.class);
    }

    @Test
    void d13_operatorsReplayOfAnOlderDeadLetterRunsInThePresentVersion() {
        Engine older = otherNode();
        older.handle(V1, (payment, run) -> {
            throw failing(Failure.Category.VALIDATION);
        });
        older.send(V1, first("a"));
        work(older);
        assertThat(state(V1.operation(), "a")).isEqualTo(State.FAILED_TERMINAL);
        engine.handle(V3, list());
        assertThat(engine.operator().replay(id(V1.operation(), "a"), WARRANT)).isEqualTo(Replays.ReplayOutcome.DONE);
        work();
        assertThat(handled).containsExactly("a 500EUR");
        assertThat(state(V3.operation(), "a")).isEqualTo(State.COMPLETED);
    }

    private static final Operation.Leased<EuroPayment, Receipt> CAPTURE_V1 = Operation.leased(
                    "capture", EuroPayment.class, Receipt.class)
            .withPolicy("steady")
            .asRepeatable();
    private static final Operation.Leased<CurrencyPayment, Receipt> CAPTURE_V3 = Operation.leased(
                    "capture", CurrencyPayment.class, Receipt.class)
            .withPolicy("steady")
            .withSchemaVersion(3, IN_CENTS, WITH_CURRENCY)
            .asRepeatable();

    private static Call<EuroPayment> firstCall(String key) {
        return Call.of(ACME, Key.of(key), new EuroPayment(key, 5));
    }

    private static Call<CurrencyPayment> thirdCall(String key) {
        return Call.of(ACME, Key.of(key), third(key));
    }

    @Test
    void d13_interruptedRunOfAnOlderVersionIsTakenOverInThePresentOne() {
        engine.handle(CAPTURE_V3, (payment, run) -> {
            // A retry meanwhile is the same call, not a conflict.
            assertThat(engine.run(CAPTURE_V3, thirdCall("a"))).isInstanceOf(Answer.InProgress.class);
            return new Receipt(payment.cents + payment.currency + run.attempt());
        });
        otherNode().run(CAPTURE_V1, firstCall("a"), (payment, run) -> {
            time.advance(LEASE.multipliedBy(2));
            engine.duties().sweeper().sweep();
            return new Receipt("late");
        });
        assertReplayed(engine.run(CAPTURE_V3, thirdCall("a")), "500EUR2");
    }

    @Test
    void d13_retryContinuesAnInterruptedRunOfAnOlderVersion() {
        otherNode().run(CAPTURE_V1, firstCall("a"), (payment, run) -> {
            time.advance(LEASE.multipliedBy(2));
            assertExecuted(
                    engine.run(CAPTURE_V3, thirdCall("a"), (p, r) -> new Receipt(p.cents + p.currency + r.attempt())),
                    "500EUR2");
            return new Receipt("late");
        });
        assertReplayed(engine.run(CAPTURE_V3, thirdCall("a"), (p, r) -> new Receipt("never")), "500EUR2");
        assertReplayed(otherNode().run(CAPTURE_V3, thirdCall("a"), (p, r) -> new Receipt("never")), "500EUR2");
        assertThat(engine.run(
                        CAPTURE_V3,
                        Call.of(ACME, Key.of("a"), new CurrencyPayment("a", 5, "EUR")),
                        (p, r) -> new Receipt("never")))
                .isInstanceOf(Answer.Conflict.class);
    }

    @Test
    void d13_reconcilerOfAnInterruptedRunGetsThePresentVersion() {
        Operation.Leased<EuroPayment, Receipt> older = CAPTURE_V1.asUnrepeatable();
        Operation.Leased<CurrencyPayment, Receipt> present = CAPTURE_V3.asUnrepeatable();
        engine.reconcile(
                present, (payment, unknown) -> Verdict.tookEffect(new Receipt(payment.cents + payment.currency)));
        otherNode().run(older, firstCall("a"), (payment, run) -> {
            time.advance(LEASE.multipliedBy(2));
            engine.duties().sweeper().sweep();
            time.advance(Duration.ofMinutes(10));
            engine.duties().reconciliation().reconcile();
            return new Receipt("late");
        });
        assertReplayed(engine.run(present, thirdCall("a"), (p, r) -> new Receipt("never")), "500EUR");
    }

    @Test
    void d13_retryOfAnOlderAtomicCallIsTheSameCallIfTheMigrationHasAnInverse() {
        Operation.Atomic<EuroPayment, Receipt> older =
                Operation.atomic("credit", EuroPayment.class, Receipt.class).withPolicy("steady");
        Operation.Atomic<CentPayment, Receipt> present =
                Operation.atomic("credit", CentPayment.class, Receipt.class).withPolicy("steady");
        Call<CentPayment> retry = Call.of(ACME, Key.of("a"), new CentPayment("a", 500));
        otherNode().run(older, firstCall("a"), (payment, tx) -> new Receipt("first"));
        Operation.Atomic<CentPayment, Receipt> inverse = present.withSchemaVersion(
                2, IN_CENTS.withInverse(payment -> new EuroPayment(payment.order, payment.cents / 100)));
        assertReplayed(engine.run(inverse, retry, (payment, tx) -> new Receipt("never")), "first");
        assertThat(engine.run(
                        inverse,
                        Call.of(ACME, Key.of("a"), new CentPayment("a", 600)),
                        (payment, tx) -> new Receipt("never")))
                .isInstanceOf(Answer.Conflict.class);
        assertThat(engine.run(present.withSchemaVersion(2, IN_CENTS), retry, (payment, tx) -> new Receipt("never")))
                .as("only the fingerprint is kept, and nothing leads back to it")
                .isInstanceOf(Answer.Conflict.class);
    }
}
