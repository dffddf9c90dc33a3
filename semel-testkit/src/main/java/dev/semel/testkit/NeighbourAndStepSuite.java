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
        long fence = grant(ReservationBuilder.of(FIRST_BUCKET)).fence();
        Row row = existing(reserve(ReservationBuilder.of(SECOND_BUCKET))).row();
        assertThat(row.header().key()).isEqualTo("text/1");
        assertThat(row.status().fence()).isEqualTo(fence);
        assertThat(exists("text/2")).isFalse();
    }

    @Test
    void neighbourThatIsDueIsReturnedAndGrantedOnlyByItsOwnId() {
        put("text@6", State.FAILED_RETRYABLE, 100, 0);
        pass(100);
        Key key = Key.withNeighbours("text@7", "text", List.of("text@6", "text@8"));
        assertThat(existing(reserve(ReservationBuilder.of(key))).row().id()).isEqualTo(ReservationBuilder.id("text@6"));
        assertThat(grant("text@6").attempt()).isEqualTo(2);
    }

    @Test
    void expiredNeighbourCountsAsAbsent() {
        put("text/1", State.COMPLETED, 1_000, 0);
        pass(1_000);
        assertThat(grant(ReservationBuilder.of(SECOND_BUCKET)).attempt()).isEqualTo(1);
        assertThat(row("text/2").header().key()).isEqualTo("text/2");
    }

    @Test
    void recordsOwnIdIsFoundBeforeItsNeighbours() {
        put("text/1", State.COMPLETED, 1_000, 0);
        put("text/2", State.DISCARDED, 1_000, 0);
        assertThat(existing(reserve(ReservationBuilder.of(SECOND_BUCKET)))
                        .row()
                        .header()
                        .key())
                .isEqualTo("text/2");
    }

    @Test
    void twoNeighboursReservedAtOnceAreGrantedOnce() throws Exception {
        List<Reserved> answers =
                atOnce(THREADS, n -> reserve(ReservationBuilder.of(n % 2 == 0 ? FIRST_BUCKET : SECOND_BUCKET)));
        assertThat(answers.stream().filter(Reserved.Granted.class::isInstance)).hasSize(1);
        assertThat(exists("text/1")).isNotEqualTo(exists("text/2"));
    }

    @Test
    void aStepStartsOnlyUnderTheGrantOfItsParent() {
        RecordId parent = ReservationBuilder.id("parent");
        assertThat(reserve(ReservationBuilder.of("step").under(parent, 1))).isEqualTo(new Reserved.ParentLost());
        long fence = grant("parent").fence();
        assertThat(reserve(ReservationBuilder.of("step").under(parent, fence - 1)))
                .isEqualTo(new Reserved.ParentLost());
        assertThat(exists("step")).isFalse();

        assertThat(grant(ReservationBuilder.of("step").under(parent, fence)).attempt())
                .isEqualTo(1);
        assertThat(row("step").header().parent()).isEqualTo(parent);
    }

    @Test
    void stepDoesNotStartUnderAParentThatIsNoLongerInProgress() {
        for (State state : State.values()) {
            if (state != State.IN_PROGRESS) {
                long fence = put(state.name(), state, 100_000, 0);
                assertThat(reserve(ReservationBuilder.of("step " + state)
                                .under(ReservationBuilder.id(state.name()), fence)))
                        .isEqualTo(new Reserved.ParentLost());
                assertThat(exists("step " + state)).isFalse();
            }
        }
    }

    @Test
    void stepStartsAfterTheLeaseExpiredUnlessItsParentWasTakenOver() {
        long fence = put("parent", State.IN_PROGRESS, 1_000, 0);
        pass(2_000);
        assertThat(grant(ReservationBuilder.of("step").under(ReservationBuilder.id("parent"), fence))
                        .attempt())
                .isEqualTo(1);
        long taken = grant("parent").fence();
        assertThat(reserve(ReservationBuilder.of("step 2").under(ReservationBuilder.id("parent"), fence)))
                .isEqualTo(new Reserved.ParentLost());
        assertThat(grant(ReservationBuilder.of("step 2").under(ReservationBuilder.id("parent"), taken))
                        .attempt())
                .isEqualTo(1);
    }

    @Test
    void finishedStepIsReturnedToTheNextRunOfItsParent() {
        long fence = put("parent", State.IN_PROGRESS, 1_000, 0);
        long step = grant(ReservationBuilder.of("step").under(ReservationBuilder.id("parent"), fence))
                .fence();
        apply(MoveBuilder.of(ReservationBuilder.id("step"), step, State.COMPLETED)
                .result(bytes("done")));
        pass(1_000);
        long taken = grant("parent").fence();
        Row row = existing(reserve(ReservationBuilder.of("step").under(ReservationBuilder.id("parent"), taken)))
                .row();
        assertThat(row.state()).isEqualTo(State.COMPLETED);
        assertThat(row.result()).isEqualTo(bytes("done"));
    }

    @Test
    void stepsOfARecordAreReadByAge() {
        long fence = grant("parent").fence();
        RecordId parent = ReservationBuilder.id("parent");
        for (String step : List.of("zeta", "alpha", "mid")) {
            grant(ReservationBuilder.of(step).under(parent, fence));
            pass(1);
        }
        grant("stranger");
        assertThat(ledger.steps(parent)).extracting(row -> row.header().key()).containsExactly("zeta", "alpha", "mid");
        assertThat(ledger.steps(ReservationBuilder.id("stranger"))).isEmpty();
        assertThat(ledger.steps(ReservationBuilder.id("nobody"))).isEmpty();
    }

    @Test
    void recreatedRecordHasNoneOfTheEarlierSteps() {
        long fence = grant("parent").fence();
        long step = grant(ReservationBuilder.of("step").under(ReservationBuilder.id("parent"), fence))
                .fence();
        apply(MoveBuilder.of(ReservationBuilder.id("step"), step, State.COMPLETED)
                .result(bytes("old")));
        apply(MoveBuilder.of(ReservationBuilder.id("parent"), fence, State.COMPLETED)
                .in(1_000));
        pass(1_000);

        long again = grant("parent").fence();

        assertThat(ledger.steps(ReservationBuilder.id("parent"))).isEmpty();
        assertThat(grant(ReservationBuilder.of("step").under(ReservationBuilder.id("parent"), again))
                        .attempt())
                .isEqualTo(1);
    }
}
