package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.key.RecordId;
import dev.semel.store.Ledger;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/** Lincheck generates concurrent scenarios on two records and asks for an order in which they could have happened. */
class MemoryStoreLincheckTest {
    /** Made once: what is hashed on the way is none of the ledger's affair, and would be scheduled with it. */
    private static final RecordId[] IDS = {ReservationBuilder.id("k0"), ReservationBuilder.id("k1")};

    private static final Reservation[][] ASKED = {asked("k0"), asked("k1")};

    /** The ledger as it ships. Fences, attempts and states are in the results, so a double grant cannot hide. */
    @Param(name = "key", gen = IntGen.class, conf = "0:1")
    public static class Shipped {
        private final ManualTime time = new ManualTime(0);
        private final Ledger ledger = new MemoryStore(time).ledger();

        @Operation
        public String reserve(@Param(name = "key") int key, @Param(gen = IntGen.class, conf = "1:3") int owner) {
            return told(ledger.reserve(1, List.of(ASKED[key][owner])).get(0));
        }

        @Operation
        public String complete(@Param(name = "key") int key, @Param(gen = IntGen.class, conf = "1:3") int counter) {
            long fence = 1L << 48 | counter;
            return ledger.move(List.of(
                            MoveBuilder.of(IDS[key], fence, State.COMPLETED).move()))
                    .get(0)
                    .toString();
        }

        @Operation
        public String find(@Param(name = "key") int key) {
            Row row = ledger.find(List.of(IDS[key])).get(IDS[key]);
            return row == null ? "absent" : row.status().toString();
        }

        @Operation
        public long leaseEnds() {
            time.advance(Duration.ofMillis(10));
            return 0;
        }
    }

    /** Nothing but grants of one record, so that any two meet. */
    public static class GrantsByCheckThenAct {
        private final Ledger ledger = checkThenAct(new MemoryStore(new ManualTime(0)));

        @Operation
        public String reserve(@Param(gen = IntGen.class, conf = "1:3") int owner) {
            return told(ledger.reserve(1, List.of(ASKED[0][owner])).get(0));
        }
    }

    /** The planted bug: looks first, and asks for the grant as if nothing could have happened in between. */
    private static Ledger checkThenAct(Store store) {
        return new ForwardingLedger(store.ledger()) {
            @Override
            public List<Reserved> reserve(long modesVersion, List<Reservation> batch) {
                List<Reserved> answers = new ArrayList<>();
                for (Reservation asked : batch) {
                    RecordId id = asked.identity().id();
                    Row row = super.find(List.of(id)).get(id);
                    Thread.yield();
                    Reserved reserved =
                            super.reserve(modesVersion, List.of(asked)).get(0);
                    answers.add(row == null ? grantedToAll(reserved) : reserved);
                }
                return answers;
            }
        };
    }

    private static Reserved grantedToAll(Reserved reserved) {
        return reserved instanceof Reserved.Existing existing
                ? new Reserved.Granted(existing.row().status().fence(), 1, false)
                : reserved;
    }

    private static Reservation[] asked(String key) {
        return IntStream.rangeClosed(0, 3)
                .mapToObj(owner ->
                        ReservationBuilder.of(key).by(owner).leasedFor(10).reservation())
                .toArray(Reservation[]::new);
    }

    private static String told(Reserved reserved) {
        return reserved instanceof Reserved.Existing existing
                ? existing.row().status().toString()
                : reserved.toString();
    }

    @Test
    void ledgerInMemoryIsLinearizableUnderStress() {
        new StressOptions()
                .iterations(20)
                .invocationsPerIteration(100)
                .threads(2)
                .actorsPerThread(4)
                .actorsBefore(2)
                .actorsAfter(2)
                .check(Shipped.class);
    }

    /** Model checking: each scenario under many schedules, chosen by the places where its threads could meet. */
    @Test
    void ledgerInMemoryIsLinearizableUnderChosenSchedules() {
        scheduled(5, 50).threads(2).actorsPerThread(2).check(Shipped.class);
    }

    @Test
    void ledgerThatChecksAndThenActsIsCaughtByAChosenSchedule() {
        assertThatThrownBy(() -> scheduled(2, 100)
                        .minimizeFailedScenario(false)
                        .threads(2)
                        .actorsPerThread(1)
                        .check(GrantsByCheckThenAct.class))
                .isInstanceOf(LincheckAssertionError.class);
    }

    private static ModelCheckingOptions scheduled(int scenarios, int schedules) {
        return new ModelCheckingOptions()
                .iterations(scenarios)
                .invocationsPerIteration(schedules)
                .actorsBefore(0)
                .actorsAfter(0);
    }

    @Test
    void ledgerThatChecksAndThenActsIsCaught() {
        assertThatThrownBy(() -> new StressOptions()
                        .iterations(100)
                        .invocationsPerIteration(500)
                        .minimizeFailedScenario(false)
                        .threads(2)
                        .actorsPerThread(3)
                        .actorsBefore(0)
                        .actorsAfter(0)
                        .check(GrantsByCheckThenAct.class))
                .isInstanceOf(LincheckAssertionError.class);
    }
}
