package dev.semel.bench;

import dev.semel.Answer;
import dev.semel.AtomicHandler;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.LeasedHandler;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Tenant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** The calls that are measured: small payloads and results of a fixed size, and keys that are used once. */
final class Work {
    static final Tenant TENANT = Tenant.of("acme");

    record Order(String item, int amount) {}

    record Receipt(String number) {}

    static final Order ORDER = new Order("book", 42);
    static final Order OTHER_ORDER = new Order("book", 43);
    static final Receipt RECEIPT = new Receipt("r-000001");

    static final Operation.Atomic<Order, Receipt> ATOMIC = Operation.atomic("bench-atomic", Order.class, Receipt.class);
    static final Operation.Leased<Order, Receipt> LEASED = Operation.leased("bench-leased", Order.class, Receipt.class);

    /** Expires at once. */
    static final Policy SHORT = Policy.named("bench-short")
            .withRetention(new Policy.Retention(Duration.ofMillis(1), Duration.ofMillis(1), Duration.ofMillis(1)))
            .build();

    static final Operation.Atomic<Order, Receipt> EXPIRING =
            Operation.atomic("bench-expiring", Order.class, Receipt.class).withPolicy(SHORT.name());

    static final AtomicHandler<Order, Receipt> NOTHING = (order, tx) -> RECEIPT;
    static final LeasedHandler<Order, Receipt> NOTHING_LEASED = (order, run) -> RECEIPT;

    private static final String RUN = "k-" + UUID.randomUUID().toString().substring(0, 8) + "-";
    private static final AtomicLong COUNTER = new AtomicLong();

    private Work() {}

    /** Never the same twice, also across runs. */
    static long number() {
        return COUNTER.incrementAndGet();
    }

    static String key() {
        return RUN + (10_000_000_000L + number());
    }

    static Call<Order> call() {
        return Call.of(TENANT, Key.of(key()), ORDER);
    }

    static List<Call<Order>> calls(int count) {
        List<Call<Order>> calls = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            calls.add(call());
        }
        return calls;
    }

    /** A bench that measures the wrong answer measures nothing. */
    static void expect(Class<?> kind, Answer<?> answer) {
        if (!kind.isInstance(answer)) {
            throw new IllegalStateException("Expected " + kind.getSimpleName() + " and was answered " + answer);
        }
    }

    static void expectAll(Class<?> kind, List<? extends Answer<?>> answers) {
        answers.forEach(answer -> expect(kind, answer));
    }
}
