package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.Policy;
import dev.semel.engine.Engine;
import dev.semel.store.CommitRefused;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingTransactions;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Direct atomic calls whose handlers fail: a defined state each time, and never half an effect. */
abstract class AtomicFailureSuite extends EngineSuite {
    AtomicFailureSuite(EngineContract contract) {
        super(contract);
    }

    private Answer<Receipt> failing(String key, Exception thrown) {
        return engine.run(CHARGE, call(key), (order, tx) -> {
            effects.apply(tx, key);
            throw thrown;
        });
    }

    @Test
    void passingFaultIsTriedAgainAfterItsDelayAndLeavesOneEffect() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        long before = time.millis();
        Answer<Receipt> answer = engine.run(CHARGE, call("k"), (order, tx) -> {
            effects.apply(tx, "k");
            if (tx.attempt() < 3) {
                tries.incrementAndGet();
                throw new SocketTimeoutException("slow");
            }
            return new Receipt("third");
        });
        assertExecuted(answer, "third");
        assertThat(tries).hasValue(2);
        assertThat(effects.count("k")).isEqualTo(1);
        assertThat(time.millis() - before).isEqualTo(3_000);
        assertThat(story(CHARGE, "k")).containsExactly("retry.attempt", "retry.attempt", "operation.executed");
    }

    @Test
    void whenTheAttemptsRunOutTheNextCallerMayTryAfterAPause() throws Exception {
        Answer<Receipt> answer = failing("k", new SocketTimeoutException("slow"));
        assertThat(answer).isInstanceOf(Answer.RetryLater.class);
        assertThat(failure(answer).category()).isEqualTo(Category.TIMEOUT);
        assertThat(state(CHARGE, "k")).isEqualTo(State.FAILED_RETRYABLE);
        assertThat(story(CHARGE, "k")).containsExactly("retry.attempt", "retry.attempt", "retry.exhausted");
        assertThat(charge("k")).isInstanceOf(Answer.RetryLater.class);
        time.advance(((Answer.RetryLater<?>) answer).in());
        assertExecuted(charge("k"), "r-k");
        assertThat(effects.count("k")).isEqualTo(1);
    }

    @Test
    void failureThatWouldBeTheSameAgainIsStoredAndReplayedForItsRetention() throws Exception {
        Answer<Receipt> first = failing(
                "k", Failure.of(Category.VALIDATION, "amount is negative").asException());
        assertThat(first).isInstanceOf(Answer.Failed.class);
        Answer<Receipt> second = charge("k");
        assertThat(failure(second)).isEqualTo(failure(first));
        assertThat(effects.count("k")).isZero();
        assertThat(story(CHARGE, "k")).containsExactly("system.error");
        time.advance(STEADY.retention().failure());
        assertExecuted(charge("k"), "r-k");
    }

    @Test
    void unlistedExceptionIsTriedAgainAndNeverStoredAsTheAnswer() throws Exception {
        assertThat(failing("k", new IllegalStateException("odd"))).isInstanceOf(Answer.RetryLater.class);
        time.advance(Duration.ofHours(1).plusSeconds(60));
        assertExecuted(charge("k"), "r-k");
    }

    @Test
    void a10_errorEndsTheCallAndLeavesNoRecord() throws Exception {
        Answer<Receipt> answer = engine.run(CHARGE, call("k"), (order, tx) -> {
            effects.apply(tx, "k");
            throw new StackOverflowError();
        });
        assertThat(failure(answer).category()).isEqualTo(Category.BUG);
        assertThat(row(CHARGE, "k")).isNull();
        assertThat(effects.count("k")).isZero();
        assertThat(story(CHARGE, "k")).containsExactly("system.error");
        assertExecuted(charge("k"), "r-k");
    }

    @Test
    void a10_interruptedHandlerStopsAtOnceAndTheThreadStaysInterrupted() throws Exception {
        Answer<Receipt> answer = failing("k", new InterruptedException());
        assertThat(Thread.interrupted()).isTrue();
        assertThat(answer).isInstanceOf(Answer.RetryLater.class);
        assertThat(state(CHARGE, "k")).isEqualTo(State.FAILED_RETRYABLE);
        assertThat(effects.count("k")).isZero();
        assertExecuted(charge("k"), "r-k");
    }

    @Test
    void attemptThatTakesTooLongIsInterruptedAndTriedAgain() throws Exception {
        Answer<Receipt> answer = engine.run(CHARGE, call("k"), (order, tx) -> {
            if (tx.attempt() == 1) {
                time.advance(STEADY.limits().attemptTimeout());
                engine.duties().keeper().tick();
                time.sleep(Duration.ofMillis(1));
            }
            effects.apply(tx, "k");
            return new Receipt("second");
        });
        assertExecuted(answer, "second");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(effects.count("k")).isEqualTo(1);
        assertThat(story(CHARGE, "k")).containsExactly("retry.attempt", "operation.executed");
    }

    @Test
    void retryAfterIsAFloorAndBeyondThePolicysLimitItIsADeadLetter() {
        Failure slow = new Failure(Category.RATE_LIMITED, "slow down", null, Duration.ofMinutes(5));
        long before = time.millis();
        failing("k", slow.asException());
        assertThat(time.millis() - before).isGreaterThanOrEqualTo(600_000);
        Failure never = new Failure(Category.RATE_LIMITED, "go away", null, Duration.ofDays(400));
        Answer<Receipt> answer = failing("k2", never.asException());
        assertThat(failure(answer).category()).isEqualTo(Category.RATE_LIMITED);
        assertThat(state(CHARGE, "k2")).isEqualTo(State.FAILED_TERMINAL);
    }

    @Test
    void deadlineCutsTheRetriesShort() {
        Policy.Limits limits = STEADY.limits();
        assertThat(limits.deadline()).isNull();
        var answer = engine.run(
                CHARGE, call("k").withDeadline(java.time.Instant.ofEpochMilli(time.millis() + 1_500)), (order, tx) -> {
                    throw new SocketTimeoutException("slow");
                });
        assertThat(answer).isInstanceOf(Answer.RetryLater.class);
        assertThat(story(CHARGE, "k")).containsExactly("retry.attempt", "retry.exhausted");
    }

    @Test
    void resultThatCannotBeStoredUndoesTheEffect() throws Exception {
        var bytes = dev.semel.Operation.atomic("bytes", Order.class, byte[].class);
        var answer = engine.run(bytes, call("k"), (order, tx) -> {
            effects.apply(tx, "k");
            return new byte[(1 << 20) + 1];
        });
        assertThat(failure(answer).category()).isEqualTo(Category.BUG);
        assertThat(effects.count("k")).isZero();
    }

    /** A database that refuses to commit what a handler wrote, as deferred constraints do. */
    private Store refusing(Exception why, int times) {
        AtomicInteger left = new AtomicInteger(times);
        return new ForwardingStore(reopened()) {
            @Override
            public Optional<Transactions> transactions() {
                return super.transactions().map(each -> new ForwardingTransactions(each) {
                    @Override
                    public <T> T run(Work<T> work) throws Exception {
                        boolean[] refused = {false};
                        T value = super.run(tx -> {
                            Ended<T> ended = work.run(tx);
                            refused[0] = ended.keep() && left.getAndDecrement() > 0;
                            return refused[0] ? Ended.undo(ended.value()) : ended;
                        });
                        if (refused[0]) {
                            throw new CommitRefused(why);
                        }
                        return value;
                    }
                });
            }
        };
    }

    @Test
    void commitThatTheDatabaseRefusesIsAFailedAttempt() throws Exception {
        Engine node = start(refusing(new SQLException("simulated", "40001"), 1), settings -> settings);
        Answer<Receipt> answer = node.run(CHARGE, call("k"), charging("k"));
        assertExecuted(answer, "r-k");
        assertThat(effects.count("k")).isEqualTo(1);
        assertThat(story(CHARGE, "k")).containsExactly("retry.attempt", "operation.executed");
    }

    @Test
    void commitThatTheDatabaseRefusesEachTimeLeavesTheFailure() throws Exception {
        Engine node = start(
                refusing(Failure.of(Failure.Category.VALIDATION, "simulated").asException(), 1), settings -> settings);
        Answer<Receipt> answer = node.run(CHARGE, call("k"), charging("k"));
        assertThat(failure(answer).reason()).isEqualTo("simulated");
        assertThat(effects.count("k")).isZero();
        assertThat(state(CHARGE, "k")).isEqualTo(State.FAILED_TERMINAL);
        assertThat(story(CHARGE, "k")).containsExactly("system.error");
    }

    @Test
    void batchWhoseCommitTheDatabaseRefusesIsRunOneByOne() throws Exception {
        Engine node = start(refusing(new SQLException("simulated", "40001"), 1), settings -> settings);
        var answers = node.runAll(CHARGE, List.of(call("k"), call("kk")), (order, tx) -> {
            effects.apply(tx, "both");
            return new Receipt("r");
        });
        assertThat(answers).allMatch(Answer.Executed.class::isInstance);
        assertThat(effects.count("both")).isEqualTo(2);
    }
}
