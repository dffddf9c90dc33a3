package dev.semel.worker;

import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Queue;
import dev.semel.testkit.fault.ForwardingQueue;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A worker that never polls and has gone to sleep after it found nothing: a send in its own process wakes it. If a
 * wake-up is lost, the message is never handled, and the test runs into its time-out.
 */
@Timeout(300)
class LocalWakeUpTest {
    private static final Tenant ACME = Tenant.of("acme");
    private static final Channel.Leased<String> MAIL = Channel.leased("mail", String.class);
    private static final Operation.Atomic<String, String> ORDER = Operation.atomic("order", String.class, String.class);
    private static final Operation.Leased<String, String> ASK = Operation.leased("ask", String.class, String.class);

    private final CountDownLatch asleep = new CountDownLatch(1);
    private final CountDownLatch handled = new CountDownLatch(1);
    private volatile boolean looked;

    private final Engine engine = EngineSettings.on(new ForwardingStore(new MemoryStore(TimeSource.system())) {
                @Override
                public Optional<Queue> queue() {
                    return super.queue().map(queue -> new ForwardingQueue(queue) {
                        @Override
                        public Claimed claim(Claim claim) {
                            Claimed claimed = super.claim(claim);
                            looked = true;
                            return claimed;
                        }
                    });
                }
            })
            .withTime(new Unpolled())
            .open();

    /** A bounded wait at a gate lasts until the gate is opened. */
    private final class Unpolled extends ForwardingTime {
        Unpolled() {
            super(TimeSource.system());
        }

        @Override
        public Gate gate() {
            return new ForwardingGate(super.gate()) {
                @Override
                public boolean await(Duration atMost) throws InterruptedException {
                    if (atMost.isZero()) {
                        return super.await(atMost);
                    }
                    if (looked && Thread.currentThread().getName().equals("semel-claims")) {
                        asleep.countDown();
                    }
                    return super.await(Duration.ofDays(1));
                }
            };
        }
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private void fallAsleep() throws InterruptedException {
        engine.handle(MAIL, (text, run) -> handled.countDown());
        asleep.await();
    }

    private static Message<String> message(String key) {
        return Message.of(ACME, Key.of(key), key);
    }

    private static Call<String> call() {
        return Call.of(ACME, Key.of("k"), "payload");
    }

    @Test
    void messageThatIsSentWakesTheWorker() throws Exception {
        fallAsleep();
        engine.send(MAIL, message("m"));
        handled.await();
    }

    @Test
    void listOfMessagesThatIsSentWakesTheWorker() throws Exception {
        fallAsleep();
        engine.sendAll(MAIL, List.of(message("m1"), message("m2")));
        handled.await();
    }

    @Test
    void messageThatATransactionSendsWakesTheWorker() throws Exception {
        fallAsleep();
        engine.run(ORDER, call(), (text, tx) -> {
            tx.send(MAIL, message("m"));
            return "sent";
        });
        handled.await();
    }

    @Test
    void messageThatALeasedHandlerSendsWakesTheWorker() throws Exception {
        fallAsleep();
        engine.run(ASK, call(), (text, run) -> {
            run.send(MAIL, message("m"));
            return "sent";
        });
        handled.await();
    }
}
