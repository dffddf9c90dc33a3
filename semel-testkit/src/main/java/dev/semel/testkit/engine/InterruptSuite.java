package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Sent;
import dev.semel.store.State;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A16: threads that are interrupted in the middle of a run. The answer is right, and the interrupt is kept. */
abstract class InterruptSuite extends ChannelFixture {
    InterruptSuite(EngineContract contract) {
        super(contract);
    }

    private static void keptInterrupt() {
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
    }

    @Test
    void a16_leasedHandlerThatReturnsInterruptedFinishesItsRun() {
        Answer<Receipt> answer = engine.run(REFUND, call("k"), (order, run) -> {
            Thread.currentThread().interrupt();
            return new Receipt("r");
        });
        keptInterrupt();
        assertExecuted(answer, "r");
        assertThat(state(REFUND, "k")).isEqualTo(State.COMPLETED);
    }

    @Test
    void a16_atomicHandlerThatReturnsInterruptedKeepsItsEffect() throws Exception {
        Answer<Receipt> answer = engine.run(CHARGE, call("k"), (order, tx) -> {
            effects.apply(tx, "k");
            Thread.currentThread().interrupt();
            return new Receipt("r");
        });
        keptInterrupt();
        assertExecuted(answer, "r");
        assertThat(effects.count("k")).isEqualTo(1);
    }

    @Test
    void a16_batchOfLeasedCallsWhoseHandlersReturnInterruptedIsFinished() {
        var answers = engine.runAll(NOTIFY, List.of(call("k"), call("kk"), call("kkk")), (order, run) -> {
            Thread.currentThread().interrupt();
            return new Receipt("r");
        });
        keptInterrupt();
        assertThat(answers).allMatch(Answer.Executed.class::isInstance);
        assertThat(state(NOTIFY, "kkk")).isEqualTo(State.COMPLETED);
    }

    @Test
    void a16_leasedMessageWhoseHandlerReturnsInterruptedIsFinished() {
        engine.handle(MAIL, (note, run) -> {
            handled.add(note.text());
            Thread.currentThread().interrupt();
        });
        send(MAIL, "m");
        engine.duties().worker().turn();
        keptInterrupt();
        work();
        assertThat(handled).containsExactly("m");
        assertThat(row(MAIL, "m").state()).isEqualTo(State.COMPLETED);
    }

    @Test
    void a16_atomicMessageWhoseHandlerReturnsInterruptedIsFinished() throws Exception {
        engine.handle(BOOK, (note, tx) -> {
            effects.apply(tx, note.text());
            Thread.currentThread().interrupt();
        });
        send(BOOK, "b");
        engine.duties().worker().turn();
        keptInterrupt();
        assertThat(effects.count("b")).isEqualTo(1);
        assertThat(row(BOOK, "b").state()).isEqualTo(State.COMPLETED);
        assertThat(row(BOOK, "b").status().attempt()).isEqualTo(1);
    }

    @Test
    void a16_interruptedSenderGetsAcceptedForAStoredMessage() {
        Thread.currentThread().interrupt();
        var sent = send(MAIL, "m");
        keptInterrupt();
        assertThat(sent).isInstanceOf(Sent.Accepted.class);
        assertThat(row(MAIL, "m").state()).isEqualTo(State.QUEUED);
    }
}
