package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.engine.Engine;
import dev.semel.store.State;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Transactions of claimed messages that the store commits and whose replies are lost. */
abstract class LostCommitSuite extends ChannelFixture {
    private static final List<String> KEYS = List.of("m1", "m2", "m3");

    LostCommitSuite(EngineContract contract) {
        super(contract);
    }

    /** Loses the reply to the first commit that a handler took part in. */
    private static final class LostReply implements Faults {
        private final Fault fault;
        private final boolean interrupts;
        private final AtomicInteger commits = new AtomicInteger();

        LostReply(Fault fault, boolean interrupts) {
            this.fault = fault;
            this.interrupts = interrupts;
        }

        @Override
        public Fault at(StoreCall call) {
            return call == StoreCall.COMMIT && commits.incrementAndGet() == 1 ? fault : Fault.NONE;
        }

        @Override
        public void done(StoreCall call) {
            if (interrupts && call == StoreCall.COMMIT && commits.get() == 1) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Engine losing(Faults faults) {
        Engine node = start(new FaultyStore(reopened(), faults), settings -> settings);
        node.handle(POST, (note, tx) -> effects.apply(tx, note.text()));
        node.handle(BOOK, (note, tx) -> effects.apply(tx, note.text()));
        return node;
    }

    private void takesEffectOnce(Channel.Atomic<Note> channel) throws Exception {
        for (String key : KEYS) {
            assertThat(effects.count(key)).as(key).isEqualTo(1);
            assertThat(row(channel, key).state()).as(key).isEqualTo(State.COMPLETED);
            assertThat(row(channel, key).status().attempt()).as(key).isEqualTo(1);
            assertThat(story(channel, key)).as(key).containsExactly("operation.queued", "operation.executed");
        }
    }

    @Test
    void a15_messageWhoseCommitReplyIsLostKeepsItsEffectOnce() throws Exception {
        Engine node = losing(new LostReply(Faults.Fault.LOSE_REPLY, false));
        KEYS.forEach(key -> send(POST, key));
        work(node);
        takesEffectOnce(POST);
    }

    @Test
    void a15_batchWhoseCommitReplyIsLostKeepsEachEffectOnce() throws Exception {
        Engine node = losing(new LostReply(Faults.Fault.LOSE_REPLY, false));
        KEYS.forEach(key -> send(BOOK, key));
        work(node);
        takesEffectOnce(BOOK);
    }

    @Test
    void a15_batchWhoseCommitReplyIsLostOnAnInterruptedThreadKeepsEachEffectOnce() throws Exception {
        Engine node = losing(new LostReply(Faults.Fault.LOSE_REPLY, true));
        KEYS.forEach(key -> send(BOOK, key));
        node.duties().worker().turn();
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
        work(node);
        takesEffectOnce(BOOK);
    }

    @Test
    void a15_batchThatWasNotCommittedAlthoughItsOutcomeIsUnknownRunsAgain() throws Exception {
        Engine node = losing(new LostReply(Faults.Fault.UNKNOWN, false));
        KEYS.forEach(key -> send(BOOK, key));
        work(node);
        takesEffectOnce(BOOK);
    }
}
