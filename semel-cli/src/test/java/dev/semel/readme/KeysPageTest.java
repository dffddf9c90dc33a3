package dev.semel.readme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.AtomicContext;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.key.KeyStrategies;
import dev.semel.key.Keys;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples and claims of docs/keys.md, run. */
@Timeout(300)
class KeysPageTest {
    private static final Tenant ACME = Tenant.of("acme");
    private static final Channel.Leased<Mail> MAIL = Channel.leased("mail", Mail.class);

    record Order(String id, List<String> recipients) {}

    record Event(String id) {}

    record Mail(String to, String order) {}

    record Receipt(String number) {}

    record Delivery(
            String id, @Nullable String currency, @Nullable String receivedAt, int retries) {}

    // region fields
    static final Operation.Atomic<Delivery, Receipt> RECEIVE = Operation.atomic(
                    "receive", Delivery.class, Receipt.class)
            .withTransportFields("receivedAt", "retries")
            .withDefault("currency", "EUR");
    // endregion

    // region strategy
    static final Operation.Atomic<Order, Receipt> PLACE = Operation.atomic("place", Order.class, Receipt.class)
            .withKey(KeyStrategies.<Order>clientGiven("Idempotency-Key")
                    .orElse(KeyStrategies.value("order", Order::id)));
    static final Channel.Leased<Mail> MAILS = Channel.leased("mails", Mail.class)
            .withKey(KeyStrategies.all(
                    KeyStrategies.value("order", Mail::order), KeyStrategies.value("recipient", Mail::to)));
    // endregion

    private final Order order = new Order("o-17", List.of("ann@example.org", "bob@example.org"));
    private final Event event = new Event("evt_1");

    @Test
    void keysOfThePageAreDifferentForEachIntent() {
        String header = "3f1c";
        long refundNumber = 2;
        // region keys
        Key charge = Key.of(order.id());
        Key refund = Keys.operation("shop", null, "refund", order.id(), refundNumber, null);
        Key webhook = Keys.event("psp", order.id(), event.id());
        Key partner = Keys.clientGiven(header);
        // endregion
        assertThat(Set.of(charge, refund, webhook, partner)).hasSize(4);
        assertThat(Keys.composite("1", "23", null)).isNotEqualTo(Keys.composite("12", "3", null));
        assertThat(refund).isNotEqualTo(Keys.operation("shop", null, "refund", order.id(), 3L, null));
    }

    private void notifyAll(AtomicContext tx) {
        // region targets
        for (String recipient : order.recipients()) {
            tx.send(MAIL, Keys.action("mail", order.id(), recipient, event.id()), new Mail(recipient, order.id()));
        }
        // endregion
    }

    @Test
    void eachTargetOfAnEventGetsItsMessageOnce() {
        Set<String> reached = ConcurrentHashMap.newKeySet();
        var announce = Operation.atomic("announce", String.class, Void.class);
        try (Semel semel = Semel.open("memory:")) {
            semel.handle(MAIL, (mail, run) -> assertThat(reached.add(mail.to())).isTrue());
            for (int i = 0; i < 2; i++) {
                semel.run(announce, Call.of(ACME, Key.of("try-" + i), order.id()), (id, tx) -> {
                            notifyAll(tx);
                            return null;
                        })
                        .orThrow();
            }
            while (reached.size() < order.recipients().size()) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    @Test
    void declaredStrategiesFindTheKeysOfCallsAndMessages() {
        Map<String, String> headers = Map.of("idempotency-key", "k-1");
        try (Semel semel = Semel.open("memory:")) {
            // region strategy-use
            semel.run(PLACE, PLACE.call(ACME, order), (each, tx) -> new Receipt("r-" + each.id()));
            semel.run(PLACE, PLACE.call(ACME, order, Call.Origin.UNSTATED, headers), (each, tx) -> new Receipt("r-2"));
            semel.send(MAILS, MAILS.message(ACME, new Mail("ann@example.org", order.id())));
            // endregion
            assertThat(semel.run(PLACE, PLACE.call(ACME, order), (each, tx) -> new Receipt("never")))
                    .isInstanceOf(Answer.Replayed.class);
            assertThat(semel.send(MAILS, MAILS.message(ACME, new Mail("ann@example.org", order.id())))
                            .orThrow()
                            .first())
                    .isFalse();
            assertThat(semel.send(MAILS, MAILS.message(ACME, new Mail("bob@example.org", order.id())))
                            .orThrow()
                            .first())
                    .isTrue();
        }
        assertThatThrownBy(() -> PLACE.call(ACME, null)).hasMessageContaining("no key found");
    }

    @Test
    void predicateDecidesWhichFailuresAreRemembered() {
        // region stored
        Policy places = Policy.named("places")
                .failOn(IllegalStateException.class, Failure.Category.BUG)
                .withStoredFailures(thrown -> thrown instanceof IllegalStateException)
                .build();
        // endregion
        var place = PLACE.withPolicy(places);
        try (Semel semel = Semel.open("memory:")) {
            for (int i = 0; i < 2; i++) {
                assertThat(semel.run(place, place.call(ACME, order), (each, tx) -> {
                            assertThat(tries.add(each.id())).isTrue();
                            throw new IllegalStateException("sold out");
                        }))
                        .isInstanceOf(Answer.Failed.class);
            }
        }
    }

    private final Set<String> tries = ConcurrentHashMap.newKeySet();

    private static Answer<Receipt> receive(Semel semel, Tenant tenant, Delivery delivery) {
        return semel.run(
                RECEIVE, Call.of(tenant, Key.of(delivery.id()), delivery), (each, tx) -> new Receipt("r-" + each.id()));
    }

    @Test
    void declaredFieldsDoNotMakeARetryAConflictAndOthersDo() {
        try (Semel semel = Semel.open("memory:")) {
            assertThat(receive(semel, ACME, new Delivery("d-1", "EUR", "10:32", 0)))
                    .isInstanceOf(Answer.Executed.class);
            assertThat(receive(semel, ACME, new Delivery("d-1", null, "10:35", 3)))
                    .isInstanceOf(Answer.Replayed.class);
            assertThat(receive(semel, ACME, new Delivery("d-1", "USD", "10:36", 4)))
                    .isInstanceOf(Answer.Conflict.class);
            assertThat(receive(semel, Tenant.of("other"), new Delivery("d-1", "USD", null, 0)))
                    .as("another tenant's key")
                    .isInstanceOf(Answer.Executed.class);
        }
    }

    @Test
    void policyThatForgetsBeforeTheLastRedeliveryIsRefused() {
        // region redelivery
        Policy webhooks = Policy.named("psp-webhooks")
                .withRetention(Policy.Retention.WEBHOOKS)
                .withRedelivery(Duration.ofDays(3))
                .build();
        // endregion
        assertThat(webhooks.retention().success()).isGreaterThan(Duration.ofDays(3));
        assertThatThrownBy(() -> Policy.named("psp-webhooks")
                        .withRetention(Policy.Retention.API)
                        .withRedelivery(Duration.ofDays(3))
                        .build())
                .isInstanceOf(SemelException.Misconfigured.class);
    }
}
