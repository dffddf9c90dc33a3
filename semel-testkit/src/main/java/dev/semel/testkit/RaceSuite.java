package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Moved;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.State;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Concurrent calls: in any order, one wins. */
abstract class RaceSuite extends ContractSuite {
    private static final int ROUNDS = 10;

    RaceSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void a1_absentRecordReservedByManyAtOnceIsGrantedOnce() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            String key = "k" + round;
            assertGrantedOnce(atOnce(THREADS, n -> reserve(ReservationBuilder.of(key))));
            assertThat(status(key).attempt()).isEqualTo(1);
        }
    }

    @Test
    void leaseThatIsOverIsTakenOverOnce() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            String key = "k" + round;
            put(key, State.IN_PROGRESS, 10, 0);
            pass(10);
            assertGrantedOnce(atOnce(THREADS, n -> reserve(ReservationBuilder.of(key))));
            assertThat(status(key).attempt()).isEqualTo(2);
        }
    }

    @Test
    void retryThatIsDueIsGrantedOnce() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            String key = "k" + round;
            put(key, State.FAILED_RETRYABLE, 0, 0);
            assertGrantedOnce(atOnce(THREADS, n -> reserve(ReservationBuilder.of(key))));
            assertThat(status(key).attempt()).isEqualTo(2);
        }
    }

    @Test
    void recordIsFinishedOnceAndTheRestHearThatItIsTheSame() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            String key = "k" + round;
            long fence = grant(key).fence();
            List<Moved> answers = atOnce(
                    THREADS,
                    n -> move(MoveBuilder.of(ReservationBuilder.id(key), fence, State.COMPLETED)
                            .in(1_000)
                            .with(ReservationBuilder.of(key).event(1))));
            assertThat(Collections.frequency(answers, new Moved.Applied())).isEqualTo(1);
            assertThat(Collections.frequency(answers, new Moved.Same())).isEqualTo(THREADS - 1);
            assertThat(events(key)).hasSize(1);
        }
    }

    @Test
    void ofAFinishAndATakeoverOnlyOneHappens() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            String key = "k" + round;
            long fence = put(key, State.IN_PROGRESS, 10, 0);
            pass(10);
            List<Object> answers = atOnce(
                    2,
                    n -> n == 0
                            ? move(MoveBuilder.of(ReservationBuilder.id(key), fence, State.COMPLETED)
                                    .in(1_000))
                            : reserve(ReservationBuilder.of(key)));
            boolean finished = answers.get(0) instanceof Moved.Applied;
            boolean taken = answers.get(1) instanceof Reserved.Granted;
            assertThat(finished).as("finished, not taken over").isNotEqualTo(taken);
            assertThat(status(key).state()).isEqualTo(finished ? State.COMPLETED : State.IN_PROGRESS);
        }
    }

    @Test
    void a9_purgeThatRacesAReservationNeverRemovesAGrant() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            String key = "k" + round;
            put(key, State.COMPLETED, 0, 0);
            List<Reserved> answers = atOnce(THREADS, n -> {
                if (n % 2 == 0) {
                    ledger.purge(10, counts -> List.of());
                    return new Reserved.ModesChanged();
                }
                return reserve(ReservationBuilder.of(key));
            });
            assertThat(answers.stream().filter(Reserved.Granted.class::isInstance))
                    .hasSize(1);
            assertThat(status(key).state()).isEqualTo(State.IN_PROGRESS);
        }
    }

    @Test
    void batchesInOppositeOrdersDoNotBlockEachOther() throws Exception {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            keys.add("k" + i);
        }
        for (int round = 0; round < ROUNDS; round++) {
            String prefix = "r" + round;
            List<List<Reserved>> answers = atOnce(8, n -> {
                List<Reservation> batch = new ArrayList<>();
                keys.forEach(
                        key -> batch.add(ReservationBuilder.of(prefix + key).reservation()));
                if (n % 2 == 0) {
                    Collections.reverse(batch);
                }
                return ledger.reserve(board.modes().version(), batch);
            });
            long granted = answers.stream()
                    .flatMap(List::stream)
                    .filter(Reserved.Granted.class::isInstance)
                    .count();
            assertThat(granted).isEqualTo(keys.size());
        }
    }

    @Test
    void fencesHandedOutToManyAtOnceAreAllDifferent() throws Exception {
        List<Long> fences = atOnce(THREADS, n -> grant("k" + n).fence());
        assertThat(fences).doesNotHaveDuplicates();
    }

    private static void assertGrantedOnce(List<Reserved> answers) {
        assertThat(answers.stream().filter(Reserved.Granted.class::isInstance)).hasSize(1);
        assertThat(answers.stream().filter(Reserved.Existing.class::isInstance)).hasSize(THREADS - 1);
    }
}
