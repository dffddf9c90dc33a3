package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worker that never polls: every kind of work wakes it. */
@Timeout(300)
class WakeUpTest {
    private static final int MESSAGES = 1_500;
    private static final Channel.Leased<Integer> FREE = Channel.leased("free", Integer.class);
    private static final Channel.Leased<Integer> ONE_LANE =
            Channel.leased("one-lane", Integer.class).withLane(number -> "all");

    private final Engine engine = EngineSettings.on(new MemoryStore(TimeSource.system()))
            .withTime(new NoPolls())
            .open();
    private final List<Integer> handled = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch all = new CountDownLatch(MESSAGES);

    @AfterEach
    void close() {
        engine.close();
    }

    private void handle(int number) {
        handled.add(number);
        all.countDown();
    }

    private void sendAll(Channel<Integer> channel) {
        engine.sendAll(
                channel,
                IntStream.range(0, MESSAGES)
                        .mapToObj(number -> Message.of(Tenant.of("acme"), Key.of("k-" + number), number))
                        .toList());
    }

    @Test
    void laneContinuesAsSoonAsResultsAreWritten() throws Exception {
        sendAll(ONE_LANE);
        engine.handle(ONE_LANE, (number, run) -> handle(number));
        all.await();
        assertThat(handled)
                .containsExactlyElementsOf(IntStream.range(0, MESSAGES).boxed().toList());
    }

    @Test
    void fullChannelClaimsAgainAsSoonAsResultsAreWritten() throws Exception {
        sendAll(FREE);
        engine.handle(FREE, (number, run) -> handle(number));
        all.await();
        assertThat(handled).doesNotHaveDuplicates();
    }

    /** A bounded wait at a gate lasts until the gate is opened. */
    private static final class NoPolls extends ForwardingTime {
        NoPolls() {
            super(TimeSource.system());
        }

        @Override
        public Gate gate() {
            return new ForwardingGate(super.gate()) {
                @Override
                public boolean await(Duration atMost) throws InterruptedException {
                    return super.await(atMost.isZero() ? atMost : Duration.ofDays(1));
                }
            };
        }
    }
}
