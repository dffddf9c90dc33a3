package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Key;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator.Warrant;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Operations whose calls are mostly duplicates: answered by a read without a transaction, and as correctly as before. */
abstract class FrequentDuplicatesSuite extends EngineSuite {
    private static final int ENOUGH = 40;

    private final List<StoreCall> calls = new ArrayList<>();

    FrequentDuplicatesSuite(EngineContract contract) {
        super(contract);
    }

    private Engine counting() {
        Faults faults = call -> {
            if (call != StoreCall.MODES) {
                calls.add(call);
            }
            return Faults.Fault.NONE;
        };
        return start(new FaultyStore(reopened(), faults), settings -> settings);
    }

    private Answer<Receipt> charge(Engine node, String key) {
        return node.run(CHARGE, call(key), charging(key));
    }

    private static Answer<Receipt> refund(Engine node, String key) {
        return node.run(REFUND, call(key), (order, run) -> new Receipt("r-" + key));
    }

    @Test
    void atomicReplaysNeedNoTransactionOnceMostCallsAreReplays() {
        Engine node = counting();
        for (int i = 0; i < ENOUGH; i++) {
            charge(node, "k");
        }
        calls.clear();
        assertThat(charge(node, "k")).isInstanceOf(Answer.Replayed.class);
        assertThat(calls).containsExactly(StoreCall.FIND);
        assertThat(node.run(CHARGE, otherPayload("k"), charging("k"))).isInstanceOf(Answer.Conflict.class);
    }

    @Test
    void leasedReplaysNeedNoReservationOnceMostCallsAreReplays() {
        Engine node = counting();
        for (int i = 0; i < ENOUGH; i++) {
            refund(node, "k");
        }
        calls.clear();
        assertThat(refund(node, "k")).isInstanceOf(Answer.Replayed.class);
        assertThat(calls).containsExactly(StoreCall.FIND);
        assertThat(node.run(REFUND, otherPayload("k"), (order, run) -> new Receipt("other")))
                .isInstanceOf(Answer.Conflict.class);
    }

    @Test
    void firstCallsLookNothingUpWhileMostCallsAreFirstCalls() {
        Engine node = counting();
        for (int i = 0; i < ENOUGH; i++) {
            charge(node, "k" + i);
            refund(node, "k" + i);
        }
        assertThat(calls).doesNotContain(StoreCall.FIND);
    }

    @Test
    void firstCallsAfterManyReplaysRunOnceAndTheLookupsEnd() throws Exception {
        Engine node = counting();
        for (int i = 0; i < ENOUGH; i++) {
            charge(node, "k");
        }
        for (int i = 0; i < ENOUGH; i++) {
            assertThat(charge(node, "new-" + i)).isInstanceOf(Answer.Executed.class);
            assertThat(effects.count("new-" + i)).isEqualTo(1);
        }
        calls.clear();
        charge(node, "last");
        assertThat(calls).doesNotContain(StoreCall.FIND);
    }

    @Test
    void recordThatAnOperatorForgotRunsAgainAlsoAfterManyReplays() throws Exception {
        Engine node = counting();
        for (int i = 0; i < ENOUGH; i++) {
            charge(node, "k");
        }
        engine.operator().forget(ACME, CHARGE.name(), Key.of("k"), new Warrant("ann", "test"));
        assertThat(charge(node, "k")).isInstanceOf(Answer.Executed.class);
        assertThat(effects.count("k")).isEqualTo(2);
    }

    @Test
    void expiredResultIsNotReplayedAlsoAfterManyReplays() {
        Engine node = counting();
        for (int i = 0; i < ENOUGH; i++) {
            refund(node, "k");
        }
        time.advance(STEADY.retention().success());
        assertThat(refund(node, "k")).isInstanceOf(Answer.Executed.class);
    }
}
