package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.StateCensus;
import dev.semel.store.StateCensus.OperationCount;
import dev.semel.store.Status;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Counts of records by operation. */
abstract class CensusSuite extends QueueFixture {
    private static final int MOST = 100;

    CensusSuite(StoreContract contract) {
        super(contract);
    }

    private StateCensus census(State state) {
        return ledger.census(state, null, Status.NEVER, MOST);
    }

    @Test
    void recordsOfAStateAreCountedByOperationWithTheEarliestTime() {
        put("a", State.UNKNOWN, 5_000, 1_000);
        put("b", State.UNKNOWN, 3_000, 0);
        put("done", State.COMPLETED, 1_000, 0);
        assertThat(census(State.UNKNOWN))
                .isEqualTo(new StateCensus(
                        List.of(new OperationCount(
                                ReservationBuilder.OPERATION, 2, 0, 0, START + 3_000, START + 3_000)),
                        true,
                        now()));
        assertThat(census(State.FAILED_TERMINAL)).isEqualTo(new StateCensus(List.of(), true, now()));
    }

    @Test
    void messagesAreCountedWhetherTheyHaveALaneOrNot() {
        sendTo("lane", "a1", "a2");
        send(ArrivalBuilder.of("free"));
        assertThat(census(State.QUEUED).operations()).singleElement().satisfies(count -> {
            assertThat(count.operation()).isEqualTo(ArrivalBuilder.CHANNEL);
            assertThat(count.records()).isEqualTo(3);
            assertThat(count.queued()).isEqualTo(3);
        });
    }

    @Test
    void headsThatHoldTheirLanesUpAreCounted() {
        sendTo("lane", "a1", "a2");
        Row head = grantedOne(ClaimBuilder.of(1));
        apply(shift(head, State.UNKNOWN).in(1_000));
        assertThat(census(State.UNKNOWN).operations())
                .singleElement()
                .satisfies(count -> assertThat(count.heads()).isEqualTo(1));
    }

    @Test
    void onlyThoseAreCountedWhoseTimeHasComeIfThatIsAskedFor() {
        put("soon", State.IN_PROGRESS, 1_000, 0);
        put("late", State.IN_PROGRESS, 9_000, 0);
        assertThat(ledger.census(State.IN_PROGRESS, null, START + 999, MOST).operations())
                .isEmpty();
        assertThat(ledger.census(State.IN_PROGRESS, null, START + 1_000, MOST).operations())
                .extracting(OperationCount::records)
                .containsExactly(1L);
        assertThat(census(State.IN_PROGRESS).operations())
                .extracting(OperationCount::records)
                .containsExactly(2L);
    }

    @Test
    void countEndsWhereItIsToldAndSaysSo() {
        for (int i = 0; i < 3; i++) {
            put("k" + i, State.UNKNOWN, 1_000 + i, 0);
        }
        assertThat(ledger.census(State.UNKNOWN, null, Status.NEVER, 3).complete())
                .isTrue();
        StateCensus bounded = ledger.census(State.UNKNOWN, null, Status.NEVER, 2);
        assertThat(bounded.complete()).isFalse();
        assertThat(bounded.operations()).singleElement().satisfies(count -> {
            assertThat(count.records()).isBetween(2L, 3L);
            assertThat(count.earliestAt()).isEqualTo(START + 1_000);
        });
    }

    @Test
    void h4_recordsOfOtherTenantsAreNotCounted() {
        put("k", State.UNKNOWN, 1_000, 0);
        grant(ReservationBuilder.of("k").of(Tenant.of("globex")).leasedFor(2_000));
        assertThat(ledger.census(State.UNKNOWN, "globex", Status.NEVER, MOST).operations())
                .isEmpty();
        assertThat(ledger.census(State.IN_PROGRESS, "globex", Status.NEVER, MOST)
                        .operations())
                .extracting(OperationCount::records)
                .containsExactly(1L);
        assertThat(ledger.census(State.UNKNOWN, ReservationBuilder.TENANT, Status.NEVER, MOST)
                        .operations())
                .extracting(OperationCount::records)
                .containsExactly(1L);
    }

    @Test
    void stepsAreLeftOut() {
        long fence = grant("parent").fence();
        grant(ReservationBuilder.of("step").under(ReservationBuilder.id("parent"), fence));
        assertThat(census(State.IN_PROGRESS).operations())
                .extracting(OperationCount::records)
                .containsExactly(1L);
    }
}
