package dev.semel.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Operation.TypeRef;
import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.key.JacksonCodec;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** Payloads and results of types with arguments, and by other codecs than the usual one. */
class TypesAndCodecTest {
    record Order(String id, int cents) {}

    private static final Operation.Atomic<List<Order>, Map<String, Order>> BOOK =
            Operation.atomic("book", new TypeRef<List<Order>>() {}, new TypeRef<Map<String, Order>>() {});
    private static final Operation.Leased<Order, List<Order>> SPLIT =
            Operation.leased("split", TypeRef.of(Order.class), new TypeRef<List<Order>>() {});
    private static final Channel.Leased<List<Order>> BOOKED = Channel.leased("booked", new TypeRef<List<Order>>() {});
    private static final List<Order> ORDERS = List.of(new Order("a", 1), new Order("b", 2));

    private static <P> Call<P> call(String key, P payload) {
        return Call.of(Tenant.SINGLE, Key.of(key), payload);
    }

    private static Map<String, Order> book(Semel semel) {
        return semel.run(
                        BOOK,
                        call("k", ORDERS),
                        (orders, tx) -> Map.of(orders.get(0).id(), orders.get(0)))
                .orThrow();
    }

    @Test
    void resultsAreReplayedWithTheirElements() {
        try (Semel semel = Semel.open("memory:")) {
            assertThat(book(semel)).containsExactly(Map.entry("a", new Order("a", 1)));
            assertThat(book(semel)).containsExactly(Map.entry("a", new Order("a", 1)));
            for (int i = 0; i < 2; i++) {
                List<Order> parts = semel.run(SPLIT, call("k", ORDERS.get(1)), (order, run) -> ORDERS)
                        .orThrow();
                assertThat(parts).isEqualTo(ORDERS);
            }
        }
    }

    @Test
    void stepsAreReplayedWithTheirElements() {
        Policy now = Policy.named("now").withoutBackoff().build();
        var steps = new AtomicInteger();
        try (Semel semel = Semel.open("memory:")) {
            List<Order> parts = semel.run(SPLIT.withPolicy(now), call("k", ORDERS.get(1)), (order, run) -> {
                        List<Order> split = run.step("split", new TypeRef<List<Order>>() {}, key -> {
                            steps.incrementAndGet();
                            return ORDERS;
                        });
                        if (run.attempt() == 1) {
                            throw Failure.of(Failure.Category.RATE_LIMITED, "Too many.")
                                    .asException();
                        }
                        Order last = Objects.requireNonNull(split).get(1);
                        return List.of(last);
                    })
                    .orThrow();
            assertThat(parts).containsExactly(ORDERS.get(1));
            assertThat(steps).hasValue(1);
        }
    }

    @Test
    void messagesAreHandledWithTheirElements() throws Exception {
        var handled = new LinkedBlockingQueue<Order>();
        try (Semel semel = Semel.open("memory:")) {
            semel.handle(BOOKED, (orders, run) -> handled.addAll(orders));
            semel.send(BOOKED, Message.of(Tenant.SINGLE, Key.of("k"), ORDERS));
            assertThat(handled.poll(1, TimeUnit.MINUTES)).isEqualTo(ORDERS.get(0));
            assertThat(handled.poll(1, TimeUnit.MINUTES)).isEqualTo(ORDERS.get(1));
        }
    }

    @Test
    void customCodecReadsItsOwnValues() throws Exception {
        JsonMapper capital = JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.UPPER_CAMEL_CASE)
                .build();
        var handled = new LinkedBlockingQueue<Order>();
        try (Semel semel =
                Semel.settings("memory:").withCodec(JacksonCodec.of(capital)).open()) {
            assertThat(book(semel)).isEqualTo(book(semel));
            semel.handle(BOOKED, (orders, run) -> handled.addAll(orders));
            semel.send(BOOKED, Message.of(Tenant.SINGLE, Key.of("k"), ORDERS));
            assertThat(handled.poll(1, TimeUnit.MINUTES)).isEqualTo(ORDERS.get(0));
        }
    }

    /** Not JSON. */
    private static final class Plain implements Semel.Codec {
        @Override
        public byte[] encode(Object value, Type type) {
            return ("<" + value + ">").getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Object decode(byte[] json, Type type) {
            return new String(json, StandardCharsets.UTF_8);
        }
    }

    @Test
    void payloadThatIsNotJsonIsRejectedAndNothingRuns() {
        Operation.Atomic<String, String> greet = Operation.atomic("greet", String.class, String.class);
        try (Semel semel = Semel.settings("memory:").withCodec(new Plain()).open()) {
            Answer<String> answer = semel.run(greet, call("k", "hello"), (payload, tx) -> {
                throw new AssertionError("it ran");
            });
            assertThat(answer).isInstanceOf(Answer.Rejected.class);
        }
    }
}
