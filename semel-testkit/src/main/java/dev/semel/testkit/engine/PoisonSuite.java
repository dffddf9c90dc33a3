package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.operator.Explanation;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A node that dies spends no attempt of what it had only claimed, and a message that kills its node dies alone. */
abstract class PoisonSuite extends ChannelFixture {
    private static final int MESSAGES = 50;
    private static final int MAX_ATTEMPTS = STEADY.retry().maxAttempts();

    /** More often than the policy has attempts. */
    private static final int DEATHS = MAX_ATTEMPTS + 3;

    private final List<Integer> poisoned = new ArrayList<>();

    PoisonSuite(EngineContract contract) {
        super(contract);
    }

    /** A node that is gone from the moment it handles the poison: nothing it does afterwards reaches the store. */
    private void workUntilDeath(Channel<Note> channel, String poison) {
        AtomicBoolean dead = new AtomicBoolean();
        Engine node = start(
                new FaultyStore(reopened(), call -> dead.get() ? Faults.Fault.FAIL_BEFORE : Faults.Fault.NONE),
                settings -> settings);
        if (channel instanceof Channel.Leased<Note> leased) {
            node.handle(leased, (note, run) -> handle(note, run.attempt(), dead, poison));
        } else if (channel instanceof Channel.Atomic<Note> atomic) {
            node.handle(atomic, (note, tx) -> {
                handle(note, tx.attempt(), dead, poison);
                effects.apply(tx, note.text());
            });
        }
        try {
            work(node);
        } catch (SemelException.StoreUnavailable gone) {
            assertThat(dead).isTrue();
        }
    }

    private void handle(Note note, int attempt, AtomicBoolean dead, String poison) {
        if (dead.get()) {
            throw new IllegalStateException("This node is dead.");
        }
        if (note.text().equals(poison)) {
            poisoned.add(attempt);
            dead.set(true);
            throw new IllegalStateException("The poisonous message kills its node.");
        }
        handled.add(note.text() + attempt);
    }

    private void sendAll(Channel<Note> channel) {
        IntStream.range(0, MESSAGES).forEach(i -> send(channel, "m" + i));
    }

    private void dieOften(Channel<Note> channel, String poison) {
        for (int i = 0; i < DEATHS; i++) {
            workUntilDeath(channel, poison);
            time.advance(LEASE.plusSeconds(1));
            engine.duties().sweeper().sweep();
        }
        workUntilDeath(channel, poison);
    }

    /** They are handled once, in the first attempt or in that which was counted when they were taken over: the first, too. */
    private void assertAllButThePoisonAreDone(Channel<Note> channel, String poison) {
        List<String> others = IntStream.range(0, MESSAGES)
                .mapToObj(i -> "m" + i)
                .filter(key -> !key.equals(poison))
                .toList();
        assertThat(handled)
                .containsExactlyInAnyOrderElementsOf(
                        others.stream().map(key -> key + 1).toList());
        for (String key : others) {
            assertThat(row(channel, key).state()).as(key).isEqualTo(State.COMPLETED);
            assertThat(row(channel, key).status().attempt()).as(key).isEqualTo(1);
        }
    }

    private void assertPoisonEndedAfterItsAttempts(
            Channel<Note> channel, String poison, State state, String... events) {
        assertThat(poisoned)
                .as("attempt numbers of the poison's runs; the first run was not counted, because its node died in it")
                .containsExactly(1, 1, 2, 3);
        Row row = row(channel, poison);
        assertThat(row.state()).isEqualTo(state);
        assertThat(row.status().attempt()).isEqualTo(MAX_ATTEMPTS);
        assertThat(row.failure()).asString().contains("lease_lost").contains("3 of 3 attempts");
        List<String> story = new ArrayList<>(
                List.of("operation.queued", "operation.taken_over", "operation.taken_over", "operation.taken_over"));
        story.addAll(List.of(events));
        assertThat(story(channel, poison)).isEqualTo(story);
    }

    @Test
    void d3_laneOfARepeatedlyDyingNodeContinuesWithoutItsPoisonousHead() {
        sendAll(CHAT);
        engine.handle(CHAT, listing());
        dieOften(CHAT, "m0");
        assertAllButThePoisonAreDone(CHAT, "m0");
        assertPoisonEndedAfterItsAttempts(CHAT, "m0", State.UNKNOWN, "operation.unknown");
    }

    @Test
    void d3_messagesWithoutALaneAreDoneAlthoughTheirNodeDiesRepeatedly() {
        sendAll(MAIL);
        engine.handle(MAIL, listing());
        dieOften(MAIL, "m7");
        assertAllButThePoisonAreDone(MAIL, "m7");
        assertPoisonEndedAfterItsAttempts(MAIL, "m7", State.UNKNOWN, "operation.unknown");
    }

    @Test
    void d3_poisonOfAnAtomicChannelIsADeadLetterAndItsLaneContinues() throws Exception {
        sendAll(BOOK);
        engine.handle(BOOK, (note, tx) -> handled.add(note.text()));
        dieOften(BOOK, "m0");
        for (int i = 1; i < MESSAGES; i++) {
            assertThat(row(BOOK, "m" + i).state()).isEqualTo(State.COMPLETED);
            assertThat(row(BOOK, "m" + i).status().attempt()).isEqualTo(1);
            assertThat(effects.count("m" + i)).isEqualTo(1);
        }
        assertPoisonEndedAfterItsAttempts(BOOK, "m0", State.FAILED_TERMINAL, "retry.exhausted", "system.error");
        Explanation explained = engine.operator().explain(row(BOOK, "m0"));
        assertThat(explained.sentence()).contains("dead after 3 attempts");
    }

    @Test
    void d3_messageThatWasOnlyClaimedByNodesThatDiedHasAllItsAttempts() {
        send(MAIL, "m");
        for (int i = 0; i < 2 * MAX_ATTEMPTS; i++) {
            claim(MAIL);
            time.advance(LEASE.plusSeconds(1));
            engine.duties().sweeper().sweep();
        }
        engine.handle(MAIL, (note, run) -> {
            handled.add(note.text() + run.attempt());
            if (run.attempt() < MAX_ATTEMPTS) {
                throw failing(Failure.Category.NETWORK);
            }
        });
        workThrough(LEASE, MAX_ATTEMPTS);
        assertThat(handled).containsExactly("m1", "m2", "m3");
        assertThat(row(MAIL, "m").state()).isEqualTo(State.COMPLETED);
        assertThat(row(MAIL, "m").status().attempt()).isEqualTo(MAX_ATTEMPTS);
    }

    @Test
    void d3_attemptOfAMessageThatWasTakenOverIsCountedBeforeItsHandlerBegins() {
        List<Integer> counted = new ArrayList<>();
        for (Channel<Note> channel : List.of(MAIL, POST)) {
            send(channel, "taken over");
            claim(channel);
        }
        time.advance(LEASE.plusSeconds(1));
        send(MAIL, "fresh");
        engine.handle(MAIL, (note, run) -> {
            Status status = row(MAIL, note.text()).status();
            assertThat(status.fence()).isEqualTo(run.fence());
            handled.add(note.text() + run.attempt());
            counted.add(status.attempt());
        });
        engine.handle(POST, (note, tx) -> handled.add(note.text() + tx.attempt()));
        work();
        assertThat(handled).containsExactlyInAnyOrder("taken over1", "fresh1", "taken over1");
        assertThat(counted).containsExactlyInAnyOrder(1, 0);
        assertThat(row(MAIL, "taken over").status().attempt()).isEqualTo(1);
        assertThat(row(MAIL, "fresh").status().attempt()).isEqualTo(1);
        assertThat(row(POST, "taken over").status().attempt()).isEqualTo(1);
    }

    @Test
    void d3_messageThatWasTakenOverAndHandedBackIsStillRunAloneAndItsAttemptIsNotSpent() {
        send(MAIL, "m");
        claim(MAIL);
        time.advance(LEASE.plusSeconds(1));
        Engine tooLate = pausedAfterItsClaim(
                time, () -> time.advance(LEASE.multipliedBy(9).dividedBy(10)));
        tooLate.handle(MAIL, listing());
        tooLate.duties().worker().turn();
        Row back = row(MAIL, "m");
        assertThat(back.state()).isEqualTo(State.QUEUED);
        assertThat(back.status().attempt()).isZero();
        assertThat(back.failure()).asString().contains("lease_lost");
        engine.handle(
                MAIL, (note, run) -> handled.add(row(MAIL, "m").status().attempt() + " counted of " + run.attempt()));
        work();
        assertThat(handled).containsExactly("1 counted of 1");
        assertThat(row(MAIL, "m").state()).isEqualTo(State.COMPLETED);
    }

    @Test
    void d3_messageThatFailedAfterItWasTakenOverIsHarmlessAndRetriedLikeAnyOther() {
        send(MAIL, "m");
        claim(MAIL);
        time.advance(LEASE.plusSeconds(1));
        List<Integer> counted = new ArrayList<>();
        engine.handle(MAIL, (note, run) -> {
            counted.add(row(MAIL, "m").status().attempt());
            handled.add(note.text() + run.attempt());
            if (run.attempt() == 1) {
                throw failing(Failure.Category.NETWORK);
            }
        });
        workThrough(LEASE, 2);
        assertThat(handled).containsExactly("m1", "m2");
        assertThat(counted).containsExactly(1, 1);
        assertThat(story(MAIL, "m"))
                .containsExactly("operation.queued", "operation.taken_over", "retry.attempt", "operation.executed");
    }
}
