package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Policy;
import dev.semel.engine.Engine;
import dev.semel.store.Line;
import dev.semel.store.State;
import dev.semel.worker.ExternalClaims.ExternalMessage;
import dev.semel.worker.ExternalClaims.MessageEnd;
import dev.semel.worker.ExternalClaims.MessageFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lanes whose messages are handled outside this process keep their order, also when workers fail, die or end them out of turn. */
abstract class ExternalLaneSuite extends ExternalClaimFixture {
    private static final MessageEnd WAITS = new MessageEnd.WaitsForLane();

    /** As "steady", but a dead or UNKNOWN head holds its lane up. */
    private static final Policy PARKING = Policy.named("parking lane")
            .withJitter(new Policy.Jitter.None())
            .withLease(LEASE)
            .withDeadHead(Policy.DeadHead.PARK_LANE)
            .build();

    ExternalLaneSuite(EngineContract contract) {
        super(contract);
    }

    @Test
    void d7_runOfALaneIsGrantedInItsOrderAndNobodyElseIsGrantedTheLane() {
        sendAll(CHAT, "x", "x1", "x2", "x3");
        sendAll(CHAT, "y", "y1");
        List<ExternalMessage<Note>> granted = outside(CHAT, 10);
        assertThat(granted.stream().filter(each -> "x".equals(each.lane())))
                .extracting(ExternalMessage::key)
                .containsExactly("x1", "x2", "x3");
        assertThat(granted).extracting(ExternalMessage::lane).containsExactlyInAnyOrder("x", "x", "x", "y");
        sendAll(CHAT, "x", "x4");
        assertThat(outside(CHAT, 10)).isEmpty();
        assertThat(finishAll(CHAT, granted)).containsOnly(RECORDED);
        assertThat(keys(outside(CHAT, 10))).containsExactly("x4");
    }

    @Test
    void d7_messageIsNotFinishedBeforeThoseInFrontOfIt() {
        sendAll(CHAT, "x", "x1", "x2", "x3");
        List<ExternalMessage<Note>> run = outside(CHAT, 10);
        assertThat(finish(CHAT, run.get(1))).isEqualTo(WAITS);
        assertThat(fail(CHAT, run.get(2), Failure.Category.VALIDATION)).isEqualTo(WAITS);
        assertThat(claims.finish(CHAT, List.of(run.get(2).run(), run.get(0).run())))
                .containsExactly(WAITS, RECORDED);
        assertThat(finish(CHAT, run.get(2))).isEqualTo(WAITS);
        assertThat(finish(CHAT, run.get(1))).isEqualTo(RECORDED);
        assertThat(finish(CHAT, run.get(2))).isEqualTo(RECORDED);
    }

    @Test
    void d7_wholeRunIsFinishedByOneRequestInWhateverOrderItIsListed() {
        sendAll(CHAT, "x", "x1", "x2", "x3");
        List<ExternalMessage<Note>> run = new ArrayList<>(outside(CHAT, 10));
        Collections.reverse(run);
        assertThat(finishAll(CHAT, run)).containsOnly(RECORDED);
    }

    @Test
    void d7_messageBehindAHeadThatAnotherTookOverIsNotRenewed() {
        sendAll(CHAT, "x", "x1", "x2", "x3");
        List<ExternalMessage<Note>> run = outside(CHAT, 10);
        assertThat(run).hasSize(3);
        time.advance(TEN_SECONDS.plusSeconds(1));
        List<ExternalMessage<Note>> taken = claims.claim(CHAT, ACME, terms(1));
        assertThat(keys(taken)).containsExactly("x1");
        assertThat(claims.renew(CHAT, runs(run), TEN_SECONDS)).containsOnlyNulls();
        assertThat(claims.renew(CHAT, runs(taken), TEN_SECONDS)).doesNotContainNull();
        assertThat(finishAll(CHAT, taken)).containsOnly(RECORDED);
    }

    @Test
    void d7_failedMessageIsRetriedBeforeThoseBehindIt() {
        sendAll(CHAT, "x", "x1", "x2", "x3");
        List<ExternalMessage<Note>> run = outside(CHAT, 10);
        assertThat(finish(CHAT, run.get(0))).isEqualTo(RECORDED);
        assertThat(fail(CHAT, run.get(1), Failure.Category.NETWORK)).isInstanceOf(MessageEnd.MessageRetried.class);
        assertThat(row(CHAT, "x3").state()).as("handed back with it").isEqualTo(State.QUEUED);
        assertThat(row(CHAT, "x3").status().attempt()).isZero();
        assertThat(finish(CHAT, run.get(2))).isEqualTo(NOT_HELD);
        assertThat(outside(CHAT, 10)).isEmpty();
        time.advance(Duration.ofSeconds(1));
        List<ExternalMessage<Note>> again = outside(CHAT, 10);
        assertThat(keys(again)).containsExactly("x2", "x3");
        assertThat(again).extracting(ExternalMessage::attempt).containsExactly(2, 1);
        assertThat(finishAll(CHAT, again)).containsOnly(RECORDED);
    }

    @Test
    void d7_failuresOfARunInOneRequestSpendOneAttempt() {
        sendAll(CHAT, "x", "x1", "x2");
        List<ExternalMessage<Note>> run = outside(CHAT, 10);
        Failure failure = Failure.of(Failure.Category.NETWORK, "down");
        List<MessageEnd> ends = claims.fail(
                CHAT,
                run.stream()
                        .map(each -> new MessageFailure(each.run(), failure, null))
                        .toList());
        assertThat(ends).containsExactly(new MessageEnd.MessageRetried(Duration.ofSeconds(1), "down"), HANDED_BACK);
        assertThat(row(CHAT, "x2").status().attempt()).isZero();
    }

    @Test
    void d7_takeoverOfAnExpiredLaneBeginsWithItsHeadAndTheOldWorkerIsRejected() {
        sendAll(CHAT, "x", "x1", "x2", "x3");
        List<ExternalMessage<Note>> old = outside(CHAT, 10);
        time.advance(TEN_SECONDS);
        List<ExternalMessage<Note>> taken = outside(CHAT, 10);
        assertThat(keys(taken))
                .as("a suspect is granted without others of its lane")
                .containsExactly("x1");
        assertThat(finish(CHAT, old.get(0))).isEqualTo(NOT_HELD);
        assertThat(finish(CHAT, old.get(1))).as("x1 is not done").isEqualTo(WAITS);
        assertThat(finish(CHAT, taken.get(0))).isEqualTo(RECORDED);
        List<String> rest = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            List<ExternalMessage<Note>> next = outside(CHAT, 10);
            rest.addAll(keys(next));
            finishAll(CHAT, next);
        }
        assertThat(rest).containsExactly("x2", "x3");
    }

    @Test
    void d7_deadHeadParksItsLaneOrLetsItGoOnAsThePolicySays() {
        Channel.Leased<Note> parking =
                Channel.leased("park", Note.class).withPolicy(PARKING).withLane(Note::lane);
        sendAll(parking, "x", "x1", "x2");
        List<ExternalMessage<Note>> run = outside(parking, 10);
        assertThat(fail(parking, run.get(0), Failure.Category.VALIDATION)).isInstanceOf(MessageEnd.FailedForGood.class);
        assertThat(outside(parking, 10)).isEmpty();
        engine.operator().discard(row(parking, "x1").id(), WARRANT);
        assertThat(keys(outside(parking, 10))).containsExactly("x2");

        sendAll(CHAT, "x", "x1", "x2");
        List<ExternalMessage<Note>> going = outside(CHAT, 10);
        assertThat(fail(CHAT, going.get(0), Failure.Category.VALIDATION)).isInstanceOf(MessageEnd.FailedForGood.class);
        assertThat(keys(outside(CHAT, 10))).containsExactly("x2");
    }

    @Test
    void d7_releasedMessageKeepsItsPlaceAndTakesThoseBehindItAlong() {
        sendAll(CHAT, "x", "x1", "x2", "x3");
        List<ExternalMessage<Note>> run = outside(CHAT, 10);
        assertThat(release(CHAT, List.of(run.get(1)))).containsExactly(HANDED_BACK);
        assertThat(row(CHAT, "x3").state()).isEqualTo(State.QUEUED);
        assertThat(outside(CHAT, 10)).as("x1 is still being handled").isEmpty();
        assertThat(finish(CHAT, run.get(0))).isEqualTo(RECORDED);
        assertThat(line(CHAT, "x2").turn()).isEqualTo(Line.Turn.HEAD);
        assertThat(keys(outside(CHAT, 10))).containsExactly("x2", "x3");
    }

    @Test
    void d7_unrepeatableLaneIsGrantedOneByOne() {
        Channel.Leased<Note> once = CHAT.asUnrepeatable();
        sendAll(once, "x", "x1", "x2");
        for (String key : List.of("x1", "x2")) {
            List<ExternalMessage<Note>> granted = outside(once, 10);
            assertThat(keys(granted)).containsExactly(key);
            assertThat(finishAll(once, granted)).containsExactly(RECORDED);
        }
    }

    @Test
    void d7_endOfARepeatedClaimIsNotGrantedBehindAHeadThatAnotherHasTakenOver() {
        sendAll(CHAT, "x", "x1", "x2", "x3");
        claims.claim(CHAT, ACME, terms(10, "c-1"));
        time.advance(TEN_SECONDS);
        assertThat(keys(outside(CHAT, 10))).containsExactly("x1");
        assertThat(claims.claim(CHAT, ACME, terms(10, "c-1")))
                .as("x1 is somebody else's")
                .isEmpty();
        assertThat(row(CHAT, "x2").state()).isEqualTo(State.QUEUED);
    }

    @Test
    void d7_laneIsHandledInItsOrderByWorkersOutsideAndHandlersOfANode() {
        Engine node = otherNode();
        node.handle(CHAT, listing());
        sendAll(CHAT, "x", "x1", "x2");
        List<ExternalMessage<Note>> run = outside(CHAT, 1);
        assertThat(keys(run)).containsExactly("x1");
        work(node);
        assertThat(handled).isEmpty();
        assertThat(finishAll(CHAT, run)).containsExactly(RECORDED);
        work(node);
        assertThat(handled).containsExactly("x2");
    }
}
