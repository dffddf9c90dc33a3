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
import dev.semel.store.MemoryStore;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
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

/** Two writers, of which the first is held up by the store: what comes then is the second one's, once it is nudged. */
@Timeout(60)
class FinisherNudgeTest {
    private static final String FIRST = "semel-finisher-1";
    private static final String SECOND = "semel-finisher-2";

    private final Nights nights = new Nights();
    private final CountDownLatch heldUp = new CountDownLatch(1);
    private final CountDownLatch letGo = new CountDownLatch(1);
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private @Nullable Finisher finisher;

    @AfterEach
    void end() {
        letGo.countDown();
        nights.goOn.countDown();
        if (finisher != null) {
            finisher.close();
        }
    }

    @Test
    void aNudgeSetsAWriterThatSleepsToWhatAnotherIsHeldUpBefore() throws Exception {
        Finisher finisher = opened();
        nights.await(FIRST);
        nights.await(SECOND);
        holdUpTheFirst(finisher);
        add(finisher, "left behind");
        assertThat(nights.bed(SECOND).isOpen()).as("somebody else was woken").isFalse();

        finisher.nudge();

        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("left behind");
        letGo.countDown();
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("held up");
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void aNudgeBetweenTheLookAndTheSleepIsNotLost(Moment moment) throws Exception {
        nights.stopOnce(SECOND, moment);
        Finisher finisher = opened();
        nights.await(FIRST);
        nights.stopped.await();
        holdUpTheFirst(finisher);

        add(finisher, "left behind");
        finisher.nudge();
        nights.goOn.countDown();

        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("left behind");
    }

    @Test
    void aNudgeWakesNobodyWhenNothingWaits() throws Exception {
        Finisher finisher = opened();
        nights.await(FIRST);
        nights.await(SECOND);
        finisher.nudge();
        assertThat(nights.bed(FIRST).isOpen()).isFalse();
        assertThat(nights.bed(SECOND).isOpen()).isFalse();
    }

    private Finisher opened() {
        finisher = new Finisher(new GroupedLedger(slow(), nights, Watch.NONE), nights, 2, () -> {});
        return finisher;
    }

    private void holdUpTheFirst(Finisher finisher) throws InterruptedException {
        add(finisher, "held up");
        heldUp.await();
    }

    private void add(Finisher finisher, String name) {
        Move move = Transition.COMPLETE.of(id(name), 1, Move.Change.NONE, null);
        finisher.add(new DeliveryResult(DeliveryResult.Kind.DONE, move, null), moved -> told.add(name));
    }

    private static RecordId id(String name) {
        return Identity.of(Tenant.of("acme"), "mail", Key.of(name)).id();
    }

    private Store slow() {
        return new ForwardingStore(new MemoryStore(nights)) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(delegate().ledger()) {
                    @Override
                    public List<Moved> move(List<Move> batch) {
                        if (batch.stream().anyMatch(move -> move.id().equals(id("held up")))) {
                            heldUp.countDown();
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

    /** Where a writer is that has found nothing to do and does not sleep yet. */
    private enum Moment {
        /** Nobody could wake it: it has no bed yet. */
        BEFORE_ITS_BED_IS_MADE,
        /** It has looked once more, and found nothing. */
        BEFORE_IT_LIES_DOWN
    }

    /** Tells who sleeps at which gate, and stops one of them on the way there. */
    private static final class Nights extends ForwardingTime {
        private final Map<String, BlockingQueue<Gate>> asleep = new ConcurrentHashMap<>();
        private final Map<String, Gate> beds = new ConcurrentHashMap<>();
        private final Map<String, Moment> stops = new ConcurrentHashMap<>();
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);

        Nights() {
            super(new ManualTime(0));
        }

        void stopOnce(String thread, Moment moment) {
            stops.put(thread, moment);
        }

        /** Until that thread sleeps for the first time. */
        void await(String thread) throws InterruptedException {
            beds.put(thread, sleepers(thread).take());
        }

        Gate bed(String thread) {
            return beds.get(thread);
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
            reached(Moment.BEFORE_ITS_BED_IS_MADE);
            Gate gate = super.gate();
            return new ForwardingGate(gate) {
                @Override
                public void await() throws InterruptedException {
                    reached(Moment.BEFORE_IT_LIES_DOWN);
                    sleepers(Thread.currentThread().getName()).add(gate);
                    super.await();
                }
            };
        }
    }
}
