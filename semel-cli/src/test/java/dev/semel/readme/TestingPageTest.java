package dev.semel.readme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.LeasedContext;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Reconciler;
import dev.semel.Reconciler.Verdict;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.testkit.PrivatePostgres;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The examples of docs/testing.md, run. */
@Timeout(300)
class TestingPageTest {
    private static final Operation.Leased<Order, String> PAY =
            Operation.leased("pay", Order.class, String.class).withPolicy(Policy.HTTP_CLIENT);
    private static final Channel.Leased<String> REMIND = Channel.leased("remind", String.class);

    record Order(String id, long cents) {}

    @TempDir
    Path directory;

    private final Psp psp = new Psp();
    private final Shop shop = new Shop(psp);

    /** A payment service that honours keys. */
    private static final class Psp {
        private final Map<String, Long> payments = new ConcurrentHashMap<>();
        private final AtomicInteger calls = new AtomicInteger();
        private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();

        void capture(String key, long cents) throws IOException {
            calls.incrementAndGet();
            IOException next = failure.getAndSet(null);
            if (next != null) {
                throw next;
            }
            payments.putIfAbsent(key, cents);
        }

        void failNext(IOException how) {
            failure.set(how);
        }

        Map<String, Long> payments() {
            return payments;
        }

        int calls() {
            return calls.get();
        }
    }

    /** The code under test. */
    private record Shop(Psp psp) {
        String pay(Order order, LeasedContext run) throws IOException {
            return capture(order, run.downstreamKey());
        }

        String capture(Order order, String key) throws IOException {
            psp.capture(key, order.cents());
            return "paid " + order.id();
        }

        Verdict<String> reconcile(Order order, Reconciler.Case interrupted) {
            return psp.payments().containsKey(interrupted.downstreamKey())
                    ? Verdict.tookEffect("paid " + order.id())
                    : Verdict.stillUnknown("pending");
        }
    }

    @Test
    void duplicateOfThePageRunsNothing() {
        // region duplicate
        try (Semel semel = Semel.open("memory:")) {
            Call<Order> call = Call.of(Tenant.SINGLE, Key.of("o-1"), new Order("o-1", 4200));

            assertThat(semel.run(PAY, call, shop::pay)).isInstanceOf(Answer.Executed.class);
            assertThat(semel.run(PAY, call, shop::pay)).isInstanceOf(Answer.Replayed.class);
            assertThat(psp.payments()).hasSize(1);

            Call<Order> other = Call.of(Tenant.SINGLE, Key.of("o-1"), new Order("o-1", 9900));
            assertThat(semel.run(PAY, other, shop::pay)).isInstanceOf(Answer.Conflict.class);
        }
        // endregion
    }

    @Test
    void handlerOfThePageIsHarmlessWhenItIsRunTwice() throws IOException {
        // region twice
        shop.capture(new Order("o-1", 4200), "key-1");
        shop.capture(new Order("o-1", 4200), "key-1");
        assertThat(psp.payments()).containsOnlyKeys("key-1");
        // endregion
    }

    @Test
    void failureIsRetriedWhereTheOperationIsRepeatable() {
        // region retry
        Policy quick = Policy.HTTP_CLIENT.toBuilder().withoutBackoff().build();
        psp.failNext(new SocketTimeoutException("no answer"));
        try (Semel semel = Semel.settings("memory:").withPolicy(quick).open()) {
            Call<Order> call = Call.of(Tenant.SINGLE, Key.of("o-1"), new Order("o-1", 4200));
            assertThat(semel.run(PAY.asRepeatable(), call, shop::pay)).isInstanceOf(Answer.Executed.class);
            assertThat(psp.calls()).isEqualTo(2);
        }
        // endregion
    }

    @Test
    void failureIsUnknownWhereTheOperationIsNotRepeatable() {
        psp.failNext(new SocketTimeoutException("no answer"));
        try (Semel semel = Semel.open("memory:")) {
            Call<Order> call = Call.of(Tenant.SINGLE, Key.of("o-1"), new Order("o-1", 4200));
            assertThat(semel.run(PAY, call, shop::pay)).isInstanceOf(Answer.Unknown.class);
            assertThat(psp.calls()).isEqualTo(1);
        }
    }

    @Test
    void messageComesWhenTheClockIsMoved() throws InterruptedException {
        var reminded = new LinkedBlockingQueue<String>();
        // region clock
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2030-01-01T00:00:00Z"));
        try (Semel semel = Semel.settings("memory:").withClock(now::get).open()) {
            semel.handle(REMIND, (reminder, run) -> reminded.add(reminder));
            semel.send(REMIND, Message.of(Tenant.SINGLE, Key.of("o-1"), "pay!").withDelay(Duration.ofDays(3)));

            now.set(now.get().plus(Duration.ofDays(3)));
            assertThat(reminded.poll(10, TimeUnit.SECONDS)).isEqualTo("pay!");
        }
        // endregion
    }

    /** Dies in the middle of a payment. */
    static final class Dying {
        private Dying() {}

        // region dying
        public static void main(String[] arguments) {
            Semel semel = Semel.open(arguments[0]);
            Call<Order> call = Call.of(Tenant.SINGLE, Key.of("o-1"), new Order("o-1", 4200));
            semel.run(PAY, call, (order, run) -> {
                Runtime.getRuntime().halt(42);
                return null;
            });
        }
        // endregion
    }

    @Test
    void paymentOfAProcessThatDiedIsUnknown() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classPath = System.getProperty("java.class.path");
        String store = "sqlite:" + directory.resolve("ledger.db");
        // region after
        Process process = new ProcessBuilder(java, "-cp", classPath, Dying.class.getName(), store).start();
        assertThat(process.waitFor()).isEqualTo(42);

        InstantSource later = () -> Instant.now().plus(Duration.ofMinutes(5));
        try (Semel semel = Semel.settings(store).withClock(later).open()) {
            Call<Order> call = Call.of(Tenant.SINGLE, Key.of("o-1"), new Order("o-1", 4200));
            assertThat(semel.run(PAY, call, shop::pay)).isInstanceOf(Answer.Unknown.class);
        }
        // endregion
        assertThat(psp.calls()).isZero();
    }

    @Test
    void reconcilerOfThePageSaysThatItCannotTell() {
        Order order = new Order("o-1", 4200);
        // region reconciler
        Reconciler.Case interrupted = new Reconciler.Case(Tenant.SINGLE, "c-1", "key-1", 7, 1, List.of());
        assertThat(shop.reconcile(order, interrupted)).isEqualTo(Verdict.stillUnknown("pending"));
        // endregion
    }

    @Test
    void privateServerServes() {
        // region postgres
        PrivatePostgres server = PrivatePostgres.shared();
        Semel semel = Semel.open(server.url(server.freshDatabase()));
        // endregion
        try (semel) {
            Call<Order> call = Call.of(Tenant.SINGLE, Key.of("o-1"), new Order("o-1", 4200));
            assertThat(semel.run(PAY, call, shop::pay).isResult()).isTrue();
        }
    }
}
