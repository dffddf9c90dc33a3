package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Queue;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingQueue;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** C4: how much a node asks for when the store is back. Time-outs bound the test, they never decide it. */
@Timeout(300)
class RampTest {
    private static final int HANDLERS = 4;
    private static final int MESSAGES = 500;
    private static final Channel.Leased<String> MAIL = Channel.leased("mail", String.class);
    private static final Channel.Leased<String> CHAT = Channel.leased("chat", String.class);

    private final BlockingQueue<Integer> amounts = new LinkedBlockingQueue<>();
    private final CountDownLatch failed = new CountDownLatch(1);
    private volatile boolean down;

    /** Unavailable for claims of CHAT once switched off; records the amounts of MAIL's claims from then on. */
    private Store store() {
        return new ForwardingStore(new MemoryStore(TimeSource.system())) {
            @Override
            public Optional<Queue> queue() {
                return delegate().queue().map(queue -> new ForwardingQueue(queue) {
                    @Override
                    public Claimed claim(Claim claim) {
                        if (claim.operation().equals(MAIL.name())) {
                            amounts.add(claim.amount().records());
                        } else if (down) {
                            amounts.clear();
                            failed.countDown();
                            throw new SemelException.StoreUnavailable("The store is away.");
                        }
                        return super.claim(claim);
                    }
                });
            }
        };
    }

    @Test
    void c4_channelThatDidNotClaimWhileTheStoreWasAwayBeginsWithSmallClaimsToo() throws Exception {
        CountDownLatch handled = new CountDownLatch(MESSAGES);
        try (Engine engine = EngineSettings.on(store()).open()) {
            engine.sendAll(
                    MAIL,
                    IntStream.range(0, MESSAGES).mapToObj(RampTest::message).toList());
            engine.handle(MAIL, Channel.Capacity.of(HANDLERS), (text, run) -> handled.countDown());
            handled.await();
            assertThat(List.copyOf(amounts)).as("it had asked for more").anyMatch(amount -> amount > HANDLERS);
            down = true;
            engine.handle(CHAT, (text, run) -> {});
            failed.await();
            assertThat(amounts.take()).isLessThanOrEqualTo(HANDLERS);
        }
    }

    private static Message<String> message(int number) {
        return Message.of(Tenant.of("acme"), Key.of("m" + number), "text");
    }
}
