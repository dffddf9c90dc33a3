package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Mode;
import dev.semel.SemelException;
import dev.semel.store.AuditEntry;
import dev.semel.store.Enqueued;
import dev.semel.store.Moved;
import dev.semel.store.Renewal;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Switchboard.Setting;
import dev.semel.store.Transactions;
import dev.semel.store.Transactions.Ended;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * C5: a transaction has written a record and is paused before its end. Calls about other records succeed meanwhile;
 * calls about this one skip it or answer that it is locked. A store whose transactions lock nothing before their end
 * may do it instead.
 */
abstract class LockedSuite extends QueueFixture {
    private static final AuditEntry CHANGED =
            new AuditEntry(20, new AuditEntry.Subject("acme", null, null, null, null), null, 0, 0, null);

    /** Bounds a wait that is without end if the promise is broken. */
    private static final long BOUND_SECONDS = 120;

    private final CountDownLatch goOn = new CountDownLatch(1);

    LockedSuite(StoreContract contract) {
        super(contract);
    }

    @BeforeEach
    void needTransactionsAtOnce() {
        Assumptions.assumeFalse(contract.hasOneWriter(), "a transaction holds the one writer: all others wait for it");
        Assumptions.assumeTrue(
                store.transactions().isPresent(), () -> store.name() + " cannot commit an application's writes");
    }

    @AfterEach
    void wakeTheOwner() {
        goOn.countDown();
    }

    /** A transaction that has done this, and is paused. */
    private void pausedOwner(Work work) throws Exception {
        Transactions transactions = store.transactions().orElseThrow();
        CountDownLatch paused = new CountDownLatch(1);
        Future<Boolean> owner = threads.submit(() -> transactions.run(tx -> {
            work.run(tx);
            paused.countDown();
            goOn.await();
            return Ended.undo(true);
        }));
        while (!paused.await(20, TimeUnit.MILLISECONDS)) {
            if (owner.isDone()) {
                owner.get();
            }
        }
    }

    @FunctionalInterface
    private interface Work {
        void run(Transactions.Tx tx) throws Exception;
    }

    private void pausedOwnerOf(Row row) throws Exception {
        MoveBuilder end = shift(row, State.COMPLETED).in(1_000_000);
        MoveBuilder leaving = row.line() == null ? end : end.leaving(line(row).lane());
        pausedOwner(tx -> assertThat(tx.move(List.of(leaving.move()))).containsExactly(new Moved.Applied()));
    }

    private <T> T soon(Callable<T> task) throws Exception {
        return threads.submit(task).get(BOUND_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void c5_claimsTakeUnlockedRecords() throws Exception {
        send(ArrivalBuilder.of("held"));
        Row held = grantedOne(ClaimBuilder.of(1).leasedFor(1_000));
        send(ArrivalBuilder.of("left by another"));
        grantedOne(ClaimBuilder.of(1).leasedFor(1_000));
        pausedOwnerOf(held);
        pass(1_000);
        send(ArrivalBuilder.of("new"), ArrivalBuilder.of("elsewhere").to("chat"));
        assertThat(keys(soon(() -> all(ClaimBuilder.of(10))))).contains("left by another", "new");
        assertThat(keys(soon(() -> all(ClaimBuilder.of(10).from("chat"))))).containsExactly("elsewhere");
    }

    @Test
    void c5_claimsServeTheLanesThatAreNotLocked() throws Exception {
        sendTo("held", "x1", "x2");
        List<Row> run = granted(ClaimBuilder.of(2).leasedFor(1_000));
        assertThat(keys(run)).containsExactly("x1", "x2");
        // As a renewal or a hand-back does, which do not hold the lane.
        pausedOwner(tx ->
                tx.move(List.of(shift(run.get(0), State.QUEUED).in(0).attempt(0).move())));
        pass(1_000);
        sendTo("y", "y1", "y2");
        send(ArrivalBuilder.of("free"));
        List<String> served = keys(soon(() -> all(ClaimBuilder.of(10))));
        assertThat(served).contains("y1", "y2", "free");
    }

    @Test
    void c5_reservationsOfOtherKeysInTheSameBatchAreGranted() throws Exception {
        long fence = put("held", State.IN_PROGRESS, 1_000, 0);
        put("due", State.FAILED_RETRYABLE, 0, 0);
        pausedOwner(tx -> tx.move(List.of(MoveBuilder.of(ReservationBuilder.id("held"), fence, State.COMPLETED)
                .move())));
        pass(1_000);
        List<Reserved> answers = soon(() -> ledger.reserve(
                board.modes().version(),
                List.of(
                        ReservationBuilder.of("new").reservation(),
                        ReservationBuilder.of("held").reservation(),
                        ReservationBuilder.of("due").reservation())));
        assertThat(answers.get(0)).isInstanceOf(Reserved.Granted.class);
        assertThat(answers.get(1)).isInstanceOfAny(Reserved.Locked.class, Reserved.Granted.class);
        assertThat(answers.get(2)).isInstanceOf(Reserved.Granted.class);
    }

    @Test
    void c5_movesOfOtherRecordsInTheSameBatchAreApplied() throws Exception {
        long held = put("held", State.IN_PROGRESS, 1_000, 0);
        long other = put("other", State.IN_PROGRESS, 1_000, 0);
        pausedOwner(tx -> tx.move(List.of(MoveBuilder.of(ReservationBuilder.id("held"), held, State.COMPLETED)
                .move())));
        List<Moved> answers = soon(() -> ledger.move(List.of(
                MoveBuilder.of(ReservationBuilder.id("held"), held, State.UNKNOWN)
                        .move(),
                MoveBuilder.of(ReservationBuilder.id("other"), other, State.UNKNOWN)
                        .move())));
        assertThat(answers.get(0)).isInstanceOfAny(Moved.Locked.class, Moved.Applied.class);
        assertThat(answers.get(1)).isEqualTo(new Moved.Applied());
        assertThat(status("other").state()).isEqualTo(State.UNKNOWN);
    }

    @Test
    void c5_movesThatBelongTogetherAreNotMadeWithoutTheLockedOne() throws Exception {
        long held = put("held", State.IN_PROGRESS, 1_000, 0);
        long other = put("other", State.IN_PROGRESS, 1_000, 0);
        pausedOwner(tx -> tx.move(List.of(MoveBuilder.of(ReservationBuilder.id("held"), held, State.COMPLETED)
                .move())));
        Moved answer = soon(() -> ledger.moveTogether(List.of(
                MoveBuilder.of(ReservationBuilder.id("other"), other, State.UNKNOWN)
                        .move(),
                MoveBuilder.of(ReservationBuilder.id("held"), held, State.UNKNOWN)
                        .move())));
        assertThat(answer).isInstanceOfAny(Moved.Locked.class, Moved.Applied.class);
        assertThat(status("other").state())
                .isEqualTo(answer instanceof Moved.Locked ? State.IN_PROGRESS : State.UNKNOWN);
    }

    @Test
    void c5_messagesOfOtherKeysInTheSameBatchAreQueued() throws Exception {
        pausedOwner(tx -> tx.enqueue(List.of(ArrivalBuilder.of("held").arrival())));
        List<Enqueued> answers = soon(() -> queue.enqueue(List.of(
                ArrivalBuilder.of("held").arrival(), ArrivalBuilder.of("other").arrival())));
        assertThat(answers.get(0)).isInstanceOfAny(Enqueued.EnqueueFailed.class, Enqueued.Made.class);
        assertThat(answers.get(1)).isEqualTo(new Enqueued.Made());
    }

    @Test
    void c5_leasesOfOtherRecordsAreRenewed() throws Exception {
        long held = put("held", State.IN_PROGRESS, 1_000, 0);
        long other = put("other", State.IN_PROGRESS, 1_000, 0);
        pausedOwner(tx -> tx.move(List.of(MoveBuilder.of(ReservationBuilder.id("held"), held, State.COMPLETED)
                .move())));
        Renewal locked = new Renewal(ReservationBuilder.id("held"), held, 5_000);
        Renewal free = new Renewal(ReservationBuilder.id("other"), other, 5_000);
        try {
            soon(() -> ledger.renew(List.of(locked, free)));
        } catch (java.util.concurrent.ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(SemelException.Locked.class);
        }
        assertThat(soon(() -> ledger.renew(List.of(free)))).containsExactly(true);
    }

    @Test
    void c5_expiredUnlockedRecordsArePurged() throws Exception {
        long held = put("held", State.IN_PROGRESS, 1_000, 0);
        apply(MoveBuilder.of(ReservationBuilder.id("held"), held, State.UNKNOWN));
        put("done", State.COMPLETED, 1_000, 0);
        pausedOwner(tx -> tx.move(List.of(MoveBuilder.of(ReservationBuilder.id("held"), held, State.FAILED_TERMINAL)
                .from(State.UNKNOWN)
                .in(500)
                .move())));
        pass(1_000);
        assertThat(soon(() -> ledger.purge(10, removed -> List.of()))).hasSize(1);
        assertThat(exists("done")).isFalse();
    }

    @Test
    void c5_modesAreChangedWithoutWaitingForTheOwner() throws Exception {
        send(ArrivalBuilder.of("held"));
        pausedOwnerOf(grantedOne(ClaimBuilder.of(1).leasedFor(1_000)));
        pass(1_000);
        Future<List<Row>> claiming = threads.submit(() -> granted(ClaimBuilder.of(1)));
        long before = board.modes().version();
        assertThat(soon(() -> board.set(new Setting(null, "elsewhere", Mode.HALTED), CHANGED)))
                .isGreaterThan(before);
        try {
            claiming.get(BOUND_SECONDS, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
            // The modes may change under the claim.
            assertThat(e).hasCauseInstanceOf(AssertionError.class);
        }
    }
}
