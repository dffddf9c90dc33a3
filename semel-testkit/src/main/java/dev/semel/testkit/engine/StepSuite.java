package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Failure;
import dev.semel.Mode;
import dev.semel.SemelException;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Steps: done once, replayed in a later run, bound to the fence of their parent. */
abstract class StepSuite extends EngineSuite {
    private final List<String> done = new ArrayList<>();

    StepSuite(EngineContract contract) {
        super(contract);
    }

    private String act(String name) {
        done.add(name);
        return name;
    }

    @Test
    void secondRunSkipsFinishedSteps() {
        Answer<Receipt> answer = engine.run(NOTIFY, call("k"), (order, run) -> {
            String first = run.step("first", String.class, key -> act("first"));
            if (run.attempt() == 1) {
                throw new SocketTimeoutException("slow");
            }
            return new Receipt(first + run.step("second", String.class, key -> act("second")));
        });
        assertExecuted(answer, "firstsecond");
        assertThat(done).containsExactly("first", "second");
        assertThat(store.ledger().steps(id(NOTIFY, "k"))).hasSize(2);
    }

    @Test
    void stepHasItsOwnStableDownstreamKey() {
        List<String> keys = new ArrayList<>();
        engine.run(NOTIFY, call("k"), (order, run) -> {
            run.step("a", Void.class, key -> {
                keys.add(key);
                if (run.attempt() == 1) {
                    throw new SocketTimeoutException("slow");
                }
                return null;
            });
            run.step("b", Void.class, key -> {
                keys.add(key);
                return null;
            });
            return new Receipt("r");
        });
        assertThat(keys.get(0)).isEqualTo(keys.get(1)).isNotEqualTo(keys.get(2));
    }

    @Test
    void nameUsedTwiceInOneRunIsRejected() {
        Answer<Receipt> answer = engine.run(NOTIFY, call("k"), (order, run) -> {
            run.step("same", String.class, key -> act("same"));
            return new Receipt(run.step("same", String.class, key -> act("same")));
        });
        assertThat(failure(answer).exception()).isEqualTo(SemelException.Invalid.class.getName());
        assertThat(done).containsExactly("same");
    }

    @Test
    void interruptedStepThatMayNotBeRepeatedMakesItsParentUnknown() {
        var other = otherNode();
        Answer<Receipt> answer = engine.run(NOTIFY, call("k"), (order, run) -> {
            run.step("once", String.class, false, key -> {
                time.advance(LEASE);
                assertThat(other.run(
                                NOTIFY,
                                call("k"),
                                (o, r) -> new Receipt(r.step("once", String.class, false, k -> act("again")))))
                        .isInstanceOf(Answer.Unknown.class);
                return act("once");
            });
            return new Receipt("stale");
        });
        assertThat(answer).isInstanceOf(Answer.Unknown.class);
        assertThat(done).containsExactly("once");
        assertThat(state(NOTIFY, "k")).isEqualTo(State.UNKNOWN);
    }

    @Test
    void staleOwnerStartsNoStep() {
        var other = otherNode();
        Answer<Receipt> answer = engine.run(NOTIFY, call("k"), (order, run) -> {
            time.advance(LEASE);
            other.run(NOTIFY, call("k"), (o, r) -> new Receipt(r.step("pay", String.class, key -> act("other"))));
            return new Receipt(run.step("pay", String.class, key -> act("stale")));
        });
        assertReplayed(answer, "other");
        assertThat(done).containsExactly("other");
    }

    @Test
    void handlerThatSwallowsALostLeaseDoesNotComplete() {
        var other = otherNode();
        Answer<Receipt> answer = engine.run(NOTIFY, call("k"), (order, run) -> {
            time.advance(LEASE);
            other.run(NOTIFY, call("k"), (o, r) -> new Receipt("other"));
            try {
                run.step("pay", String.class, key -> act("stale"));
            } catch (SemelException.LeaseLost e) {
                return new Receipt("swallowed");
            }
            return new Receipt("never");
        });
        assertReplayed(answer, "other");
        assertThat(done).isEmpty();
    }

    @Test
    void stepThatRefusedForSureIsRunAgain() {
        Answer<Receipt> answer = engine.run(
                NOTIFY,
                call("k"),
                (order, run) -> new Receipt(run.step("pay", String.class, false, key -> {
                    act("try");
                    if (run.attempt() == 1) {
                        throw Failure.of(Failure.Category.RATE_LIMITED, "later").asException();
                    }
                    return "paid";
                })));
        assertExecuted(answer, "paid");
        assertThat(done).containsExactly("try", "try");
    }

    @Test
    void haltedBetweenTwoStepsTheRecordIsHandedBackWithItsAttempt() {
        var other = otherNode();
        Answer<Receipt> answer = engine.run(NOTIFY, call("k"), (order, run) -> {
            run.step("first", String.class, key -> act("first"));
            other.operator().setMode(new Switchboard.Setting(null, "notify", Mode.HALTED), new Warrant("ann", "stop"));
            return new Receipt(run.step("second", String.class, key -> act("second")));
        });
        assertThat(answer).isInstanceOf(Answer.Halted.class);
        assertThat(done).containsExactly("first");
        other.operator().setMode(new Switchboard.Setting(null, "notify", Mode.LIVE), new Warrant("ann", "go"));
        assertExecuted(
                engine.run(NOTIFY, call("k"), (order, run) -> {
                    assertThat(run.attempt()).isEqualTo(1);
                    run.step("first", String.class, key -> act("first"));
                    return new Receipt(run.step("second", String.class, key -> act("second")));
                }),
                "second");
        assertThat(done).containsExactly("first", "second");
    }

    @Test
    void d9_shadowBetweenTwoStepsMakesTheRecordShadowed() {
        var other = otherNode();
        Answer<Receipt> answer = engine.run(NOTIFY, call("k"), (order, run) -> {
            run.step("first", String.class, key -> act("first"));
            other.operator().setMode(new Switchboard.Setting(null, "notify", Mode.SHADOW), new Warrant("ann", "dry"));
            return new Receipt(run.step("second", String.class, key -> act("second")));
        });
        assertThat(answer).isInstanceOf(Answer.Shadowed.class);
        assertThat(done).containsExactly("first");
        assertThat(state(NOTIFY, "k")).isEqualTo(State.SHADOWED);
        assertThat(story(NOTIFY, "k")).containsExactly("operation.shadowed");
    }

    @Test
    void outputThatIsInvalidIsNotTriedAgainByItself() {
        Answer<Receipt> answer = engine.run(NOTIFY, call("k"), (order, run) -> {
            act("asked the model");
            throw Failure.of(Failure.Category.INVALID_OUTPUT, "The model answered prose.")
                    .asException();
        });
        assertThat(answer).isInstanceOf(Answer.Failed.class);
        assertThat(done).hasSize(1);
    }
}
