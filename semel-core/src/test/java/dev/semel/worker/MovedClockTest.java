package dev.semel.worker;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
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
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A test moves the clock once, at the worst moment: when a claim has found nothing and has not returned. */
@Timeout(300)
class MovedClockTest {
    private static final Duration DELAY = Duration.ofDays(3);
    private static final Channel.Leased<String> MAIL = Channel.leased("mail", String.class);

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2030-01-01T00:00:00Z"));
    private final AtomicBoolean sent = new AtomicBoolean();
    private final AtomicBoolean moved = new AtomicBoolean();
    private final TimeSource time = TimeSource.of(now::get);

    @Test
    void messageWhoseTimeComesDuringAClaimIsHandledAlthoughTheClockStandsStillAfterwards() throws InterruptedException {
        CountDownLatch handled = new CountDownLatch(1);
        ForwardingStore store = new ForwardingStore(new MemoryStore(time)) {
            @Override
            public Optional<Queue> queue() {
                return super.queue().map(queue -> new ForwardingQueue(queue) {
                    @Override
                    public Claimed claim(Claim claim) {
                        Claimed claimed = super.claim(claim);
                        if (sent.get() && moved.compareAndSet(false, true)) {
                            now.set(now.get().plus(DELAY));
                        }
                        return claimed;
                    }
                });
            }
        };
        try (Engine engine = EngineSettings.on(store).withTime(time).open()) {
            engine.send(MAIL, Message.of(Tenant.SINGLE, Key.of("k"), "text").withDelay(DELAY));
            sent.set(true);
            engine.handle(MAIL, (text, run) -> handled.countDown());
            handled.await();
        }
    }
}
