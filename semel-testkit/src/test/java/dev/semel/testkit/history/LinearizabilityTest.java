package dev.semel.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.history.Event.Ending;
import dev.semel.testkit.history.Event.Grant;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LinearizabilityTest {
    private final History history = History.inMemory("p", new ManualTime(0));

    @Test
    void callsThatOverlapMayHaveHappenedInAnyOrder() {
        long replayed = invoke();
        long busy = invoke();
        long executed = invoke();
        end(replayed, Ending.REPLAYED, "r");
        end(busy, Ending.BUSY, null);
        end(executed, Ending.EXECUTED, "r");
        assertThat(holds()).isTrue();
    }

    @Test
    void replayBeforeAnythingWasExecutedCannotBe() {
        end(invoke(), Ending.REPLAYED, "r");
        end(invoke(), Ending.EXECUTED, "r");
        assertThat(holds()).isFalse();
    }

    @Test
    void inProgressAfterTheResultWasGivenIsAStaleRead() {
        end(invoke(), Ending.EXECUTED, "r");
        end(invoke(), Ending.BUSY, null);
        assertThat(holds()).isFalse();
    }

    @Test
    void unknownCallMayHaveTakenEffectLater() {
        end(invoke(), Ending.UNKNOWN, null);
        end(invoke(), Ending.BUSY, null);
        end(invoke(), Ending.REPLAYED, "r");
        end(invoke(), Ending.REPLAYED, "r");
        assertThat(holds()).isTrue();
    }

    @Test
    void unknownCallMayHaveTakenNoEffect() {
        end(invoke(), Ending.UNKNOWN, null);
        end(invoke(), Ending.EXECUTED, "r");
        assertThat(holds()).isTrue();
    }

    @Test
    void unknownCallHasOneResultOnly() {
        end(invoke(), Ending.UNKNOWN, null);
        end(invoke(), Ending.REPLAYED, "r");
        end(invoke(), Ending.REPLAYED, "s");
        assertThat(holds()).isFalse();
    }

    @Test
    void callThatNeverEndedCountsAsUnknown() {
        invoke();
        end(invoke(), Ending.REPLAYED, "r");
        assertThat(holds()).isTrue();
    }

    @Test
    void terminalFailureIsNotExecutedUnlessItIsReopened() {
        end(invoke(), Ending.FAILED, null);
        end(invoke(), Ending.FAILED, null);
        assertThat(holds()).isTrue();
        end(invoke(), Ending.REOPENED, null);
        end(invoke(), Ending.EXECUTED, "r");
        assertThat(holds()).isTrue();
        end(invoke(), Ending.FAILED, null);
        assertThat(holds()).isFalse();
    }

    @Test
    void terminalFailureIsNotExecuted() {
        end(invoke(), Ending.FAILED, null);
        end(invoke(), Ending.EXECUTED, "r");
        assertThat(holds()).isFalse();
    }

    @Test
    void forgottenRecordStartsAgain() {
        end(invoke(), Ending.EXECUTED, "r");
        end(invoke(), Ending.FORGOTTEN, null);
        end(invoke(), Ending.EXECUTED, "s");
        assertThat(holds()).isTrue();
    }

    @Test
    void keyThatIsForgottenWhileSeveralAskMayBeExecutedBeforeAndAfter() {
        long one = invoke();
        long two = invoke();
        end(invoke(), Ending.FORGOTTEN, null);
        end(one, Ending.EXECUTED, "r");
        end(two, Ending.EXECUTED, "s");
        assertThat(holds()).isTrue();
    }

    @Test
    @Timeout(300)
    void manyCallersOfOneKeyAreJudgedAtOnce() {
        List<Long> calls = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            calls.add(invoke());
        }
        for (int i = 0; i < 200; i++) {
            end(calls.get(i), Ending.BUSY, null);
        }
        for (int i = 200; i < 220; i++) {
            end(calls.get(i), Ending.UNKNOWN, null);
        }
        for (int i = 220; i < 499; i++) {
            end(calls.get(i), Ending.REPLAYED, "r");
        }
        end(calls.get(499), Ending.EXECUTED, "r");
        assertThat(holds()).isTrue();
        end(invoke(), Ending.EXECUTED, "r");
        assertThat(holds()).isFalse();
    }

    @Test
    @Timeout(300)
    void thousandsOfRecordsAreJudgedAtOnce() {
        ManualTime time = new ManualTime(0);
        History many = History.inMemory("p", time);
        for (int record = 0; record < 20_000; record++) {
            String name = "r" + record;
            long one = many.invoke(name, null);
            long two = many.invoke(name, null);
            time.advance(Duration.ofNanos(10));
            many.end(name, one, Ending.EXECUTED, Grant.NONE, new byte[] {1});
            many.end(name, two, Ending.REPLAYED, Grant.NONE, new byte[] {1});
        }
        HistoryChecker.check(many.events()).assertHolds(Rule.R5, Rule.R9);
    }

    private long invoke() {
        return history.invoke("a", null);
    }

    private void end(long call, Ending ending, String result) {
        history.end("a", call, ending, Grant.NONE, result == null ? null : HistoryCheckerTest.bytes(result));
    }

    private boolean holds() {
        return HistoryChecker.check(history.events()).violations().stream()
                .noneMatch(violation -> violation.rule() == Rule.R9);
    }
}
