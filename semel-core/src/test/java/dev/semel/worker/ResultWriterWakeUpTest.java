package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.execution.DeliveryResult;
import dev.semel.execution.GroupedLedger;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import dev.semel.watch.Watch;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two writer threads, of which the first is blocked by the store: later results are written by the second, once it is woken. */
@Timeout(300)
class ResultWriterWakeUpTest {
    private static final String FIRST = "semel-results-1";
    private static final String SECOND = "semel-results-2";

    private final SleepingThreads sleeping = new SleepingThreads();
    private final CountDownLatch blocked = new CountDownLatch(1);
    private final CountDownLatch letGo = new CountDownLatch(1);
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private @Nullable ResultWriter writer;

    @AfterEach
    void end() {
        letGo.countDown();
        sleeping.goOn.countDown();
        if (writer != null) {
            writer.close();
        }
    }

    @Test
    void wakeAllLetsASleepingThreadWriteForABlockedOne() throws Exception {
        ResultWriter writer = opened();
        sleeping.await(FIRST);
        sleeping.await(SECOND);
        blockTheFirst(writer);
        add(writer, "left behind");
        assertThat(sleeping.gateOf(SECOND).isOpen())
                .as("somebody else was woken")
                .isFalse();

        writer.wakeAll();

        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("left behind");
        letGo.countDown();
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("blocked");
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void wakeAllBetweenTheLastLookAndTheSleepIsNotLost(Moment moment) throws Exception {
        sleeping.stopOnce(SECOND, moment);
        ResultWriter writer = opened();
        sleeping.await(FIRST);
        sleeping.stopped.await();
        blockTheFirst(writer);

        add(writer, "left behind");
        writer.wakeAll();
        sleeping.goOn.countDown();

        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("left behind");
    }

    @Test
    void wakeAllWakesNoThreadWhenNothingWaits() throws Exception {
        ResultWriter writer = opened();
        sleeping.await(FIRST);
        sleeping.await(SECOND);
        writer.wakeAll();
        assertThat(sleeping.gateOf(FIRST).isOpen()).isFalse();
        assertThat(sleeping.gateOf(SECOND).isOpen()).isFalse();
    }

    private ResultWriter opened() {
        writer = new ResultWriter(new GroupedLedger(slow(), sleeping, Watch.NONE), sleeping, 2, () -> {});
        return writer;
    }

    private void blockTheFirst(ResultWriter writer) throws InterruptedException {
        add(writer, "blocked");
        blocked.await();
    }

    private void add(ResultWriter writer, String name) {
        Move move = Transition.COMPLETE.of(id(name), 1, Move.Change.NONE, null);
        writer.add(new DeliveryResult(DeliveryResult.ResultKind.DONE, move, null), moved -> told.add(name));
    }

    private static RecordId id(String name) {
        return Identity.of(Tenant.of("acme"), "mail", Key.of(name)).id();
    }

    private Store slow() {
        return new ForwardingStore(new MemoryStore(sleeping)) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(delegate().ledger()) {
                    @Override
                    public List<Moved> move(List<Move> batch) {
                        if (batch.stream().anyMatch(move -> move.id().equals(id("blocked")))) {
                            blocked.countDown();
                            stay(letGo);
                        }
                        return super.move(batch);
                    }
                };
            }
        };
    }

    private static void stay(CountDownLatch until) {
        try {
            until.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Where a thread is that has found nothing to do and does not sleep yet. */
    private enum Moment {
        /** It has no gate yet, so no thread could wake it. */
        BEFORE_ITS_GATE_IS_MADE,
        /** It has looked once more, and found nothing. */
        BEFORE_IT_WAITS
    }

    /** Tells who sleeps at which gate, and stops one of them on the way there. */
    private static final class SleepingThreads extends ForwardingTime {
        private final Map<String, BlockingQueue<Gate>> asleep = new ConcurrentHashMap<>();
        private final Map<String, Gate> gates = new ConcurrentHashMap<>();
        private final Map<String, Moment> stops = new ConcurrentHashMap<>();
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);

        SleepingThreads() {
            super(new ManualTime(0));
        }

        void stopOnce(String thread, Moment moment) {
            stops.put(thread, moment);
        }

        /** Until that thread sleeps for the first time. */
        void await(String thread) throws InterruptedException {
            gates.put(thread, sleepers(thread).take());
        }

        Gate gateOf(String thread) {
            return gates.get(thread);
        }

        private BlockingQueue<Gate> sleepers(String thread) {
            return asleep.computeIfAbsent(thread, any -> new LinkedBlockingQueue<>());
        }

        private void reached(Moment moment) {
            if (stops.remove(Thread.currentThread().getName(), moment)) {
                stopped.countDown();
                stay(goOn);
            }
        }

        @Override
        public Gate gate() {
            reached(Moment.BEFORE_ITS_GATE_IS_MADE);
            Gate gate = super.gate();
            return new ForwardingGate(gate) {
                @Override
                public void await() throws InterruptedException {
                    reached(Moment.BEFORE_IT_WAITS);
                    sleepers(Thread.currentThread().getName()).add(gate);
                    super.await();
                }
            };
        }
    }
}
