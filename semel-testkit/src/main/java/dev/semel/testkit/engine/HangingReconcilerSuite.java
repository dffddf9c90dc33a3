package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Operation;
import dev.semel.Reconciler;
import dev.semel.Reconciler.Verdict;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.State;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A reconciler of the application's that does not answer holds up nobody else. */
abstract class HangingReconcilerSuite extends EngineSuite {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration ASKED_AGAIN = Duration.ofMinutes(1);
    private static final int MOST_THREADS = 16;

    /** Bounds waits that have no end if the promise is broken. */
    private static final long BOUND_SECONDS = 120;

    private static final Operation.Leased<Order, Receipt> RETURN =
            Operation.leased("return", Order.class, Receipt.class).withPolicy("steady");

    private static final CountDownLatch NEVER = new CountDownLatch(1);

    private final Semaphore entered = new Semaphore(0);
    private final Semaphore interrupted = new Semaphore(0);
    private final CountDownLatch answer = new CountDownLatch(1);
    private Engine node;

    @SuppressWarnings("NullAway.Init")
    HangingReconcilerSuite(EngineContract contract) {
        super(contract);
    }

    @BeforeEach
    void startANodeWhoseReconcilersHaveThreads() {
        node = start(
                reopened(), settings -> settings.withReconcilerTimeout(TIMEOUT).withReconcilerThreads());
    }

    @AfterEach
    void letEverythingEnd() {
        answer.countDown();
    }

    private void unknown(Operation.Leased<Order, Receipt> operation, String key) {
        abandon(operation, key);
        time.advance(LEASE);
        assertThat(engine.run(operation, call(key), (order, run) -> new Receipt("never")))
                .isInstanceOf(Answer.Unknown.class);
    }

    private void round() {
        node.duties().reconciliation().reconcile();
    }

    private static boolean soon(Semaphore semaphore) throws InterruptedException {
        return semaphore.tryAcquire(BOUND_SECONDS, TimeUnit.SECONDS);
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_SECONDS);
        boolean met = condition.getAsBoolean();
        while (!met && System.nanoTime() < end) {
            NEVER.await(2, TimeUnit.MILLISECONDS);
            met = condition.getAsBoolean();
        }
        assertThat(met).isTrue();
    }

    /** Hangs about one record until it is interrupted, and answers about the others. */
    private Reconciler<Order, Receipt> hangingAbout(String key) {
        return (order, what) -> {
            if (!what.downstreamKey().equals(id(REFUND, key).downstreamKey())) {
                return Verdict.noEffect();
            }
            entered.release();
            try {
                answer.await();
            } catch (InterruptedException e) {
                interrupted.release();
                throw e;
            }
            return Verdict.noEffect();
        };
    }

    /** Hangs until it is released, and ignores interrupts. */
    private Reconciler<Order, Receipt> deaf() {
        return (order, what) -> {
            entered.release();
            while (true) {
                try {
                    answer.await();
                    return Verdict.tookEffect(new Receipt("found late"));
                } catch (InterruptedException e) {
                    interrupted.release();
                }
            }
        };
    }

    @Test
    void d17_reconcilerThatHangsHoldsUpNoOtherRecordAndNoOtherOperation() throws Exception {
        unknown(REFUND, "hung");
        unknown(REFUND, "next");
        unknown(RETURN, "other");
        node.reconcile(REFUND, hangingAbout("hung"));
        node.reconcile(RETURN, (order, what) -> Verdict.noEffect());
        round();
        assertThat(soon(entered)).isTrue();
        until(() -> state(REFUND, "next") == State.FAILED_RETRYABLE);
        until(() -> state(RETURN, "other") == State.FAILED_RETRYABLE);
        assertThat(state(REFUND, "hung")).isEqualTo(State.UNKNOWN);
    }

    @Test
    void d17_reconcilerThatTimesOutIsInterruptedAndRetriedLater() throws Exception {
        unknown(REFUND, "hung");
        node.reconcile(REFUND, hangingAbout("hung"));
        round();
        assertThat(soon(entered)).isTrue();
        time.advance(TIMEOUT.minusMillis(1));
        round();
        assertThat(interrupted.availablePermits()).isZero();
        time.advance(Duration.ofMillis(1));
        round();
        assertThat(soon(interrupted)).isTrue();
        assertThat(state(REFUND, "hung")).isEqualTo(State.UNKNOWN);
        assertThat(row(REFUND, "hung").status().at()).isEqualTo(time.millis() + ASKED_AGAIN.toMillis());
        answer.countDown();
        until(() -> {
            time.advance(ASKED_AGAIN);
            round();
            return state(REFUND, "hung") == State.FAILED_RETRYABLE;
        });
        assertThat(story(REFUND, "hung")).containsExactly("operation.unknown", "operation.reconciled");
    }

    private void askPastTheTimeOut(String key) throws Exception {
        unknown(REFUND, key);
        node.reconcile(REFUND, deaf());
        round();
        assertThat(soon(entered)).isTrue();
        time.advance(TIMEOUT);
        round();
    }

    @Test
    void d17_verdictAfterTheTimeOutIsAppliedIfTheRecordHasNotMoved() throws Exception {
        askPastTheTimeOut("late");
        assertThat(soon(interrupted)).isTrue();
        answer.countDown();
        until(() -> state(REFUND, "late") == State.COMPLETED);
        assertReplayed(engine.run(REFUND, call("late"), (order, run) -> new Receipt("never")), "found late");
    }

    @Test
    void d17_verdictAfterTheRecordMovedChangesNothing() throws Exception {
        askPastTheTimeOut("late");
        engine.operator().replay(id(REFUND, "late"), new Warrant("ann", "the provider says no"));
        unknownAgain("late");
        answer.countDown();
        node.duties().reconciliation().close();
        assertThat(state(REFUND, "late")).isEqualTo(State.UNKNOWN);
    }

    private void unknownAgain(String key) {
        Answer<Receipt> parked = engine.run(REFUND, call(key), (order, run) -> {
            time.advance(LEASE.plusSeconds(1));
            otherNode().run(REFUND, call(key), (o, r) -> new Receipt("never"));
            throw new java.io.IOException("connection reset");
        });
        assertThat(parked).isNotInstanceOf(Answer.Executed.class);
        assertThat(state(REFUND, key)).isEqualTo(State.UNKNOWN);
    }

    @Test
    void d17_recordIsReconciledOnceAtATimeAndHungCallsTakeABoundedNumberOfThreads() throws Exception {
        int records = 40;
        for (int i = 0; i < records; i++) {
            unknown(REFUND, "k" + i);
        }
        node.reconcile(REFUND, deaf());
        until(() -> {
            round();
            time.advance(TIMEOUT);
            return entered.availablePermits() == MOST_THREADS;
        });
        for (int i = 0; i < records; i++) {
            round();
            time.advance(TIMEOUT);
        }
        assertThat(entered.availablePermits()).isEqualTo(MOST_THREADS);
        answer.countDown();
        until(() -> {
            time.advance(ASKED_AGAIN);
            round();
            return state(REFUND, "k39") == State.COMPLETED && state(REFUND, "k0") == State.COMPLETED;
        });
    }
}
