package dev.semel.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.testkit.history.Event.Ending;
import dev.semel.testkit.history.Event.Grant;
import dev.semel.testkit.history.Event.Reception;
import dev.semel.time.ManualTime;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** For every rule: a correct history passes, and one with the matching fault is caught. */
class HistoryCheckerTest {
    private final History history = History.inMemory("p1", new ManualTime(0));

    @Test
    void runInWhichEverythingIsRightHoldsAndEveryRuleIsJudged() {
        long first = history.invoke("a", bytes("pay"));
        long second = history.invoke("a", bytes("pay"));
        history.start("a", first, 1, 1);
        deliver("a", 1, Reception.APPLIED, new Event.Place("lane", 1));
        deliver("a", 1, Reception.REPEATED, new Event.Place("lane", 1));
        history.end("a", second, Ending.BUSY, Grant.NONE, null);
        history.end("a", first, Ending.EXECUTED, new Grant(1, 1), bytes("r"));
        call("a", Ending.REPLAYED, "r");
        call("a", Ending.CONFLICT, null);
        told("a", "operation.executed", 1);
        left("a", "COMPLETED", "r", false);
        history.append(stamp -> new Event.Chained(stamp, true, "unbroken"));

        Judgement judgement = HistoryChecker.check(history.events());

        judgement.assertHolds(Rule.values());
        assertThat(judgement.counts()).isEqualTo(new Judgement.Counts(1, 4, 1, 1, 0));
    }

    @Test
    void r1_acknowledgedRecordThatIsGoneIsMissed() {
        call("a", Ending.EXECUTED, "r");
        call("b", Ending.EXECUTED, "r");
        left("a", "COMPLETED", "r", false);
        assertBroken(Rule.R1, "b");
    }

    @Test
    void r1_resultThatWasGivenForARecordThatIsNotDoneIsMissed() {
        call("a", Ending.EXECUTED, "r");
        left("a", "FAILED_RETRYABLE", null, false);
        assertBroken(Rule.R1, "a");
    }

    @Test
    void r1_executedRecordWithoutItsEffectIsMissed() {
        call("a", Ending.EXECUTED, "r");
        call("b", Ending.EXECUTED, "r");
        deliver("a", 1, Reception.APPLIED, null);
        left("a", "COMPLETED", "r", false);
        left("b", "COMPLETED", "r", false);
        assertBroken(Rule.R1, "b");
    }

    @Test
    void r1_unacknowledgedOrForgottenRecordMayBeMissing() {
        call("a", Ending.FAIL, null);
        call("b", Ending.UNKNOWN, null);
        call("c", Ending.EXECUTED, "r");
        call("c", Ending.FORGOTTEN, null);
        left("d", "COMPLETED", "r", false);
        assertThat(HistoryChecker.check(history.events()).holds()).isTrue();
    }

    @Test
    void r2_secondEffectIsFound() {
        call("a", Ending.EXECUTED, "r");
        deliver("a", 1, Reception.APPLIED, null);
        deliver("a", 2, Reception.APPLIED, null);
        assertBroken(Rule.R2, "a");
    }

    @Test
    void r2_oneEffectForEachReplayByAnOperatorIsRight() {
        call("a", Ending.FAILED, null);
        deliver("a", 1, Reception.APPLIED, null);
        call("a", Ending.REOPENED, null);
        call("a", Ending.EXECUTED, "r");
        deliver("a", 2, Reception.APPLIED, null);
        HistoryChecker.check(history.events()).assertHolds(Rule.R2, Rule.R9);
    }

    @Test
    void r3_laterGrantWithALowerFenceIsFound() {
        started("a", 5);
        started("a", 4);
        assertBroken(Rule.R3, "a");
    }

    @Test
    void r3_fenceGivenTwiceIsFound() {
        long one = history.invoke("a", null);
        long two = history.invoke("a", null);
        history.start("a", one, 5, 1);
        history.start("a", two, 5, 1);
        assertBroken(Rule.R3, "a");
    }

    @Test
    void r3_grantsThatOverlapMayBeEnteredInAnyOrder() {
        long one = history.invoke("a", null);
        long two = history.invoke("a", null);
        history.start("a", two, 6, 2);
        history.start("a", one, 5, 1);
        history.start("a", one, 5, 1);
        HistoryChecker.check(history.events()).assertHolds(Rule.R3);
    }

    @Test
    void r4_effectUnderAnOldFenceIsFound() {
        call("a", Ending.UNKNOWN, null);
        deliver("a", 5, Reception.REPEATED, null);
        deliver("a", 4, Reception.APPLIED, null);
        assertBroken(Rule.R4, "a");
    }

    @Test
    void r4_oldFenceThatIsRejectedIsRight() {
        call("a", Ending.EXECUTED, "r");
        deliver("a", 5, Reception.APPLIED, null);
        deliver("a", 4, Reception.REFUSED, null);
        Judgement judgement = HistoryChecker.check(history.events());
        judgement.assertHolds(Rule.R4);
        assertThat(judgement.counts().refused()).isEqualTo(1);
    }

    @Test
    void r5_replayOfAnotherResultIsFound() {
        call("a", Ending.EXECUTED, "r");
        call("a", Ending.REPLAYED, "other");
        assertBroken(Rule.R5, "a");
    }

    @Test
    void r5_ledgerWithAnotherResultIsFound() {
        call("a", Ending.EXECUTED, "r");
        left("a", "COMPLETED", "other", false);
        assertBroken(Rule.R5, "a");
    }

    @Test
    void r5_resultOfNullIsAResult() {
        call("a", Ending.EXECUTED, null);
        call("a", Ending.REPLAYED, null);
        left("a", "COMPLETED", null, false);
        HistoryChecker.check(history.events()).assertHolds(Rule.R5);
    }

    @Test
    void r6_failureThatLeftAnEffectIsFound() {
        long call = history.invoke("a", null);
        history.start("a", call, 1, 1);
        deliver("a", 1, Reception.APPLIED, null);
        history.end("a", call, Ending.FAIL, new Grant(1, 1), null);
        assertBroken(Rule.R6, "a");
    }

    @Test
    void r6_effectFromBeforeTheKeyWasMadeNewIsNotTheFailures() {
        long call = history.invoke("a", null);
        history.start("a", call, 1, 1);
        deliver("a", 1, Reception.APPLIED, null);
        call("a", Ending.FORGOTTEN, null);
        history.start("a", call, 2, 2);
        history.end("a", call, Ending.FAIL, new Grant(2, 2), null);
        HistoryChecker.check(history.events()).assertHolds(Rule.R6);
    }

    @Test
    void r6_effectFromAfterTheKeyWasMadeNewIsFound() {
        long call = history.invoke("a", null);
        history.start("a", call, 1, 1);
        call("a", Ending.FORGOTTEN, null);
        history.start("a", call, 2, 2);
        deliver("a", 2, Reception.APPLIED, null);
        history.end("a", call, Ending.FAIL, new Grant(2, 2), null);
        assertBroken(Rule.R6, "a");
    }

    @Test
    void r6_effectWhenEveryCallFailedIsFound() {
        call("a", Ending.FAIL, null);
        deliver("a", 7, Reception.APPLIED, null);
        assertBroken(Rule.R6, "a");
    }

    @Test
    void r6_unknownCallMayHaveAnEffect() {
        call("a", Ending.FAIL, null);
        call("a", Ending.UNKNOWN, null);
        deliver("a", 7, Reception.APPLIED, null);
        HistoryChecker.check(history.events()).assertHolds(Rule.R6);
    }

    @Test
    void r7_acceptedItemThatNeverEndsIsFound() {
        call("a", Ending.ACCEPTED, null);
        left("a", "QUEUED", null, false);
        assertBroken(Rule.R7, "a");
    }

    @Test
    void r7_expiredRunThatWasNotSweptIsFound() {
        call("a", Ending.UNKNOWN, null);
        left("a", "IN_PROGRESS", null, false);
        assertBroken(Rule.R7, "a");
    }

    @Test
    void r7_heldRecordsAndThoseThatWaitForTheirCallerNeedNotEnd() {
        call("a", Ending.ACCEPTED, null);
        left("a", "QUEUED", null, true);
        call("b", Ending.FAIL, null);
        left("b", "FAILED_RETRYABLE", null, false);
        HistoryChecker.check(history.events()).assertHolds(Rule.R7);
    }

    @Test
    void r8_changeWithoutAnEventIsFound() {
        call("a", Ending.EXECUTED, "r");
        call("b", Ending.EXECUTED, "r");
        told("a", "operation.executed", 1);
        left("a", "COMPLETED", "r", false);
        left("b", "COMPLETED", "r", false);
        assertBroken(Rule.R8, "b");
    }

    @Test
    void r8_deadLetterWithoutASystemErrorIsFound() {
        call("a", Ending.ACCEPTED, null);
        call("b", Ending.ACCEPTED, null);
        told("a", "retry.exhausted", 3);
        told("a", "system.error", 3);
        told("b", "retry.exhausted", 3);
        left("a", "FAILED_TERMINAL", null, false);
        left("b", "FAILED_TERMINAL", null, false);
        assertBroken(Rule.R8, "b");
    }

    @Test
    void r8_changeWithTwoEventsIsFound() {
        told("a", "operation.executed", 1);
        told("a", "operation.executed", 1);
        assertBroken(Rule.R8, "a");
    }

    @Test
    void r8_brokenChainIsFound() {
        history.append(stamp -> new Event.Chained(stamp, false, "event 7 was changed"));
        assertBroken(Rule.R8, "audit");
    }

    @Test
    void r8_replaysMayHaveManyEvents() {
        told("a", "operation.replayed", 1);
        told("a", "operation.replayed", 1);
        HistoryChecker.check(history.events()).assertHolds(Rule.R8);
    }

    @Test
    void r9_twoExecutionsOfOneRecordAreFound() {
        call("a", Ending.EXECUTED, "r");
        call("a", Ending.EXECUTED, "r");
        assertBroken(Rule.R9, "a");
    }

    @Test
    void r9_effectWithoutACallIsFound() {
        call("b", Ending.EXECUTED, "r");
        deliver("b", 1, Reception.APPLIED, null);
        deliver("a", 1, Reception.APPLIED, null);
        assertBroken(Rule.R9, "a");
    }

    @Test
    void r9_effectOfAnUnknownPayloadIsFound() {
        long call = history.invoke("a", bytes("given"));
        history.end("a", call, Ending.EXECUTED, new Grant(1, 1), null);
        history.append(stamp -> new Event.Delivered(
                stamp, "a", new Grant(1, 1), History.hash(bytes("other")), Reception.APPLIED, null));
        assertBroken(Rule.R9, "a");
    }

    @Test
    void r10_laneOutOfOrderIsFound() {
        call("a", Ending.EXECUTED, "r");
        call("b", Ending.EXECUTED, "r");
        deliver("b", 1, Reception.APPLIED, new Event.Place("lane", 2));
        deliver("a", 2, Reception.APPLIED, new Event.Place("lane", 1));
        assertBroken(Rule.R10, "lane");
    }

    @Test
    void r10_effectUnderAFenceThatIsNotAboveTheOneBeforeItInTheLaneIsFound() {
        deliver("a", 5, Reception.APPLIED, new Event.Place("falling", 1));
        deliver("b", 4, Reception.APPLIED, new Event.Place("falling", 2));
        assertBroken(Rule.R10, "falling");
        deliver("c", 7, Reception.APPLIED, new Event.Place("equal", 1));
        deliver("d", 7, Reception.APPLIED, new Event.Place("equal", 2));
        assertThat(HistoryChecker.check(history.events()).violations())
                .filteredOn(violation -> violation.rule() == Rule.R10)
                .extracting(Judgement.Violation::record)
                .containsExactly("falling", "equal");
    }

    @Test
    void r10_receiverWithoutFencesIsNotJudgedByThem() {
        deliver("a", 5, Reception.APPLIED, new Event.Place("lane", 1));
        deliver("b", 0, Reception.APPLIED, new Event.Place("lane", 2));
        HistoryChecker.check(history.events()).assertHolds(Rule.R10);
    }

    @Test
    void r10_lanesDoNotWaitForEachOtherAndRedeliveriesDoNotCount() {
        call("a", Ending.EXECUTED, "r");
        call("b", Ending.EXECUTED, "r");
        deliver("b", 1, Reception.APPLIED, new Event.Place("one", 2));
        deliver("a", 2, Reception.APPLIED, new Event.Place("two", 1));
        deliver("b", 3, Reception.REPEATED, new Event.Place("one", 2));
        HistoryChecker.check(history.events()).assertHolds(Rule.R10);
    }

    @Test
    void ruleThatHadNothingToJudgeIsNotTakenForKept() {
        call("a", Ending.EXECUTED, "r");
        Judgement judgement = HistoryChecker.check(history.events());
        assertThat(judgement.judged()).containsExactlyInAnyOrder(Rule.R5, Rule.R9);
        assertThatThrownBy(() -> judgement.assertHolds(Rule.R2)).hasMessageContaining("R2");
    }

    @Test
    void callThatEndedWithoutBeingInvokedMakesTheHistoryItselfWrong() {
        history.end("a", 99, Ending.EXECUTED, Grant.NONE, null);
        assertThatThrownBy(() -> HistoryChecker.check(history.events()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not invoked");
    }

    private void assertBroken(Rule rule, String record) {
        Judgement judgement = HistoryChecker.check(history.events());
        assertThat(judgement.violations()).anySatisfy(violation -> {
            assertThat(violation.rule()).isEqualTo(rule);
            assertThat(violation.record()).isEqualTo(record);
            assertThat(violation.events()).isNotEmpty();
        });
        assertThatThrownBy(judgement::assertHolds).hasMessageContaining(rule.text());
    }

    private void call(String record, Ending ending, String result) {
        long call = history.invoke(record, bytes("pay"));
        history.end(record, call, ending, Grant.NONE, result == null ? null : bytes(result));
    }

    private void started(String record, long fence) {
        long call = history.invoke(record, null);
        history.start(record, call, fence, 1);
        history.end(record, call, Ending.UNKNOWN, new Grant(fence, 1), null);
    }

    private void deliver(String record, long fence, Reception reception, Event.Place place) {
        history.append(stamp -> new Event.Delivered(stamp, record, new Grant(fence, 1), null, reception, place));
    }

    private void told(String record, String type, long fence) {
        history.append(stamp -> new Event.Audited(stamp, record, type, new Grant(fence, 1)));
    }

    private void left(String record, String state, String result, boolean held) {
        history.append(stamp ->
                new Event.Left(stamp, record, state, result == null ? null : History.hash(bytes(result)), held));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
