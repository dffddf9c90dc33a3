package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Key;
import dev.semel.key.RecordId;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Records that are found under another's key, and steps under their parent. */
abstract class NeighbourAndStepSuite extends ContractSuite {
    static final Key FIRST_BUCKET = Key.withNeighbours("text/1", "text", List.of("text/0", "text/2"));
    static final Key SECOND_BUCKET = Key.withNeighbours("text/2", "text", List.of("text/1", "text/3"));

    NeighbourAndStepSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void recordUnderANeighbouringKeyCountsAsThisOnes() {
        long fence = grant(Ask.of(FIRST_BUCKET)).fence();
        Row row = existing(reserve(Ask.of(SECOND_BUCKET))).row();
        assertThat(row.header().key()).isEqualTo("text/1");
        assertThat(row.status().fence()).isEqualTo(fence);
        assertThat(exists("text/2")).isFalse();
    }

    @Test
    void neighbourThatIsDueIsReturnedAndGrantedOnlyByItsOwnId() {
        put("text@6", State.FAILED_RETRYABLE, 100, 0);
        pass(100);
        Key key = Key.withNeighbours("text@7", "text", List.of("text@6", "text@8"));
        assertThat(existing(reserve(Ask.of(key))).row().id()).isEqualTo(Ask.id("text@6"));
        assertThat(grant("text@6").attempt()).isEqualTo(2);
    }

    @Test
    void expiredNeighbourCountsAsAbsent() {
        put("text/1", State.COMPLETED, 1_000, 0);
        pass(1_000);
        assertThat(grant(Ask.of(SECOND_BUCKET)).attempt()).isEqualTo(1);
        assertThat(row("text/2").header().key()).isEqualTo("text/2");
    }

    @Test
    void recordsOwnIdIsFoundBeforeItsNeighbours() {
        put("text/1", State.COMPLETED, 1_000, 0);
        put("text/2", State.DISCARDED, 1_000, 0);
        assertThat(existing(reserve(Ask.of(SECOND_BUCKET))).row().header().key())
                .isEqualTo("text/2");
    }

    @Test
    void twoNeighboursReservedAtOnceAreGrantedOnce() throws Exception {
        List<Reserved> answers = atOnce(THREADS, n -> reserve(Ask.of(n % 2 == 0 ? FIRST_BUCKET : SECOND_BUCKET)));
        assertThat(answers.stream().filter(Reserved.Granted.class::isInstance)).hasSize(1);
        assertThat(exists("text/1")).isNotEqualTo(exists("text/2"));
    }

    @Test
    void aStepStartsOnlyUnderTheGrantOfItsParent() {
        RecordId parent = Ask.id("parent");
        assertThat(reserve(Ask.of("step").under(parent, 1))).isEqualTo(new Reserved.ParentLost());
        long fence = grant("parent").fence();
        assertThat(reserve(Ask.of("step").under(parent, fence - 1))).isEqualTo(new Reserved.ParentLost());
        assertThat(exists("step")).isFalse();

        assertThat(grant(Ask.of("step").under(parent, fence)).attempt()).isEqualTo(1);
        assertThat(row("step").header().parent()).isEqualTo(parent);
    }

    @Test
    void stepDoesNotStartUnderAParentThatIsNoLongerInProgress() {
        for (State state : State.values()) {
            if (state != State.IN_PROGRESS) {
                long fence = put(state.name(), state, 100_000, 0);
                assertThat(reserve(Ask.of("step " + state).under(Ask.id(state.name()), fence)))
                        .isEqualTo(new Reserved.ParentLost());
                assertThat(exists("step " + state)).isFalse();
            }
        }
    }

    @Test
    void stepStartsAfterTheLeaseExpiredUnlessItsParentWasTakenOver() {
        long fence = put("parent", State.IN_PROGRESS, 1_000, 0);
        pass(2_000);
        assertThat(grant(Ask.of("step").under(Ask.id("parent"), fence)).attempt())
                .isEqualTo(1);
        long taken = grant("parent").fence();
        assertThat(reserve(Ask.of("step 2").under(Ask.id("parent"), fence))).isEqualTo(new Reserved.ParentLost());
        assertThat(grant(Ask.of("step 2").under(Ask.id("parent"), taken)).attempt())
                .isEqualTo(1);
    }

    @Test
    void finishedStepIsReturnedToTheNextRunOfItsParent() {
        long fence = put("parent", State.IN_PROGRESS, 1_000, 0);
        long step = grant(Ask.of("step").under(Ask.id("parent"), fence)).fence();
        apply(Shift.of(Ask.id("step"), step, State.COMPLETED).result(bytes("done")));
        pass(1_000);
        long taken = grant("parent").fence();
        Row row =
                existing(reserve(Ask.of("step").under(Ask.id("parent"), taken))).row();
        assertThat(row.state()).isEqualTo(State.COMPLETED);
        assertThat(row.result()).isEqualTo(bytes("done"));
    }

    @Test
    void stepsOfARecordAreReadByAge() {
        long fence = grant("parent").fence();
        RecordId parent = Ask.id("parent");
        for (String step : List.of("zeta", "alpha", "mid")) {
            grant(Ask.of(step).under(parent, fence));
            pass(1);
        }
        grant("stranger");
        assertThat(ledger.steps(parent)).extracting(row -> row.header().key()).containsExactly("zeta", "alpha", "mid");
        assertThat(ledger.steps(Ask.id("stranger"))).isEmpty();
        assertThat(ledger.steps(Ask.id("nobody"))).isEmpty();
    }

    @Test
    void recreatedRecordHasNoneOfTheEarlierSteps() {
        long fence = grant("parent").fence();
        long step = grant(Ask.of("step").under(Ask.id("parent"), fence)).fence();
        apply(Shift.of(Ask.id("step"), step, State.COMPLETED).result(bytes("old")));
        apply(Shift.of(Ask.id("parent"), fence, State.COMPLETED).in(1_000));
        pass(1_000);

        long again = grant("parent").fence();

        assertThat(ledger.steps(Ask.id("parent"))).isEmpty();
        assertThat(grant(Ask.of("step").under(Ask.id("parent"), again)).attempt())
                .isEqualTo(1);
    }
}
