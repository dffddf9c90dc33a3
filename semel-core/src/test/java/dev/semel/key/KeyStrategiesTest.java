package dev.semel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Key.CallFacts;
import dev.semel.Key.Strategy;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyStrategiesTest {
    private static final Tenant ACME = Tenant.of("acme");
    private static final Instant AT = Instant.ofEpochSecond(1_800_000_000);
    private static final Call.Origin ORIGIN = Call.Origin.UNSTATED
            .withRequestId("m-1")
            .withCorrelationId("c-1")
            .withActor("ann", "user")
            .withSource("slack")
            .withAggregateVersion(7);

    record Order(@Nullable String id, @Nullable String thread, String text, int tries) {}

    private static final Order ORDER = new Order("o-1", "t-1", "yes, please", 0);

    private static CallFacts<Order> facts(@Nullable Order order, Call.Origin origin, Map<String, String> headers) {
        return new CallFacts<>("place", ACME, order, origin, headers);
    }

    private static Key key(Strategy<Order> strategy) {
        return strategy.of(facts(ORDER, ORIGIN, Map.of("idempotency-KEY", "k-1")));
    }

    private static void findsNothing(Strategy<Order> strategy) {
        assertThat(strategy.find(facts(null, Call.Origin.UNSTATED, Map.of()))).isEmpty();
        assertThat(strategy.find(facts(new Order(null, "", " ", 0), Call.Origin.UNSTATED, Map.of("other", "x"))))
                .isEmpty();
    }

    @Test
    void readyStrategiesMakeTheKeysOfTheSameName() {
        assertThat(key(KeyStrategies.messageId())).isEqualTo(Keys.messageId("m-1"));
        assertThat(key(KeyStrategies.messageId(Order::id))).isEqualTo(Keys.messageId("o-1"));
        assertThat(key(KeyStrategies.clientGiven("Idempotency-Key"))).isEqualTo(Keys.clientGiven("k-1"));
        assertThat(key(KeyStrategies.composite())).isEqualTo(Keys.composite("m-1", "c-1", "ann"));
        assertThat(key(KeyStrategies.operation(Order::id)))
                .isEqualTo(Keys.operation("slack", "m-1", "place", "o-1", 7L, null));
        assertThat(key(KeyStrategies.job("mail", "welcome", Order::id)))
                .isEqualTo(Keys.job(ACME, "mail", "welcome", "o-1"));
        assertThat(key(KeyStrategies.event("shop", Order::thread, Order::id)))
                .isEqualTo(Keys.event("shop", "t-1", "o-1"));
        assertThat(key(KeyStrategies.action("mail", Order::thread, order -> null, Order::id)))
                .isEqualTo(Keys.action("mail", "t-1", null, "o-1"));
        Duration width = Duration.ofSeconds(30);
        assertThat(key(KeyStrategies.textInBucket(Order::thread, Order::text, width, order -> AT)))
                .isEqualTo(Keys.textInBucket("t-1", "yes, please", width, AT));
        assertThat(key(KeyStrategies.value("order", Order::id))).isEqualTo(Key.of("val:order:o-1"));
    }

    @Test
    void strategyFindsNothingWhereWhatItLooksAtIsMissingOrEmpty() {
        findsNothing(KeyStrategies.messageId());
        findsNothing(KeyStrategies.messageId(Order::id));
        findsNothing(KeyStrategies.messageId(Order::thread));
        findsNothing(KeyStrategies.clientGiven("Idempotency-Key"));
        findsNothing(KeyStrategies.composite());
        findsNothing(KeyStrategies.operation(Order::id));
        findsNothing(KeyStrategies.job("mail", "welcome", Order::id));
        findsNothing(KeyStrategies.event("shop", Order::thread, Order::id));
        findsNothing(KeyStrategies.action("mail", Order::thread, Order::id, Order::id));
        findsNothing(KeyStrategies.textInBucket(order -> "s", Order::text, Duration.ofSeconds(1), order -> AT));
        findsNothing(KeyStrategies.value("order", Order::id));
        findsNothing(KeyStrategies.actor());
        findsNothing(KeyStrategies.all(KeyStrategies.contentHash(), KeyStrategies.actor()));
        findsNothing(KeyStrategies.firstOf(KeyStrategies.messageId(), KeyStrategies.actor()));
    }

    @Test
    void contentHashIsOfTheMeaningWithoutTransportFields() {
        Strategy<Order> hash = KeyStrategies.contentHash("tries");
        Key first = hash.of(facts(ORDER, ORIGIN, Map.of()));
        assertThat(hash.of(facts(new Order("o-1", "t-1", "yes, please", 3), Call.Origin.UNSTATED, Map.of())))
                .isEqualTo(first);
        assertThat(hash.of(facts(new Order("o-2", "t-1", "yes, please", 0), ORIGIN, Map.of())))
                .isNotEqualTo(first);
        byte[] raw = "{}".getBytes(StandardCharsets.UTF_8);
        Strategy<byte[]> bytes = KeyStrategies.contentHash();
        assertThat(bytes.of(new CallFacts<>("import", ACME, raw, ORIGIN, Map.of())))
                .isEqualTo(Keys.contentHash(raw));
    }

    @Test
    void fallbackIsAskedOnlyWhereTheFirstFindsNothing() {
        Strategy<Order> strategy = KeyStrategies.<Order>clientGiven("Idempotency-Key")
                .orElse(KeyStrategies.value("order", Order::id))
                .orElse(KeyStrategies.messageId());
        assertThat(key(strategy)).isEqualTo(Keys.clientGiven("k-1"));
        assertThat(strategy.of(facts(ORDER, ORIGIN, Map.of()))).isEqualTo(Key.of("val:order:o-1"));
        assertThat(strategy.of(facts(null, ORIGIN, Map.of()))).isEqualTo(Keys.messageId("m-1"));
        assertThatThrownBy(() -> strategy.of(facts(null, Call.Origin.UNSTATED, Map.of())))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining(
                        "place: no key found (looked for header Idempotency-Key, or else order, or else message id)")
                .hasMessageContaining("add a fallback with orElse");
    }

    @Test
    void partWithATimeBucketGivesTheWholeItsNeighboursAndItsLock() {
        Duration width = Duration.ofSeconds(30);
        Strategy<Order> strategy = KeyStrategies.all(
                KeyStrategies.actor(), KeyStrategies.textInBucket(Order::thread, Order::text, width, order -> AT));
        Strategy<Order> later = KeyStrategies.all(
                KeyStrategies.actor(),
                KeyStrategies.textInBucket(Order::thread, Order::text, width, order -> AT.plus(width)));
        assertThat(key(strategy).neighbours()).hasSize(2).contains(key(later).text());
        assertThat(key(later).neighbours()).contains(key(strategy).text());
        assertThat(key(later).lock()).isEqualTo(key(strategy).lock());
    }

    @Test
    void strategyThatThrowsIsNamed() {
        Strategy<Order> broken = new Strategy<>("order", facts -> {
            throw new IllegalStateException("simulated");
        });
        assertThatThrownBy(() -> key(broken))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("place: the key strategy \"order\" throws java.lang.IllegalStateException");
        assertThatThrownBy(() ->
                        KeyStrategies.<Order>clientGiven("k").of(facts(ORDER, ORIGIN, Map.of("k", "1", "K", "2"))))
                .hasMessageContaining("ambiguous");
    }

    @Test
    void operationsAndChannelsFindTheKeyThatTheirStrategyDeclares() {
        Strategy<Order> byHeader = KeyStrategies.clientGiven("key");
        Strategy<Order> strategy = KeyStrategies.firstOf(byHeader, KeyStrategies.value("order", Order::id));
        Key natural = Key.of("val:order:o-1");
        Operation.Atomic<Order, String> place = Operation.atomic("place", Order.class, String.class)
                .withKey(strategy)
                .withPolicy("default");
        assertThat(place.call(ACME, ORDER)).isEqualTo(Call.of(ACME, natural, ORDER));
        assertThat(place.call(ACME, ORDER, ORIGIN, Map.of("Key", "x")))
                .isEqualTo(Call.of(ACME, Keys.clientGiven("x"), ORDER).withOrigin(ORIGIN));
        Operation.Leased<Order, String> ship = Operation.leased("ship", Order.class, String.class)
                .withKey(strategy)
                .withSchemaVersion(2);
        assertThat(ship.call(ACME, ORDER).key()).isEqualTo(natural);
        List<Channel<Order>> channels = List.of(
                Channel.atomic("a", Order.class).withKey(strategy).withLane(Order::id),
                Channel.leased("l", Order.class).withKey(strategy).asUnrepeatable());
        channels.forEach(
                channel -> assertThat(channel.message(ACME, ORDER).key()).isEqualTo(natural));
        assertThat(channels.get(0)
                        .message(ACME, ORDER, ORIGIN, Map.of("key", "y"))
                        .origin())
                .isEqualTo(ORIGIN);
        assertThatThrownBy(() ->
                        Operation.atomic("place", Order.class, String.class).call(ACME, ORDER))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("place declares no key strategy");
        assertThat(Optional.ofNullable(place.definition().key())).isPresent();
    }
}
