package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Policy;
import dev.semel.Reconciler;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator.Warrant;
import dev.semel.operator.Replays;
import dev.semel.store.Ledger;
import dev.semel.store.Line;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** First in, first out, one at a time: through retries, takeovers, deaths and switches. */
abstract class LaneSuite extends ChannelFixture {
    private static final Warrant WARRANT = new Warrant("ann", "test");
    private static final Policy CONTINUING = STEADY.toBuilder()
            .withName("continuing")
            .withDeadHead(Policy.DeadHead.CONTINUE)
            .build();
    private static final Policy PARKING = STEADY.toBuilder()
            .withName("parking")
            .withDeadHead(Policy.DeadHead.PARK_LANE)
            .build();

    LaneSuite(EngineContract contract) {
        super(contract);
    }

    private void sendAll(Channel<Note> channel, String lane, String... keys) {
        for (String key : keys) {
            send(channel, key, lane);
        }
    }

    @Test
    void d7_laneIsHandledInTheOrderOfItsSends() {
        sendAll(CHAT, "x", "x1", "x2", "x3");
        sendAll(CHAT, "y", "y1", "y2");
        engine.handle(CHAT, listing());
        work();
        sendAll(CHAT, "x", "x4");
        work();
        assertThat(handled.stream().filter(each -> each.startsWith("x"))).containsExactly("x1", "x2", "x3", "x4");
        assertThat(handled.stream().filter(each -> each.startsWith("y"))).containsExactly("y1", "y2");
        assertThat(line(CHAT, "x4").turn()).isEqualTo(Line.Turn.OUT);
    }

    @Test
    void d7_retryHoldsItsLaneUpAndNoOther() {
        List<String> failing = new ArrayList<>(List.of("x2"));
        engine.handle(CHAT, (note, run) -> {
            if (failing.contains(note.text())) {
                throw failing(Failure.Category.NETWORK);
            }
            handled.add(note.text());
        });
        sendAll(CHAT, "x", "x1", "x2", "x3");
        sendAll(CHAT, "y", "y1", "y2");
        work();
        assertThat(handled).containsExactlyInAnyOrder("x1", "y1", "y2");
        assertThat(row(CHAT, "x3").status().attempt()).isZero();
        assertThat(line(CHAT, "x2").turn()).isEqualTo(Line.Turn.HEAD);
        failing.clear();
        time.advance(Duration.ofSeconds(2));
        work();
        assertThat(handled.subList(3, 5)).containsExactly("x2", "x3");
    }

    @Test
    void d7_runThatDiedIsTakenOverInItsOrder() {
        sendAll(CHAT, "x", "x1", "x2", "x3");
        assertThat(claim(CHAT, 2)).hasSize(2);
        sendAll(CHAT, "x", "x4");
        engine.handle(CHAT, listing());
        work();
        assertThat(handled).isEmpty();
        time.advance(LEASE.plusSeconds(1));
        work();
        assertThat(handled).containsExactly("x1", "x2", "x3", "x4");
    }

    @Test
    void d7_deadHeadLetsItsLaneContinueIfThePolicySaysSo() {
        deliverBehindADeadHead("continuing");
        assertThat(handled).containsExactlyInAnyOrder("x2", "y1");
        assertThat(row(CHAT, "x1").state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(line(CHAT, "x1").turn()).isEqualTo(Line.Turn.OUT);
    }

    @Test
    void d7_deadHeadParksItsLaneIfThePolicySaysSo() {
        Engine node = deliverBehindADeadHead("parking");
        assertThat(handled).containsExactly("y1");
        assertThat(store.queue().orElseThrow().backlog("chat").parkedLanes()).isEqualTo(1);
        time.advance(Duration.ofDays(60));
        node.duties().purger().purge();
        assertThat(row(CHAT, "x1").state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(row(CHAT, "x2").state()).isEqualTo(State.QUEUED);
    }

    @Test
    void d7_afterAnAdoptionALaneContinuesUnderContinue() {
        Engine node = start(store, settings -> settings.withPolicy(CONTINUING).withPolicy(PARKING));
        Channel.Leased<Note> chat = CHAT.withPolicy("continuing");
        sendAll(CHAT, "x", "x1", "x2", "x3");
        assertThat(claim(chat, 2)).hasSize(2);
        node.operator().adopt(WARRANT);
        node.handle(chat, listing());
        node.duties().reconciliation().reconcile();
        work(node);
        assertThat(handled).containsExactly("x3");
        assertThat(row(chat, "x1").state()).isEqualTo(State.UNKNOWN);
        assertThat(line(chat, "x1").turn()).isEqualTo(Line.Turn.OUT);
        assertThat(line(chat, "x2").turn()).isEqualTo(Line.Turn.OUT);
    }

    @Test
    void d7_afterAnAdoptionALaneStaysParkedIfThePolicySaysSo() {
        Engine node = start(store, settings -> settings.withPolicy(CONTINUING).withPolicy(PARKING));
        Channel.Leased<Note> chat = CHAT.withPolicy("parking");
        sendAll(CHAT, "x", "x1", "x2");
        assertThat(claim(chat, 1)).hasSize(1);
        node.operator().adopt(WARRANT);
        node.handle(chat, listing());
        node.duties().reconciliation().reconcile();
        work(node);
        assertThat(handled).isEmpty();
        assertThat(line(chat, "x1").turn()).isEqualTo(Line.Turn.HEAD);
    }

    /** Its node claimed it and stood still while the store was adopted and the lane went on: its effect would come behind the next one's. */
    @Test
    void d7_atomicMessageWhoseLaneContinuedWithoutItIsRolledBack() {
        Channel.Atomic<Note> book = BOOK.withPolicy("continuing");
        Engine other = start(store, settings -> settings.withPolicy(CONTINUING));
        Engine paused = start(
                pausingAfterItsClaim(() -> {
                    other.operator().adopt(WARRANT);
                    other.handle(book, (note, tx) -> handled.add(note.text()));
                    other.duties().reconciliation().reconcile();
                    other.send(book, note("x2", "x"));
                    work(other);
                }),
                settings -> settings.withPolicy(CONTINUING));
        paused.send(book, note("x1", "x"));
        paused.handle(book, (note, tx) -> {});
        work(paused);
        assertThat(handled).containsExactly("x2");
        assertThat(row(book, "x1").state()).isEqualTo(State.UNKNOWN);
    }

    /** In a lane that waits for it nothing overtakes it, so its end is taken. */
    @Test
    void d7_atomicMessageWhoseLaneWaitedForItMayEndLate() {
        Channel.Atomic<Note> book = BOOK.withPolicy("parking");
        Engine other = start(store, settings -> settings.withPolicy(PARKING));
        Engine paused = start(
                pausingAfterItsClaim(() -> other.operator().adopt(WARRANT)), settings -> settings.withPolicy(PARKING));
        paused.send(book, note("x1", "x"));
        paused.handle(book, (note, tx) -> handled.add(note.text()));
        work(paused);
        assertThat(handled).containsExactly("x1");
        assertThat(row(book, "x1").state()).isEqualTo(State.COMPLETED);
    }

    /** Between an operator's look at an adopted head and the replay a node takes the head out of its lane. */
    @Test
    void d7_replayOfAHeadThatLeavesItsLaneMeanwhileJoinsTheLaneAgain() {
        Engine node = start(store, settings -> settings.withPolicy(CONTINUING));
        Channel.Leased<Note> chat = CHAT.withPolicy("continuing");
        sendAll(CHAT, "x", "x1", "x2");
        assertThat(claim(chat, 1)).hasSize(1);
        node.operator().adopt(WARRANT);
        node.handle(chat, listing());
        assertThat(line(chat, "x1").turn()).isEqualTo(Line.Turn.HEAD);
        AtomicBoolean left = new AtomicBoolean();
        Engine console = start(movingAfter(() -> left.compareAndSet(false, true), node), settings -> settings);
        assertThat(console.operator().replay(row(chat, "x1").id(), WARRANT)).isEqualTo(Replays.ReplayOutcome.DONE);
        assertThat(left).isTrue();
        work(node);
        assertThat(handled).containsExactlyInAnyOrder("x1", "x2");
        assertThat(row(chat, "x1").state()).isEqualTo(State.COMPLETED);
    }

    /** A store for an operator, whose first move comes after the node's reconciliation. */
    private Store movingAfter(BooleanSupplier first, Engine node) {
        return new ForwardingStore(reopened()) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(super.ledger()) {
                    @Override
                    public List<Moved> move(List<Move> batch) {
                        if (first.getAsBoolean()) {
                            node.duties().reconciliation().reconcile();
                        }
                        return super.move(batch);
                    }
                };
            }
        };
    }

    /** x1 cannot be handled, x2 is behind it, and y1 is in another lane. */
    private Engine deliverBehindADeadHead(String policy) {
        Engine node = start(store, settings -> settings.withPolicy(CONTINUING).withPolicy(PARKING));
        Channel.Leased<Note> channel = CHAT.withPolicy(policy);
        node.handle(channel, (note, run) -> {
            if (note.text().equals("x1")) {
                throw failing(Failure.Category.VALIDATION);
            }
            handled.add(note.text());
        });
        for (String key : List.of("x1", "x2", "y1")) {
            node.send(channel, note(key, key.substring(0, 1)));
        }
        work(node);
        return node;
    }

    /** The node dies before it could write that its head is dead: the head comes again, and nobody may have gone before it. */
    @Test
    void d7_thoseBehindADeadHeadWaitUntilItsEndIsWritten() {
        for (Channel<Note> channel : List.of(CHAT.withPolicy("continuing"), BOOK.withPolicy("continuing"))) {
            List<String> failing = new ArrayList<>(List.of("x1"));
            Engine dying = start(cutOffFromItsEnds(), settings -> settings.withPolicy(CONTINUING));
            handle(dying, channel, failing);
            dying.send(channel, note("x1", "x"));
            dying.send(channel, note("x2", "x"));
            dying.duties().worker().turn();
            assertThat(handled).as(channel.name()).isEmpty();
            failing.clear();
            Engine next = start(reopened(), settings -> settings.withPolicy(CONTINUING));
            handle(next, channel, failing);
            time.advance(LEASE.plusSeconds(1));
            work(next);
            assertThat(handled).as(channel.name()).containsExactly("x1", "x2");
            handled.clear();
        }
    }

    private void handle(Engine node, Channel<Note> channel, List<String> failing) {
        if (channel instanceof Channel.Leased<Note> leased) {
            node.handle(leased, (note, run) -> list(note, failing));
        } else {
            node.handle((Channel.Atomic<Note>) channel, (note, tx) -> list(note, failing));
        }
    }

    private void list(Note note, List<String> failing) {
        if (failing.contains(note.text())) {
            throw failing(Failure.Category.VALIDATION);
        }
        handled.add(note.text());
    }

    /** A store that takes claims and transactions of a node, and no end that comes by itself. */
    private Store cutOffFromItsEnds() {
        return new ForwardingStore(reopened()) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(super.ledger()) {
                    @Override
                    public List<Moved> move(List<Move> batch) {
                        throw new IllegalStateException("simulated: the node is gone");
                    }
                };
            }
        };
    }

    @Test
    void d7_parkedHeadThatItsReconcilerFindsDoneLetsItsLaneContinue() {
        assertThat(reconciled("parking", new Reconciler.Verdict.TookEffect<>(null)))
                .containsExactly("x2");
        assertThat(row(CHAT, "x1").state()).isEqualTo(State.COMPLETED);
        assertThat(line(CHAT, "x1").turn()).isEqualTo(Line.Turn.OUT);
    }

    @Test
    void d7_parkedHeadThatItsReconcilerFindsUndoneIsDeliveredInItsPlace() {
        assertThat(reconciled("parking", new Reconciler.Verdict.NoEffect<>())).containsExactly("x1", "x2");
    }

    @Test
    void d7_unknownMessageThatLeftItsLaneJoinsTheTailOnceItIsKnownToHaveDoneNothing() {
        assertThat(reconciled("continuing", new Reconciler.Verdict.NoEffect<>()))
                .containsExactly("x2", "x1");
        assertThat(row(CHAT, "x1").state()).isEqualTo(State.COMPLETED);
    }

    /** The delivery of x1 is interrupted, x2 is behind it, and the reconciler says this of x1. */
    private List<String> reconciled(String policy, Reconciler.Verdict<Void> verdict) {
        Engine node = start(store, settings -> settings.withPolicy(CONTINUING).withPolicy(PARKING));
        Channel.Leased<Note> channel = CHAT.withPolicy(policy).asUnrepeatable();
        node.send(channel, note("x1", "x"));
        claim(channel);
        time.advance(LEASE.plusSeconds(1));
        node.handle(channel, listing());
        node.reconcile(channel, (note, about) -> verdict);
        node.send(channel, note("x2", "x"));
        node.duties().sweeper().sweep();
        assertThat(row(channel, "x1").state()).isEqualTo(State.UNKNOWN);
        node.duties().reconciliation().reconcile();
        work(node);
        return handled;
    }

    @Test
    void d7_headThatCannotBeReadParksItsLaneToo() {
        Engine node = start(store, settings -> settings.withPolicy(PARKING));
        Channel.Leased<String> writer =
                Channel.leased("chat", String.class).withPolicy("parking").withLane(text -> "x");
        node.send(writer, Message.of(ACME, Key.of("bad"), "not a note"));
        Channel.Leased<Note> channel = CHAT.withPolicy("parking");
        node.send(channel, note("x2", "x"));
        node.handle(channel, listing());
        work(node);
        assertThat(row(channel, "bad").state())
                .as("left to a node that can read it")
                .isEqualTo(State.QUEUED);
        for (int i = 0; i < 12; i++) {
            time.advance(Duration.ofMinutes(15));
            work(node);
        }
        assertThat(row(channel, "bad").state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(handled).isEmpty();
        assertThat(row(channel, "x2").state()).isEqualTo(State.QUEUED);
        assertThat(row(channel, "x2").status().attempt()).isZero();
    }

    @Test
    void d7_headThatMissedItsDeadlineParksItsLaneOnAnAtomicChannelToo() {
        Engine node = start(store, settings -> settings.withPolicy(PARKING));
        Channel.Atomic<Note> channel = BOOK.withPolicy("parking");
        node.send(channel, note("x1", "x").withDeadline(Instant.ofEpochMilli(time.millis() + 1_000)));
        node.send(channel, note("x2", "x"));
        time.advance(Duration.ofSeconds(2));
        node.handle(channel, (note, tx) -> handled.add(note.text()));
        work(node);
        assertThat(row(channel, "x1").state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(handled).isEmpty();
    }

    @Test
    void atomicLaneKeepsItsOrderThroughABatchThatFails() throws Exception {
        List<String> failing = new ArrayList<>(List.of("x2"));
        engine.handle(BOOK, (note, tx) -> {
            effects.apply(tx, note.text());
            if (failing.contains(note.text())) {
                throw failing(Failure.Category.NETWORK);
            }
            handled.add(note.text());
        });
        sendAll(BOOK, "x", "x1", "x2", "x3");
        work();
        assertThat(effects.count("x1")).isEqualTo(1);
        assertThat(effects.count("x2")).isZero();
        assertThat(effects.count("x3")).isZero();
        failing.clear();
        time.advance(Duration.ofSeconds(2));
        work();
        assertThat(effects.count("x2")).isEqualTo(1);
        assertThat(effects.count("x3")).isEqualTo(1);
    }

    @Test
    void delayedMessageTakesItsPlaceWhenItIsDueAndBlocksNoOther() {
        engine.send(CHAT, note("later", "x").withDelay(Duration.ofMinutes(1)));
        sendAll(CHAT, "x", "now");
        engine.handle(CHAT, listing());
        work();
        assertThat(handled).containsExactly("now");
        time.advance(Duration.ofMinutes(1));
        work();
        assertThat(handled).containsExactly("now", "later");
    }

    @Test
    void d9_haltedChannelHoldsEverythingAndLosesNothing() {
        engine.handle(CHAT, listing());
        engine.operator().setMode(new Switchboard.Setting(null, "chat", Mode.HALTED), WARRANT);
        sendAll(CHAT, "x", "x1", "x2");
        time.advance(Duration.ofSeconds(2));
        work();
        assertThat(handled).isEmpty();
        engine.operator().setMode(new Switchboard.Setting(null, "chat", Mode.LIVE), WARRANT);
        time.advance(Duration.ofSeconds(2));
        work();
        assertThat(handled).containsExactly("x1", "x2");
    }

    @Test
    void d9_haltBetweenClaimAndStartHandsBack() {
        engine.handle(CHAT, (note, run) -> {
            handled.add(note.text());
            engine.operator().setMode(new Switchboard.Setting(null, "chat", Mode.HALTED), WARRANT);
            time.advance(Duration.ofSeconds(2));
        });
        sendAll(CHAT, "x", "x1", "x2");
        work();
        assertThat(handled).containsExactly("x1");
        assertThat(row(CHAT, "x2").state()).isEqualTo(State.QUEUED);
        assertThat(row(CHAT, "x2").status().attempt()).isZero();
    }

    @Test
    void d9_shadowBetweenClaimAndStartSendsNothingMore() {
        engine.handle(CHAT, (note, run) -> {
            handled.add(note.text());
            engine.operator().setMode(new Switchboard.Setting(null, "chat", Mode.SHADOW), WARRANT);
            time.advance(Duration.ofSeconds(2));
        });
        sendAll(CHAT, "x", "x1", "x2", "x3");
        work();
        assertThat(handled).containsExactly("x1");
        assertThat(row(CHAT, "x1").state()).isEqualTo(State.COMPLETED);
        assertThat(row(CHAT, "x2").state()).isEqualTo(State.SHADOWED);
        assertThat(row(CHAT, "x3").state()).isEqualTo(State.SHADOWED);
    }

    @Test
    void d9_shadowedChannelRecordsItsMessagesWithoutEffect() {
        engine.handle(CHAT, listing());
        engine.operator().setMode(new Switchboard.Setting(null, "chat", Mode.SHADOW), WARRANT);
        sendAll(CHAT, "x", "x1", "x2");
        time.advance(Duration.ofSeconds(2));
        work();
        assertThat(handled).isEmpty();
        assertThat(row(CHAT, "x1").state()).isEqualTo(State.SHADOWED);
        assertThat(row(CHAT, "x2").state()).isEqualTo(State.SHADOWED);
        assertThat(row(CHAT, "x2").payload()).isNotNull();
        assertThat(story(CHAT, "x2")).containsExactly("operation.queued", "operation.shadowed");
    }

    @Test
    void d8_oneTenantsFloodLetsTheOthersFlow() {
        List<String> order = new ArrayList<>();
        engine.handle(
                MAIL,
                Channel.Capacity.of(4),
                (note, run) -> order.add(run.tenant().name()));
        for (int i = 0; i < 200; i++) {
            engine.send(MAIL, Message.of(Tenant.of("flood"), Key.of("f" + i), new Note("l", "f")));
        }
        for (int i = 0; i < 3; i++) {
            engine.send(MAIL, Message.of(Tenant.of("quiet"), Key.of("q" + i), new Note("l", "q")));
        }
        work();
        assertThat(order).hasSize(203);
        assertThat(order.lastIndexOf("quiet")).isLessThan(40);
    }
}
