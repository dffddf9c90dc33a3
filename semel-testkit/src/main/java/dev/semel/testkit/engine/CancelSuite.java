package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.CallStatus.CallState;
import dev.semel.Cancellation;
import dev.semel.Cancellation.Cancelled;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Mode;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.audit.AuditEvent;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator.Warrant;
import dev.semel.operator.Replays;
import dev.semel.store.AuditFilter;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Cancellations: what has not started is closed, and everything else says why not. */
abstract class CancelSuite extends ChannelFixture {
    private static final Cancellation BY_ANN = Cancellation.by("ann", "the customer withdrew");
    private static final Warrant WARRANT = new Warrant("bob", "again");
    private static final Policy PARKING = STEADY.toBuilder()
            .withName("parking")
            .withDeadHead(Policy.DeadHead.PARK_LANE)
            .build();

    CancelSuite(EngineContract contract) {
        super(contract);
    }

    private Cancelled cancel(Channel<Note> channel, String key) {
        return engine.cancel(channel, ACME, Key.of(key), BY_ANN);
    }

    private static void assertDone(Cancelled answer) {
        assertThat(answer).as(answer.reason()).isInstanceOf(Cancelled.Closed.class);
        assertThat(((Cancelled.Closed) answer).status().state()).isEqualTo(CallState.DISCARDED);
        assertThat(answer.reason()).contains("Cancelled: the customer withdrew");
    }

    private static void assertNotPossible(Cancelled answer, CallState state, String why) {
        assertThat(answer).isInstanceOf(Cancelled.NotPossible.class);
        assertThat(((Cancelled.NotPossible) answer).status().state()).isEqualTo(state);
        assertThat(answer.reason()).contains(why);
    }

    private void failing(Channel.Leased<Note> channel, Failure.Category category) {
        engine.handle(channel, (note, run) -> {
            throw failing(category);
        });
    }

    @Test
    void queuedMessageThatIsCancelledIsNeverHandled() {
        send(MAIL, "m");
        assertDone(cancel(MAIL, "m"));
        engine.handle(MAIL, listing());
        work();
        assertThat(handled).isEmpty();
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "operator.discarded");
    }

    @Test
    void auditSaysWhoCancelledWhyAndFromWhichState() {
        send(MAIL, "m");
        cancel(MAIL, "m");
        AuditEvent event = new AuditEvent(
                store.audit().newest(AuditFilter.of(row(MAIL, "m").id()), 1).get(0));
        assertThat(event.fields())
                .containsEntry("type", "operator.discarded")
                .containsEntry("actor", "ann")
                .containsEntry("actor_type", "caller")
                .containsEntry("source", "cancel")
                .containsEntry("reason", "the customer withdrew")
                .containsEntry("was", "QUEUED");
    }

    @Test
    void cancellationWithoutAnActorOrAReasonIsRejectedAndNothingIsClosed() {
        assertThatThrownBy(() -> Cancellation.by("", "why")).isInstanceOf(SemelException.Invalid.class);
        assertThatThrownBy(() -> Cancellation.by("ann", " ")).isInstanceOf(SemelException.Invalid.class);
        assertThatThrownBy(() -> Cancellation.by("ann", "x".repeat(2_001))).isInstanceOf(SemelException.Invalid.class);
        assertThatThrownBy(() -> Cancellation.by("an\nn", "why")).isInstanceOf(SemelException.Invalid.class);
        assertThatThrownBy(() -> Cancellation.by("ann", "a\0b")).isInstanceOf(SemelException.Invalid.class);
    }

    @Test
    void messageThatWaitsForItsRetryIsCancelled() {
        failing(MAIL, Failure.Category.NETWORK);
        send(MAIL, "m");
        work();
        assertThat(row(MAIL, "m").state()).isEqualTo(State.FAILED_RETRYABLE);
        assertDone(cancel(MAIL, "m"));
        workThrough(Duration.ofSeconds(5), 3);
        assertThat(row(MAIL, "m").state()).isEqualTo(State.DISCARDED);
    }

    @Test
    void callThatMayBeRetriedIsCancelledAndItsRetryFails() {
        engine.run(NOTIFY, call("k"), (order, run) -> {
            throw failing(Failure.Category.NETWORK);
        });
        assertDone(engine.cancel(NOTIFY, ACME, Key.of("k"), BY_ANN));
        time.advance(Duration.ofMinutes(1));
        Answer<Receipt> again = engine.run(NOTIFY, call("k"), (order, run) -> new Receipt("never"));
        assertThat(failure(again).reason()).isEqualTo("Cancelled: the customer withdrew");
    }

    @Test
    void shadowedMessageAndDeadLetterAreCancelled() {
        engine.operator().setMode(new Switchboard.Setting(null, "mail", Mode.SHADOW), WARRANT);
        failing(MAIL, Failure.Category.VALIDATION);
        send(MAIL, "shadow");
        work();
        assertThat(row(MAIL, "shadow").state()).isEqualTo(State.SHADOWED);
        assertDone(cancel(MAIL, "shadow"));
        engine.operator().setMode(new Switchboard.Setting(null, "mail", Mode.LIVE), WARRANT);
        send(MAIL, "dead");
        work();
        assertThat(row(MAIL, "dead").state()).isEqualTo(State.FAILED_TERMINAL);
        assertDone(cancel(MAIL, "dead"));
    }

    @Test
    void cancelledTwiceIsCancelledOnce() {
        send(MAIL, "m");
        cancel(MAIL, "m");
        Cancelled again = cancel(MAIL, "m");
        assertThat(again).isInstanceOf(Cancelled.Already.class);
        assertThat(again.reason()).contains("Cancelled: the customer withdrew");
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "operator.discarded");
    }

    @Test
    void runningCompletedUnknownAndRejectedSayWhyNot() {
        abandon(REFUND, "k");
        assertNotPossible(
                engine.cancel(REFUND, ACME, Key.of("k"), BY_ANN),
                CallState.IN_PROGRESS,
                "cannot be cancelled: it is running");
        time.advance(LEASE.plusSeconds(1));
        assertNotPossible(
                engine.cancel(REFUND, ACME, Key.of("k"), BY_ANN), CallState.IN_PROGRESS, "its run was interrupted");
        engine.run(REFUND, call("k"), (order, run) -> new Receipt("never"));
        assertNotPossible(
                engine.cancel(REFUND, ACME, Key.of("k"), BY_ANN),
                CallState.UNKNOWN,
                "A reconciler or a person must decide");
        charge("done");
        assertNotPossible(engine.cancel(CHARGE, ACME, Key.of("done"), BY_ANN), CallState.COMPLETED, "it is completed");
        engine.run(NOTIFY, call("no"), (order, run) -> {
            throw failing(Failure.Category.VALIDATION);
        });
        assertNotPossible(
                engine.cancel(NOTIFY, ACME, Key.of("no"), BY_ANN), CallState.FAILED_TERMINAL, "nothing to cancel");
        assertThat(state(REFUND, "k")).isEqualTo(State.UNKNOWN);
    }

    @Test
    void h4_recordOfAnotherTenantIsNotFoundAndNotClosed() {
        send(MAIL, "m");
        Tenant other = Tenant.of("globex");
        assertThat(engine.cancel(MAIL, other, Key.of("m"), BY_ANN)).isInstanceOf(Cancelled.NotFound.class);
        assertThat(engine.cancel(other, row(MAIL, "m").id().hex(), BY_ANN)).isInstanceOf(Cancelled.NotFound.class);
        assertThat(engine.cancel(ACME, "no id", BY_ANN)).isInstanceOf(Cancelled.NotFound.class);
        assertThat(row(MAIL, "m").state()).isEqualTo(State.QUEUED);
        assertDone(engine.cancel(ACME, row(MAIL, "m").id().hex(), BY_ANN));
    }

    @Test
    void stepIsNotCancelled() {
        dieInside(REFUND, "k", "psp");
        String step = id(REFUND, "k").step("psp").hex();
        assertThat(engine.status(ACME, step)).isEmpty();
        assertThat(engine.cancel(ACME, step, BY_ANN)).isInstanceOf(Cancelled.NotFound.class);
    }

    @Test
    void d15_cancelledHeadLetsItsLaneContinue() {
        engine.handle(CHAT, listing());
        send(CHAT, "x1", "x");
        send(CHAT, "x2", "x");
        assertDone(cancel(CHAT, "x1"));
        work();
        assertThat(handled).containsExactly("x2");
    }

    @Test
    void d15_cancelledDeadHeadThatHoldsItsLaneLetsItContinue() {
        Channel.Leased<Note> strict = CHAT.withPolicy("parking");
        Engine node = start(store, settings -> settings.withPolicy(PARKING));
        node.handle(strict, (note, run) -> {
            if (note.text().equals("x1")) {
                throw failing(Failure.Category.VALIDATION);
            }
            handled.add(note.text());
        });
        node.send(strict, note("x1", "x"));
        node.send(strict, note("x2", "x"));
        work(node);
        assertThat(handled).isEmpty();
        assertDone(node.cancel(strict, ACME, Key.of("x1"), BY_ANN));
        work(node);
        assertThat(handled).containsExactly("x2");
    }

    /** A node to which something happens between its look at the record and its write. */
    private Engine interruptedBeforeItsWrite(Runnable meanwhile) {
        AtomicBoolean once = new AtomicBoolean();
        Store interrupted = new ForwardingStore(reopened()) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(delegate().ledger()) {
                    @Override
                    public List<Moved> move(List<Move> batch) {
                        if (once.compareAndSet(false, true)) {
                            meanwhile.run();
                        }
                        return super.move(batch);
                    }
                };
            }
        };
        return start(interrupted, settings -> settings);
    }

    @Test
    void d15_claimBeforeTheWriteOfACancellationWins() {
        send(MAIL, "m");
        Engine late = interruptedBeforeItsWrite(() -> claim(MAIL));
        assertNotPossible(late.cancel(MAIL, ACME, Key.of("m"), BY_ANN), CallState.IN_PROGRESS, "it is running");
        assertThat(row(MAIL, "m").state()).isEqualTo(State.IN_PROGRESS);
        assertThat(story(MAIL, "m")).containsExactly("operation.queued");
    }

    @Test
    void d15_cancellationBeforeAClaimWins() {
        send(MAIL, "m");
        assertDone(cancel(MAIL, "m"));
        assertThat(claim(MAIL, 1)).isEmpty();
    }

    @Test
    void d15_replayBeforeTheWriteOfACancellationWins() {
        failing(MAIL, Failure.Category.VALIDATION);
        send(MAIL, "m");
        work();
        Engine late = interruptedBeforeItsWrite(() -> assertThat(
                        engine.operator().replay(row(MAIL, "m").id(), WARRANT))
                .isEqualTo(Replays.ReplayOutcome.DONE));
        assertNotPossible(
                late.cancel(MAIL, ACME, Key.of("m"), BY_ANN),
                CallState.QUEUED,
                "changed at the same moment and is QUEUED");
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "system.error", "operator.replayed");
    }

    @Test
    void d15_cancellationBeforeTheWriteOfAReplayWins() {
        failing(MAIL, Failure.Category.VALIDATION);
        send(MAIL, "m");
        work();
        Engine late = interruptedBeforeItsWrite(() -> assertDone(cancel(MAIL, "m")));
        assertThat(late.operator().replay(row(MAIL, "m").id(), WARRANT)).isEqualTo(Replays.ReplayOutcome.REFUSED);
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "system.error", "operator.discarded");
    }

    @Test
    void d15_ofManyCancellationsAndClaimsOfOneMessageOneWins() throws Exception {
        Engine other = otherNode();
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            for (String key : List.of("a", "b", "c", "d", "e", "f")) {
                send(MAIL, key);
                CyclicBarrier together = new CyclicBarrier(3);
                List<Future<Boolean>> won = new ArrayList<>();
                for (Engine each : List.of(engine, other)) {
                    won.add(threads.submit(() -> {
                        together.await();
                        return each.cancel(MAIL, ACME, Key.of(key), BY_ANN) instanceof Cancelled.Closed;
                    }));
                }
                won.add(threads.submit(() -> {
                    together.await();
                    return !claim(MAIL, 1).isEmpty();
                }));
                int winners = 0;
                for (Future<Boolean> each : won) {
                    winners += each.get() ? 1 : 0;
                }
                assertThat(winners).as(key).isEqualTo(1);
                boolean cancelled = row(MAIL, key).state() == State.DISCARDED;
                assertThat(cancelled).as(key).isEqualTo(!won.get(2).get());
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void recordThatAnotherTransactionHoldsIsNotCancelledAndMayBeAskedAgain() {
        send(MAIL, "m");
        Engine blocked = start(locking(Set.of(row(MAIL, "m").id())), settings -> settings);
        assertThatThrownBy(() -> blocked.cancel(MAIL, ACME, Key.of("m"), BY_ANN))
                .isInstanceOf(SemelException.Locked.class);
        assertThat(row(MAIL, "m").state()).isEqualTo(State.QUEUED);
        assertDone(cancel(MAIL, "m"));
    }
}
