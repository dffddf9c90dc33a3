package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Queue;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.fault.ForwardingQueue;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** B10: a node that ends while the answer to a claim is on its way. */
@Timeout(300)
class DrainTest {
    private static final Tenant ACME = Tenant.of("acme");
    private static final Channel.Leased<String> MAIL = Channel.leased("mail", String.class);

    private final MemoryStore store = new MemoryStore(TimeSource.system());
    private final CountDownLatch granted = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);
    private final CompletableFuture<Void> waits = new CompletableFuture<>();

    @Test
    void b10_drainHandsBackGrantsOfARunningClaim() throws Exception {
        try (Engine engine = claiming()) {
            CompletableFuture<Boolean> drained =
                    CompletableFuture.supplyAsync(() -> engine.drain(Duration.ofSeconds(30)));
            answerAfter(drained);
            assertThat(drained.join()).isTrue();
            assertHandedBack();
        }
    }

    @Test
    void b10_closeHandsBackGrantsOfARunningClaim() throws Exception {
        Engine engine = claiming();
        answerAfter(CompletableFuture.runAsync(engine::close)).join();
        assertHandedBack();
    }

    /** A node whose first grant is made and not yet known to it. */
    private Engine claiming() throws InterruptedException {
        Engine engine =
                EngineSettings.on(new Slow(store)).withTime(new WatchedTime()).open();
        engine.send(MAIL, Message.of(ACME, Key.of("m"), "m")).orThrow();
        engine.handle(MAIL, (text, run) -> {});
        granted.await();
        return engine;
    }

    /** Answers once the node waits for the answer, or has ended without it. */
    private <T> CompletableFuture<T> answerAfter(CompletableFuture<T> ending) {
        CompletableFuture.anyOf(ending, waits).join();
        answer.countDown();
        return ending;
    }

    /** A node that drains looks again and again, and sleeps between. */
    private final class WatchedTime implements TimeSource {
        private final TimeSource real = TimeSource.system();

        @Override
        public long millis() {
            return real.millis();
        }

        @Override
        public long nanos() {
            return real.nanos();
        }

        @Override
        public void sleep(Duration duration) throws InterruptedException {
            real.sleep(duration);
            if (!Thread.currentThread().getName().startsWith("semel-")) {
                waits.complete(null);
            }
        }

        @Override
        public Gate gate() {
            return real.gate();
        }
    }

    private void assertHandedBack() {
        RecordId id = Identity.of(ACME, MAIL.name(), Key.of("m")).id();
        Row row = store.ledger().find(List.of(id)).get(id);
        assertThat(row.state()).isEqualTo(State.QUEUED);
        assertThat(row.status().attempt()).isZero();
    }

    /** Grants at once, and says so when it may. */
    private final class Slow extends ForwardingStore {
        Slow(MemoryStore delegate) {
            super(delegate);
        }

        @Override
        public Optional<Queue> queue() {
            return super.queue().map(each -> new ForwardingQueue(each) {
                @Override
                public Claimed claim(Claim claim) {
                    Claimed claimed = super.claim(claim);
                    if (!claimed.rows().isEmpty()) {
                        granted.countDown();
                        awaitAnswer();
                    }
                    return claimed;
                }
            });
        }

        /** A network does not end sooner because somebody interrupts. */
        private void awaitAnswer() {
            boolean interrupted = false;
            while (answer.getCount() > 0) {
                try {
                    answer.await();
                } catch (InterruptedException e) {
                    // A node that closes interrupts its threads before it waits for them.
                    interrupted = true;
                    waits.complete(null);
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            // the test looks into it afterwards
        }
    }
}
