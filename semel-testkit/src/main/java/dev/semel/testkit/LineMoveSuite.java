package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.key.Identity;
import dev.semel.store.AuditEntry;
import dev.semel.store.Line.Turn;
import dev.semel.store.Moved;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The effect of a move on a record's place in the queue, and records that may not leave a lane. */
abstract class LineMoveSuite extends QueueFixture {
    private static final AuditEntry ADOPTED =
            new AuditEntry(21, new AuditEntry.Subject("*", null, null, null, null), null, 0, 0, null);

    LineMoveSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void whoLeavesMakesTheNextOneTheHeadInTheSameCommit() {
        sendTo("lane", "x1", "x2", "x3");
        List<Row> run = granted(ClaimBuilder.of(3));
        complete(run.get(0));
        assertThat(line("x1").turn()).isEqualTo(Turn.OUT);
        assertThat(line("x1").lane())
                .isEqualTo(ArrivalBuilder.of("x1").in("lane").lane());
        assertThat(line("x2").turn()).isEqualTo(Turn.HEAD);
        assertThat(line("x2").place()).isEqualTo(line(run.get(1)).place());
        assertThat(line("x3").turn()).isEqualTo(Turn.WAITING);
        complete(run.get(1));
        assertThat(line("x3").turn()).isEqualTo(Turn.HEAD);
    }

    @Test
    void wholeRunMayLeaveInOneBatch() {
        sendTo("lane", "x1", "x2", "x3", "x4");
        List<Row> run = granted(ClaimBuilder.of(3));
        List<Moved> moved = ledger.move(run.stream()
                .map(row -> shift(row, State.COMPLETED)
                        .in(1_000)
                        .leaving(line(row).lane())
                        .move())
                .toList());
        assertThat(moved).hasSize(3).containsOnly(new Moved.Applied());
        assertThat(served(ClaimBuilder.of(10))).containsExactly("x4");
    }

    @Test
    void oneWhoWaitsMayLeaveBeforeItsHead() {
        sendTo("lane", "x1", "x2", "x3");
        List<Row> run = granted(ClaimBuilder.of(3));
        complete(run.get(1));
        assertThat(line("x1").turn()).isEqualTo(Turn.HEAD);
        assertThat(line("x3").turn()).isEqualTo(Turn.WAITING);
        complete(run.get(0));
        assertThat(line("x3").turn()).isEqualTo(Turn.HEAD);
    }

    @Test
    void moveThatSaysNothingOfThePlaceLeavesIt() {
        sendTo("lane", "x1", "x2");
        List<Row> run = granted(ClaimBuilder.of(2));
        retry(run.get(0), 0);
        retry(run.get(1), 0);
        assertThat(line("x1")).isEqualTo(line(run.get(0)));
        assertThat(line("x2")).isEqualTo(line(run.get(1)));
    }

    @Test
    void moveThatIsRejectedOrRepeatedTouchesNoLane() {
        sendTo("lane", "x1", "x2", "x3");
        Row stale = grantedOne(ClaimBuilder.of(1).leasedFor(1_000));
        pass(1_000);
        Row head = grantedOne(ClaimBuilder.of(1));
        MoveBuilder late =
                shift(stale, State.COMPLETED).in(1_000).leaving(line(stale).lane());
        assertThat(move(late)).isInstanceOf(Moved.Refused.class);
        assertThat(line("x1").turn()).isEqualTo(Turn.HEAD);
        nothingIsGranted(ClaimBuilder.of(10));

        complete(head);
        Row second = grantedOne(ClaimBuilder.of(1));
        assertThat(move(shift(head, State.COMPLETED)
                        .in(1_000)
                        .leaving(line(head).lane())))
                .isEqualTo(new Moved.Same());
        assertThat(line("x2").turn()).isEqualTo(Turn.HEAD);
        nothingIsGranted(ClaimBuilder.of(10));
        complete(second);
        assertThat(served(ClaimBuilder.of(1))).containsExactly("x3");
    }

    @Test
    void headThatIsRemovedMakesRoomForTheNext() {
        sendTo("lane", "x1", "x2");
        Row head = grantedOne(ClaimBuilder.of(1));
        apply(MoveBuilder.removing(head.id(), head.status().fence())
                .leaving(line(head).lane()));
        assertThat(isThere(head.id())).isFalse();
        assertThat(served(ClaimBuilder.of(1))).containsExactly("x2");
    }

    @Test
    void d7_deadHeadThatKeepsItsPlaceParksItsLaneUntilItLeaves() {
        for (State dead : List.of(State.FAILED_TERMINAL, State.UNKNOWN)) {
            String lane = dead.name();
            sendTo(lane, lane + 1, lane + 2);
            Row head = grantedOne(ClaimBuilder.of(1));
            apply(shift(head, dead).in(0));
            pass(1_000_000);
            sendTo(lane, lane + 3);
            nothingIsGranted(ClaimBuilder.of(10));
            assertThat(line(lane + 1).turn()).isEqualTo(Turn.HEAD);
            apply(shift(head, State.DISCARDED)
                    .from(dead)
                    .in(1_000)
                    .leaving(line(head).lane()));
            assertThat(served(ClaimBuilder.of(1))).containsExactly(lane + 2, lane + 3);
        }
    }

    @Test
    void d7_deadHeadThatIsReplayedInItsPlaceIsNextAgain() {
        sendTo("lane", "x1", "x2");
        Row head = grantedOne(ClaimBuilder.of(1));
        die(head);
        apply(shift(head, State.QUEUED).from(State.FAILED_TERMINAL).in(0).attempt(0));
        Row again = grantedOne(ClaimBuilder.of(1));
        assertThat(again.header().key()).isEqualTo("x1");
        assertThat(again.status().attempt()).isZero();
        complete(again);
        assertThat(served(ClaimBuilder.of(1))).containsExactly("x2");
    }

    @Test
    void d7_deadHeadThatLeavesLetsItsLaneContinue() {
        sendTo("lane", "x1", "x2");
        dieAside(grantedOne(ClaimBuilder.of(1)));
        assertThat(line("x1").turn()).isEqualTo(Turn.OUT);
        assertThat(served(ClaimBuilder.of(1))).containsExactly("x2");
        assertThat(queue.backlog(ArrivalBuilder.CHANNEL).parkedLanes()).isZero();
    }

    @Test
    void d7_recordThatJoinsAgainIsAtTheTail() {
        sendTo("lane", "x1", "x2", "x3");
        Row dead = grantedOne(ClaimBuilder.of(1));
        dieAside(dead);
        apply(shift(dead, State.QUEUED)
                .from(State.FAILED_TERMINAL)
                .in(0)
                .attempt(0)
                .joining(line(dead).lane()));
        assertThat(line("x1").place()).isGreaterThan(line(dead).place());
        sendTo("lane", "x4");
        assertThat(served(ClaimBuilder.of(10).runsOf(1))).containsExactly("x2", "x3", "x1", "x4");
    }

    @Test
    void d7_replayedRecordKeepsItsPlaceInItsLaneAndOtherwiseJoinsTheTail() {
        sendTo("stands", "x1", "x2");
        sendTo("left", "y1", "y2");
        send(ArrivalBuilder.of("free"));
        for (Row row : all(ClaimBuilder.of(10).runsOf(1))) {
            String key = row.header().key();
            MoveBuilder unknown = shift(row, State.UNKNOWN).in(0);
            apply(key.equals("y1") ? unknown.leaving(line(row).lane()) : unknown);
            apply(shift(row, State.QUEUED)
                    .from(State.UNKNOWN)
                    .in(0)
                    .attempt(0)
                    .keepingOrJoining(line(row).lane()));
        }
        assertThat(line("x1").turn()).isEqualTo(Turn.HEAD);
        List<String> served = served(ClaimBuilder.of(1).runsOf(1));
        assertThat(served).containsExactlyInAnyOrder("x1", "x2", "y1", "y2", "free");
        assertThat(served.indexOf("x1")).isLessThan(served.indexOf("x2"));
        assertThat(served.indexOf("y2")).isLessThan(served.indexOf("y1"));
    }

    @Test
    void whoJoinsAnEmptyLaneIsItsHead() {
        sendTo("lane", "x1");
        Row dead = grantedOne(ClaimBuilder.of(1));
        dieAside(dead);
        apply(shift(dead, State.QUEUED)
                .from(State.FAILED_TERMINAL)
                .in(0)
                .attempt(0)
                .joining(line(dead).lane()));
        Row again = grantedOne(ClaimBuilder.of(1));
        assertThat(line(again).turn()).isEqualTo(Turn.HEAD);
        assertThat(again.status().attempt()).isZero();
    }

    @Test
    void recordThatNeverWaitedWaitsForAWorkerFromNowOnIfItJoins() {
        long fence = put("k", State.FAILED_TERMINAL, 100_000, 0);
        assertThat(row("k").line()).isNull();
        apply(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.QUEUED)
                .from(State.FAILED_TERMINAL)
                .in(0)
                .attempt(0)
                .joining(null));
        Row row = grantedOne(ClaimBuilder.of(1).from(ReservationBuilder.OPERATION));
        assertThat(row.header().key()).isEqualTo("k");
        assertThat(line(row).turn()).isEqualTo(Turn.FREE);
        assertThat(line(row).lane()).isNull();
        assertThat(line(row).deadline()).isEqualTo(Status.NEVER);
        complete(row);
        assertThat(line(row("k")).turn()).isEqualTo(Turn.OUT);
    }

    @Test
    void waitingRecordsMayBeDiscarded() {
        sendTo("lane", "x1", "x2", "x3", "x4");
        Row head = grantedOne(ClaimBuilder.of(1));
        discard("x2");
        discard("x4");
        complete(head);
        assertThat(served(ClaimBuilder.of(10))).containsExactly("x3");
        sendTo("lane", "x5", "x6");
        discard("x5");
        assertThat(served(ClaimBuilder.of(10))).containsExactly("x6");
    }

    @Test
    void headThatHasNotBegunMayBeDiscarded() {
        sendTo("lane", "x1", "x2");
        Row head = grantedOne(ClaimBuilder.of(1));
        retry(head, 1_000);
        apply(shift(head, State.DISCARDED)
                .from(State.FAILED_RETRYABLE)
                .in(1_000)
                .leaving(line(head).lane()));
        assertThat(served(ClaimBuilder.of(10))).containsExactly("x2");
    }

    private void discard(String key) {
        Row row = posted(key);
        apply(MoveBuilder.of(row.id(), row.status().fence(), State.DISCARDED)
                .from(State.QUEUED)
                .in(1_000)
                .leaving(line(row).lane()));
    }

    @Test
    void a9_recordThatHoldsALaneIsNeitherPurgedNorReplacedAtAnyAge() {
        sendTo("lane", "x1", "x2");
        Row head = grantedOne(ClaimBuilder.of(1));
        apply(shift(head, State.FAILED_TERMINAL).in(1_000).failure(bytes("why")));
        pass(1_000_000);
        assertThat(ledger.purge(10, counts -> List.of())).isEmpty();
        assertThat(existing(enqueue(ArrivalBuilder.of("x1").in("lane"))).state())
                .isEqualTo(State.FAILED_TERMINAL);
        assertThat(posted("x1").failure()).isEqualTo(bytes("why"));
        assertThat(posted("x2").state()).isEqualTo(State.QUEUED);

        apply(shift(head, State.DISCARDED)
                .from(State.FAILED_TERMINAL)
                .in(1_000)
                .leaving(line(head).lane()));
        assertThat(served(ClaimBuilder.of(1))).containsExactly("x2");
        pass(1_000);
        assertThat(ledger.purge(10, counts -> List.of())).containsEntry(ReservationBuilder.TENANT, 1);
        assertThat(isThere(head.id())).isFalse();
    }

    @Test
    void a9_recordThatHoldsALaneIsNotReplacedByACall() {
        sendTo("lane", "x1", "x2");
        Row head = grantedOne(ClaimBuilder.of(1));
        apply(shift(head, State.FAILED_TERMINAL).in(1_000));
        pass(1_000_000);
        Reservation asked = new Reservation(
                Identity.of(head.id()), head.header(), null, new Reservation.Grant(5, 1_000, true, 3), null, null);
        assertThat(ledger.reserve(board.modes().version(), List.of(asked)))
                .singleElement()
                .isInstanceOf(Reserved.Existing.class);
        assertThat(line("x1").turn()).isEqualTo(Turn.HEAD);
    }

    @Test
    void recordThatLeftItsLaneIsPurgedAndMayBeSentAgain() {
        sendTo("lane", "x1");
        Row first = grantedOne(ClaimBuilder.of(1));
        apply(shift(first, State.COMPLETED).in(1_000).leaving(line(first).lane()));
        pass(1_000);
        sendTo("lane", "x1");
        assertThat(line("x1").place()).isGreaterThan(line(first).place());
        Row second = grantedOne(ClaimBuilder.of(1));
        assertThat(second.status().fence()).isGreaterThan(first.status().fence());
        apply(shift(second, State.COMPLETED).in(1_000).leaving(line(second).lane()));
        pass(1_000);
        assertThat(ledger.purge(10, counts -> List.of())).containsEntry(ReservationBuilder.TENANT, 1);
        assertThat(isThere(second.id())).isFalse();
    }

    @Test
    void d7_headsThatAreUnknownAreFoundByTheirOperation() {
        sendTo("lane", "x1", "x2");
        sendTo("another", "y1");
        granted(ClaimBuilder.of(3));
        assertThat(queue.unknownHeads(ArrivalBuilder.CHANNEL, 10)).isEmpty();
        board.adopt(row -> ArrivalBuilder.of(row.header().key()).event(6), ADOPTED);
        assertThat(queue.unknownHeads(ArrivalBuilder.CHANNEL, 10))
                .extracting(row -> row.header().key())
                .containsExactlyInAnyOrder("x1", "y1");
        assertThat(queue.unknownHeads(ArrivalBuilder.CHANNEL, 1)).hasSize(1);
        assertThat(queue.unknownHeads("no such", 10)).isEmpty();
    }

    @Test
    void a13_adoptionKeepsEveryPlaceAndTheLaneContinuesOnceItsHeadIsDecided() {
        sendTo("lane", "x1", "x2", "x3");
        List<Row> run = granted(ClaimBuilder.of(2));
        assertThat(board.adopt(row -> ArrivalBuilder.of(row.header().key()).event(6), ADOPTED))
                .isEqualTo(2);
        assertThat(posted("x1").state()).isEqualTo(State.UNKNOWN);
        assertThat(posted("x1").line()).isEqualTo(run.get(0).line());
        assertThat(posted("x2").line()).isEqualTo(run.get(1).line());
        assertThat(Objects.requireNonNull(posted("x1").payload())).isNotEmpty();
        nothingIsGranted(ClaimBuilder.of(10));
        for (Row row : run) {
            apply(shift(row, State.COMPLETED)
                    .from(State.UNKNOWN)
                    .in(1_000)
                    .leaving(line(row).lane()));
        }
        assertThat(served(ClaimBuilder.of(10))).containsExactly("x3");
    }
}
