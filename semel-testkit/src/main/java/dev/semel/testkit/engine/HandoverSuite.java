package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.semel.Channel;
import dev.semel.LeasedContext;
import dev.semel.Reconciler;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.ledger.Transition;
import dev.semel.store.Move;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.history.Event.Reception;
import dev.semel.testkit.history.FencedReceiver;
import dev.semel.testkit.history.History;
import dev.semel.time.ManualTime;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Deliveries whose holder is paused or dies, and who has them afterwards. */
abstract class HandoverSuite extends ChannelFixture {
    private final List<Reception> received = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private FencedReceiver sink;

    HandoverSuite(EngineContract contract) {
        super(contract);
    }

    /** A receiver that checks keys and fences. */
    private void deliver(String key, long fence, int attempt) throws SQLException {
        if (sink == null) {
            sink = FencedReceiver.inMemory(History.inMemory("receiver", time));
        }
        received.add(sink.deliver(FencedReceiver.Delivery.of(key, fence, attempt, null)));
    }

    private void deliver(LeasedContext run) throws SQLException {
        deliver(run.downstreamKey(), run.fence(), run.attempt());
    }

    @Test
    void a2_staleOwnerOfAClaimIsRejectedAndItsWritesRollBack() throws Exception {
        Engine other = otherNode();
        other.handle(POST, (note, tx) -> effects.apply(tx, note.text()));
        Engine paused = pausedAfterItsClaim(new ManualTime(time.millis()), () -> {
            time.advance(LEASE.multipliedBy(3));
            work(other);
        });
        paused.handle(POST, (note, tx) -> {
            handled.add(note.text());
            effects.apply(tx, note.text());
        });
        send(POST, "m");
        work(paused);
        assertThat(handled).containsExactly("m");
        assertThat(effects.count("m")).isEqualTo(1);
        assertThat(row(POST, "m").state()).isEqualTo(State.COMPLETED);
        assertThat(story(POST, "m")).containsExactly("operation.queued", "operation.taken_over", "operation.executed");
    }

    @Test
    void a2_ownerThatIsPausedInItsTransactionIsRejectedAndItsWritesRollBack() throws Exception {
        assumeFalse(store.name().startsWith("sqlite"), "nobody else can write while a handler runs");
        Engine other = otherNode();
        other.handle(POST, (note, tx) -> effects.apply(tx, note.text()));
        engine.handle(POST, (note, tx) -> {
            effects.apply(tx, note.text());
            handled.add(note.text());
            time.advance(LEASE.multipliedBy(3));
            Thread elsewhere = new Thread(() -> work(other));
            elsewhere.start();
            elsewhere.join();
        });
        send(POST, "m");
        work();
        assertThat(handled).containsExactly("m");
        assertThat(effects.count("m")).isEqualTo(1);
        assertThat(row(POST, "m").state()).isEqualTo(State.COMPLETED);
    }

    @Test
    void a2_handlerPausedForThreeLeasesIsRejectedAndTheOtherResultStands() {
        Engine other = otherNode();
        other.handle(MAIL, (note, run) -> handled.add("other" + run.attempt()));
        engine.handle(MAIL, (note, run) -> {
            handled.add("first" + run.attempt());
            time.advance(LEASE.multipliedBy(3));
            work(other);
            assertThatThrownBy(run::ensureHeld).isInstanceOf(SemelException.LeaseLost.class);
        });
        send(MAIL, "m");
        work();
        assertThat(handled).containsExactly("first1", "other1");
        assertThat(row(MAIL, "m").state()).isEqualTo(State.COMPLETED);
        assertThat(row(MAIL, "m").status().attempt()).isEqualTo(1);
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "operation.taken_over", "operation.executed");
    }

    @Test
    void c2_nodeStartsNothingWhoseLeaseIsOverByItsOwnClock() throws Exception {
        Engine other = otherNode();
        other.handle(MAIL, (note, run) -> handled.add("other's " + note.text()));
        other.handle(POST, (note, tx) -> handled.add("other's " + note.text()));
        Engine cutOff = pausedAfterItsClaim(time, () -> {
            time.advance(LEASE.multipliedBy(3));
            work(other);
        });
        cutOff.handle(MAIL, listing());
        send(MAIL, "mail");
        work(cutOff);
        Engine cutOffToo = pausedAfterItsClaim(time, () -> {
            time.advance(LEASE.multipliedBy(3));
            work(other);
        });
        cutOffToo.handle(POST, (note, tx) -> handled.add(note.text()));
        send(POST, "post");
        work(cutOffToo);
        assertThat(handled).containsExactly("other's mail", "other's post");
    }

    @Test
    void c2_messageThatNeverStartedIsHandedBackAndNotUnknown() {
        Channel.Leased<Note> parking = MAIL.asUnrepeatable();
        for (Channel<Note> channel : List.of(parking, POST)) {
            List<Long> fences = new ArrayList<>();
            Engine paused = pausedAfterItsClaim(time, () -> {
                fences.add(row(channel, "m").status().fence());
                time.advance(LEASE);
            });
            paused.handle(parking, (note, run) -> handled.add(note.text() + run.attempt()));
            paused.handle(POST, (note, tx) -> handled.add(note.text() + tx.attempt()));
            send(channel, "m");
            paused.duties().worker().turn();
            assertThat(handled).isEmpty();
            assertThat(row(channel, "m").state()).isEqualTo(State.QUEUED);
            assertThat(row(channel, "m").status().attempt()).isZero();
            work(paused);
            assertThat(handled).containsExactly("m1");
            assertThat(row(channel, "m").state()).isEqualTo(State.COMPLETED);
            assertThat(row(channel, "m").status().fence()).isGreaterThan(fences.get(0));
            assertThat(story(channel, "m")).containsExactly("operation.queued", "operation.executed");
            handled.clear();
        }
    }

    @Test
    void c2_leaseIsTrustedUntilShortlyBeforeItsEndAndLongerOnceItIsRenewed() {
        Engine early = pausedAfterItsClaim(
                time, () -> time.advance(LEASE.multipliedBy(3).dividedBy(4)));
        early.handle(MAIL, (note, run) -> handled.add(note.text() + run.fence()));
        send(MAIL, "early");
        Engine late = pausedAfterItsClaim(
                time, () -> time.advance(LEASE.multipliedBy(9).dividedBy(10)));
        late.handle(CHAT, listing());
        send(CHAT, "late");
        early.duties().worker().turn();
        late.duties().worker().turn();
        assertThat(handled)
                .containsExactly("early" + row(MAIL, "early").status().fence());
        handled.clear();
        engine.handle(CHAT, (note, run) -> {
            handled.add(note.text());
            time.advance(LEASE.multipliedBy(9).dividedBy(10));
            engine.duties().keeper().tick();
        });
        send(CHAT, "next");
        engine.duties().worker().turn();
        assertThat(handled).containsExactly("late", "next");
    }

    @Test
    void a3_handlerPausedBetweenItsCheckAndItsCallIsRejectedByAReceiverThatChecks() {
        Engine other = otherNode();
        other.handle(MAIL, (note, run) -> deliver(run));
        engine.handle(MAIL, (note, run) -> {
            run.ensureHeld();
            time.advance(LEASE.multipliedBy(3));
            work(other);
            deliver(run);
        });
        send(MAIL, "m");
        work();
        assertThat(received).containsExactly(Reception.APPLIED, Reception.REFUSED);
        assertThat(row(MAIL, "m").state()).isEqualTo(State.COMPLETED);
    }

    @Test
    void a3_callThatWasMadeBeforeThePauseIsRecognisedWhenItIsMadeAgain() {
        Engine other = otherNode();
        other.handle(MAIL, (note, run) -> deliver(run));
        engine.handle(MAIL, (note, run) -> {
            run.ensureHeld();
            deliver(run);
            time.advance(LEASE.multipliedBy(3));
            work(other);
        });
        send(MAIL, "m");
        work();
        assertThat(received).containsExactly(Reception.APPLIED, Reception.REPEATED);
    }

    @Test
    void a4_interruptedDeliveryOfAParkingChannelIsUnknownAndNeverRunAgain() {
        Channel.Leased<Note> parking = MAIL.asUnrepeatable();
        engine.handle(parking, listing());
        send(parking, "m");
        claim(parking);
        time.advance(LEASE.plusSeconds(1));
        work();
        engine.duties().sweeper().sweep();
        work();
        assertThat(handled).isEmpty();
        assertThat(row(parking, "m").state()).isEqualTo(State.UNKNOWN);
    }

    @Test
    void a4_reconcilerOfAnUnrepeatableChannelDecides() {
        Channel.Leased<Note> parking = MAIL.asUnrepeatable();
        List<String> asked = new ArrayList<>();
        engine.handle(parking, listing());
        engine.reconcile(parking, (note, what) -> {
            asked.add(note.text() + what.attempt());
            return note.text().equals("done")
                    ? new Reconciler.Verdict.TookEffect<>(null)
                    : new Reconciler.Verdict.StillUnknown<>("ask a person");
        });
        for (String key : List.of("done", "open")) {
            send(parking, key);
            claim(parking);
        }
        time.advance(LEASE.plusSeconds(1));
        engine.duties().sweeper().sweep();
        engine.duties().reconciliation().reconcile();
        work();
        assertThat(asked).containsExactlyInAnyOrder("done1", "open1");
        assertThat(handled).isEmpty();
        assertThat(row(parking, "done").state()).isEqualTo(State.COMPLETED);
        assertThat(row(parking, "open").state()).isEqualTo(State.UNKNOWN);
        assertThat(story(parking, "done"))
                .containsExactly("operation.queued", "operation.unknown", "operation.reconciled");
    }

    @Test
    void d1_crashBetweenEffectAndFinishIsDeliveredAgainUnderTheSameKey() throws Exception {
        send(MAIL, "m");
        Row dying = claim(MAIL);
        deliver(dying.id().downstreamKey(), dying.status().fence(), 1);
        engine.handle(MAIL, (note, run) -> {
            handled.add(note.text() + run.attempt());
            deliver(run);
        });
        work();
        assertThat(handled).isEmpty();
        time.advance(LEASE.plusSeconds(1));
        work();
        assertThat(handled).containsExactly("m1");
        assertThat(received).containsExactly(Reception.APPLIED, Reception.REPEATED);
        assertThat(row(MAIL, "m").status().fence()).isGreaterThan(dying.status().fence());
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "operation.taken_over", "operation.executed");
    }

    @Test
    void a12_handlerThatKeepsDyingIsBoundedAndThenParked() {
        engine.handle(POST, (note, tx) -> handled.add(note.text()));
        send(POST, "m");
        for (int i = 1; i <= 3; i++) {
            Row row = claim(POST);
            Move.Change counted = new Move.Change(LEASE.toMillis(), 0, i, false, null, null);
            store.ledger()
                    .move(List.of(Transition.BEGIN.of(row.id(), row.status().fence(), counted, null)));
            time.advance(LEASE.plusSeconds(1));
        }
        work();
        engine.duties().sweeper().sweep();
        assertThat(handled).isEmpty();
        assertThat(row(POST, "m").state()).isEqualTo(State.FAILED_TERMINAL);
    }

    /** The same channel as a node knows it that runs an older version of the application. */
    record OlderNote(int lane) {}

    private static final Channel.Leased<OlderNote> OLDER_MAIL =
            Channel.leased(MAIL.name(), OlderNote.class).withPolicy("steady");

    @Test
    void d13_messageThatANodeCannotReadIsLeftToOneThatCan() {
        Engine older = otherNode();
        older.handle(OLDER_MAIL, (note, run) -> handled.add("older"));
        engine.handle(MAIL, (note, run) -> handled.add(note.text() + run.attempt()));
        send(MAIL, "m");
        work(older);
        assertThat(row(MAIL, "m").state()).isEqualTo(State.QUEUED);
        assertThat(row(MAIL, "m").status().attempt()).isZero();
        time.advance(Duration.ofSeconds(2));
        work();
        assertThat(handled).containsExactly("m1");
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "operation.executed");
    }

    @Test
    void d13_messageThatNoNodeCanReadIsDeadWithItsStoryAfterAWhile() {
        engine.handle(OLDER_MAIL, (note, run) -> handled.add("older"));
        send(MAIL, "m");
        send(MAIL, "n");
        for (int i = 0; i < 10; i++) {
            work();
            assertThat(row(MAIL, "m").state()).isEqualTo(State.QUEUED);
            time.advance(Duration.ofSeconds(513));
        }
        work();
        assertThat(row(MAIL, "m").state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(row(MAIL, "m").failure()).asString().contains("mapping");
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "system.error");
        assertThat(handled).isEmpty();
    }
}
