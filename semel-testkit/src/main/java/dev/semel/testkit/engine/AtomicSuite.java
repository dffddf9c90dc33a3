package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.store.State;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Direct atomic calls that go well, and those that come twice. */
abstract class AtomicSuite extends EngineSuite {
    AtomicSuite(EngineContract contract) {
        super(contract);
    }

    @Test
    void secondCallReplaysTheFirstOnesResult() throws Exception {
        assertExecuted(charge("k"), "r-k");
        assertReplayed(charge("k"), "r-k");
        assertThat(effects.count("k")).isEqualTo(1);
        assertThat(state(CHARGE, "k")).isEqualTo(State.COMPLETED);
        assertThat(story(CHARGE, "k")).containsExactly("operation.executed", "operation.replayed");
    }

    @Test
    void anotherNodeReplaysIt() throws Exception {
        assertExecuted(charge("k"), "r-k");
        assertReplayed(otherNode().run(CHARGE, call("k"), charging("k")), "r-k");
        assertThat(effects.count("k")).isEqualTo(1);
    }

    @Test
    void tenantsAndOperationsDoNotShareKeys() throws Exception {
        charge("k");
        Call<Order> elsewhere = Call.of(Tenant.of("umbrella"), Key.of("k"), new Order("book", 42));
        assertThat(engine.run(CHARGE, elsewhere, charging("k"))).isInstanceOf(Answer.Executed.class);
        Operation.Atomic<Order, Receipt> other = Operation.atomic("order", Order.class, Receipt.class);
        assertThat(engine.run(other, call("k"), charging("k"))).isInstanceOf(Answer.Executed.class);
        assertThat(effects.count("k")).isEqualTo(3);
    }

    @Test
    void resultsOfNullNoBytesAndAMegabyteAreReplayedAsTheyWere() {
        Operation.Atomic<Order, byte[]> bytes = Operation.atomic("bytes", Order.class, byte[].class);
        List<byte[]> results = new ArrayList<>();
        results.add(null);
        results.add(new byte[0]);
        results.add(new byte[1 << 20]);
        for (int i = 0; i < results.size(); i++) {
            byte[] result = results.get(i);
            String key = "k" + i;
            assertThat(engine.run(bytes, call(key), (order, tx) -> result)).isInstanceOf(Answer.Executed.class);
            Answer<byte[]> again = engine.run(bytes, call(key), (order, tx) -> new byte[] {1});
            assertThat(again).isInstanceOf(Answer.Replayed.class);
            assertThat(again.orThrow()).isEqualTo(result);
        }
    }

    @Test
    void a8_keysThatDifferInAnythingAreDifferentKeys() throws Exception {
        List<String> keys = List.of(
                "k", "K", "k ", " k", "caf\u00e9", "cafe\u0301", "a\u0000b", "ab", "\ud83d\ude00", "x".repeat(255));
        for (String key : keys) {
            assertThat(charge(key)).isInstanceOf(Answer.Executed.class);
        }
        for (String key : keys) {
            assertReplayed(charge(key), "r-" + key);
        }
    }

    @Test
    void payloadOverTheLimitIsRejectedAndNothingIsStored() {
        Call<Order> huge = Call.of(ACME, Key.of("k"), new Order("x".repeat((1 << 20) + 1), 1));
        Answer<Receipt> answer = engine.run(CHARGE, huge, charging("k"));
        assertThat(answer).isInstanceOf(Answer.Rejected.class);
        assertThat(row(CHARGE, "k")).isNull();
        assertThatThrownBy(answer::orThrow).isInstanceOf(SemelException.NoResult.class);
    }

    @Test
    void a7_sameKeyWithAnotherPayloadIsAConflictThatDisclosesNothing() throws Exception {
        charge("k");
        Answer<Receipt> answer = engine.run(CHARGE, otherPayload("k"), charging("k"));
        assertThat(answer).isInstanceOf(Answer.Conflict.class);
        assertThat(answer.toString()).doesNotContain("r-k");
        assertThat(effects.count("k")).isEqualTo(1);
        assertThat(story(CHARGE, "k")).containsExactly("operation.executed", "operation.conflict");
    }

    @Test
    void recordPastItsRetentionCountsAsAbsent() throws Exception {
        charge("k");
        time.advance(STEADY.retention().success());
        assertExecuted(charge("k"), "r-k");
        assertThat(effects.count("k")).isEqualTo(2);
    }

    @Test
    void a11_clockThatIsBehindBringsNoExpiredResultBack() {
        ManualTime behind = new ManualTime(time.millis() - Duration.ofHours(1).toMillis());
        Engine slow = otherNode(behind);
        assertExecuted(slow.run(CHARGE, call("k"), (order, tx) -> new Receipt("old")), "old");
        time.advance(STEADY.retention().success());
        List<Answer<Receipt>> beside = new ArrayList<>();
        Answer<Receipt> again = slow.run(CHARGE, call("k"), (order, tx) -> {
            beside.add(CompletableFuture.supplyAsync(() -> slow.run(CHARGE, call("k"), (o, t) -> new Receipt("never")))
                    .join());
            return new Receipt("new");
        });
        assertExecuted(again, "new");
        assertThat(beside.get(0)).isInstanceOf(Answer.InProgress.class);
    }

    @Test
    void a10_handlerThatCallsItselfGetsInProgress() {
        List<Answer<Receipt>> inner = new ArrayList<>();
        Answer<Receipt> outer = engine.run(CHARGE, call("k"), (order, tx) -> {
            inner.add(charge("k"));
            return new Receipt("outer");
        });
        assertExecuted(outer, "outer");
        assertThat(inner.get(0)).isInstanceOf(Answer.InProgress.class);
    }

    @Test
    void callInsideAHandlerCommitsAndRollsBackWithIt() throws Exception {
        Answer<Receipt> failed = engine.run(CHARGE, call("outer"), (order, tx) -> {
            assertExecuted(charge("inner"), "r-inner");
            throw Failure.of(Failure.Category.BUSINESS_RULE, "no funds").asException();
        });
        assertThat(failed).isInstanceOf(Answer.Failed.class);
        assertThat(effects.count("inner")).isZero();
        assertThat(row(CHARGE, "inner")).isNull();
        Answer<Receipt> done = engine.run(
                CHARGE, call("outer2"), (order, tx) -> charge("inner").orThrow());
        assertExecuted(done, "r-inner");
        assertThat(effects.count("inner")).isEqualTo(1);
        assertReplayed(charge("inner"), "r-inner");
    }

    @Test
    void callInsideAHandlerThatFailsUndoesOnlyItself() throws Exception {
        Answer<Receipt> done = engine.run(CHARGE, call("outer"), (order, tx) -> {
            effects.apply(tx, "outer");
            Answer<Receipt> inner = engine.run(CHARGE, call("inner"), (o, t) -> {
                effects.apply(t, "inner");
                throw Failure.of(Failure.Category.VALIDATION, "no").asException();
            });
            assertThat(inner).isInstanceOf(Answer.Failed.class);
            return new Receipt("done");
        });
        assertExecuted(done, "done");
        assertThat(effects.count("outer")).isEqualTo(1);
        assertThat(effects.count("inner")).isZero();
    }

    @Test
    void leasedOperationIsRejectedInsideAnAtomicHandler() {
        Answer<Receipt> answer = engine.run(
                CHARGE,
                call("k"),
                (order, tx) -> engine.run(REFUND, call("inner"), (o, run) -> new Receipt("no"))
                        .orThrow());
        assertThat(failure(answer).exception()).isEqualTo(SemelException.Invalid.class.getName());
        assertThat(row(REFUND, "inner")).isNull();
    }

    @Test
    void a1_sixtyFourThreadsAskForOneKeyAndOneExecutes() throws Exception {
        int threads = 64;
        AtomicInteger ran = new AtomicInteger();
        CountDownLatch together = new CountDownLatch(threads);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Answer<Receipt>>> answers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                boolean patient = i % 2 == 0;
                answers.add(pool.submit(() -> {
                    together.countDown();
                    together.await();
                    // Every wait moves the clock: all of them together must stay within the retention of the record.
                    Call<Order> call = patient ? call("k").withPatience(Duration.ofMinutes(10)) : call("k");
                    return engine.run(CHARGE, call, (order, tx) -> {
                        ran.incrementAndGet();
                        effects.apply(tx, "k");
                        return new Receipt("r-k");
                    });
                }));
            }
            int executed = 0;
            for (Future<Answer<Receipt>> future : answers) {
                Answer<Receipt> answer = future.get(60, TimeUnit.SECONDS);
                assertThat(answer)
                        .isInstanceOfAny(Answer.Executed.class, Answer.Replayed.class, Answer.InProgress.class);
                executed += answer instanceof Answer.Executed ? 1 : 0;
            }
            assertThat(executed).isEqualTo(1);
            assertThat(effects.count("k")).isEqualTo(1);
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void callsFromVirtualThreadsAreServedWhereTheRuntimeHasThem() throws Exception {
        ExecutorService pool = virtualThreads();
        try {
            List<Future<Answer<Receipt>>> answers = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                String key = "k" + i % 40;
                answers.add(pool.submit(() -> engine.run(CHARGE, call(key), charging(key))));
            }
            for (Future<Answer<Receipt>> answer : answers) {
                assertThat(answer.get(60, TimeUnit.SECONDS))
                        .isInstanceOfAny(Answer.Executed.class, Answer.Replayed.class, Answer.InProgress.class);
            }
        } finally {
            pool.shutdownNow();
        }
        for (int i = 0; i < 40; i++) {
            assertThat(effects.count("k" + i)).isEqualTo(1);
        }
    }

    /** Java 17 compiles this, Java 21 has what it looks for. */
    private static ExecutorService virtualThreads() throws ReflectiveOperationException {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException e) {
            return Assumptions.abort("This runtime has no virtual threads.");
        }
    }

    @Test
    void noAttemptStartsAfterTheDeadlineButAReplayIsStillAnswered() throws Exception {
        Instant past = Instant.ofEpochMilli(time.millis());
        assertThat(failure(engine.run(CHARGE, call("late").withDeadline(past), charging("late")))
                        .category())
                .isEqualTo(Failure.Category.TIMEOUT);
        assertThat(effects.count("late")).isZero();
        charge("k");
        assertReplayed(engine.run(CHARGE, call("k").withDeadline(past), charging("k")), "r-k");
    }

    @Test
    void registeredHandlerRunsACallWithoutOne() {
        engine.handle(CHARGE, charging("k"));
        assertExecuted(engine.run(CHARGE, call("k")), "r-k");
        assertThatThrownBy(() -> engine.run(REFUND, call("k"))).isInstanceOf(SemelException.Invalid.class);
        assertThatThrownBy(() -> engine.handle(CHARGE, charging("k"))).isInstanceOf(SemelException.Invalid.class);
    }

    @Test
    void localCacheReplaysWithoutTheStoreAndDetectsAConflict() {
        var cached = start(store, settings -> settings.withLocalCache(10));
        assertExecuted(cached.run(CHARGE, call("k"), charging("k")), "r-k");
        assertReplayed(cached.run(CHARGE, call("k"), charging("k")), "r-k");
        assertThat(cached.run(CHARGE, otherPayload("k"), charging("k"))).isInstanceOf(Answer.Conflict.class);
        time.advance(STEADY.retention().success());
        assertExecuted(cached.run(CHARGE, call("k"), charging("k")), "r-k");
    }
}
