package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.Moved;
import dev.semel.store.OutsideGrant;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a record that is there is granted again: retries that are due, and leases that are over. */
abstract class RegrantSuite extends ContractSuite {
    RegrantSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void retryIsGrantedWhenItIsDueAndNotAMillisecondBefore() {
        long before = put("k", State.FAILED_RETRYABLE, 1_000, 60_000);
        pass(999);
        assertThat(existing(reserve(ReservationBuilder.of("k"))).row().status().fence())
                .isEqualTo(before);
        pass(1);

        Reserved.Granted granted =
                grant(ReservationBuilder.of("k").with(bytes("other")).by(8));

        assertThat(granted.attempt()).isEqualTo(2);
        assertThat(granted.takenOver()).isFalse();
        assertThat(granted.fence()).isGreaterThan(before);
        Row row = row("k");
        assertThat(row.status())
                .isEqualTo(new Status(State.IN_PROGRESS, granted.fence(), 2, now() + ReservationBuilder.LEASE, 0, 8));
        assertThat(row.header()).isEqualTo(ReservationBuilder.of("k").header());
        assertThat(row.payload()).isEqualTo(bytes("payload"));
    }

    @Test
    void a7_retryThatIsDueIsNotGrantedToAnotherPayload() {
        long before = put("k", State.FAILED_RETRYABLE, 0, 0);
        Row found =
                existing(reserve(ReservationBuilder.of("k").fingerprinted(2))).row();
        assertThat(found.status().fence()).isEqualTo(before);
        assertThat(found.header()).isEqualTo(ReservationBuilder.of("k").header());
    }

    @Test
    void a7_leaseThatIsOverIsNotTakenOverByAnotherPayload() {
        long before = put("k", State.IN_PROGRESS, 1_000, 0);
        pass(1_000);
        assertThat(existing(reserve(ReservationBuilder.of("k").fingerprinted(2).by(8)))
                        .row()
                        .status()
                        .fence())
                .isEqualTo(before);
        assertThat(grant(ReservationBuilder.of("k").by(9)).takenOver()).isTrue();
    }

    @Test
    void retryThatIsNotKeptForAnyTimeIsStillGrantedLongAfterItWasDue() {
        put("k", State.FAILED_RETRYABLE, 1_000, 0);
        pass(10_000_000);
        assertThat(grant("k").attempt()).isEqualTo(2);
    }

    @Test
    void retryIsGrantedEvenIfItsHolderCouldNotBeTakenOver() {
        put("k", State.FAILED_RETRYABLE, 0, 0);
        assertThat(grant(ReservationBuilder.of("k").notRepeatable()).attempt()).isEqualTo(2);
    }

    @Test
    void aLeaseIsOverAtItsLastMillisecondAndNotBefore() {
        long before = put("k", State.IN_PROGRESS, 1_000, 0);
        pass(999);
        assertThat(existing(reserve(ReservationBuilder.of("k"))).row().status().fence())
                .isEqualTo(before);
        pass(1);

        Reserved.Granted granted = grant(ReservationBuilder.of("k").by(8));

        assertThat(granted.takenOver()).isTrue();
        assertThat(granted.attempt()).isEqualTo(2);
        assertThat(granted.fence()).isGreaterThan(before);
        assertThat(status("k"))
                .isEqualTo(new Status(State.IN_PROGRESS, granted.fence(), 2, now() + ReservationBuilder.LEASE, 0, 8));
    }

    @Test
    void a4_aLeaseThatIsOverIsNotTakenOverIfTheWorkIsNotRepeatable() {
        long before = put("k", State.IN_PROGRESS, 1_000, 0);
        pass(5_000);
        Status found = existing(reserve(ReservationBuilder.of("k").notRepeatable()))
                .row()
                .status();
        assertThat(found.fence()).isEqualTo(before);
        assertThat(found.attempt()).isEqualTo(1);
        assertThat(found.at()).isEqualTo(START + 1_000);
    }

    @Test
    void a4_aRunOutsideIsTakenOverOnlyIfItsOwnGrantIsRepeatable() {
        long once = grant(ReservationBuilder.of("once")
                        .by(OutsideGrant.owner(7, false))
                        .leasedFor(1_000))
                .fence();
        long again = grant(ReservationBuilder.of("again")
                        .by(OutsideGrant.owner(8, true))
                        .leasedFor(1_000))
                .fence();
        pass(1_000);
        assertThat(existing(reserve(ReservationBuilder.of("once")))
                        .row()
                        .status()
                        .fence())
                .isEqualTo(once);
        assertThat(existing(reserve(ReservationBuilder.of("once").onlyUnder(once)))
                        .row()
                        .status()
                        .attempt())
                .isEqualTo(1);
        assertThat(grant(ReservationBuilder.of("again")).fence()).isGreaterThan(again);
    }

    @Test
    void retryOfARunOutsideThatMayNotBeRepeatedIsGranted() {
        long fence = grant(ReservationBuilder.of("k").by(OutsideGrant.owner(7, false)))
                .fence();
        apply(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.FAILED_RETRYABLE)
                .in(0));
        assertThat(grant("k").attempt()).isEqualTo(2);
    }

    @Test
    void a12_aLeaseThatIsOverIsNotTakenOverBeyondItsAttempts() {
        for (int attempt = 1; attempt <= 3; attempt++) {
            assertThat(grant(ReservationBuilder.of("k").atMost(3).leasedFor(1_000))
                            .attempt())
                    .isEqualTo(attempt);
            pass(1_000);
        }
        assertThat(existing(reserve(ReservationBuilder.of("k").atMost(3)))
                        .row()
                        .status()
                        .attempt())
                .isEqualTo(3);
        assertThat(grant(ReservationBuilder.of("k").atMost(4)).attempt()).isEqualTo(4);
    }

    @Test
    void a2_aHolderThatWasTakenOverIsRefusedEverything() {
        long old = put("k", State.IN_PROGRESS, 1_000, 0);
        pass(1_000);
        long fresh = grant("k").fence();
        for (State to : State.values()) {
            if (to != State.IN_PROGRESS) {
                assertThat(move(MoveBuilder.of(ReservationBuilder.id("k"), old, to)
                                .from(State.values())))
                        .as("to %s", to)
                        .isEqualTo(new Moved.Refused(status("k")));
            }
        }
        assertThat(move(MoveBuilder.removing(ReservationBuilder.id("k"), old).from(State.values())))
                .isInstanceOf(Moved.Refused.class);
        assertThat(status("k").fence()).isEqualTo(fresh);
        assertThat(status("k").state()).isEqualTo(State.IN_PROGRESS);
    }

    @Test
    void reservationOfTheRecordUnderOneFenceMakesNoneWhenItsOwnerHasReleasedIt() {
        long seen = put("k", State.IN_PROGRESS, 1_000, 0);
        pass(1_000);
        apply(MoveBuilder.removing(ReservationBuilder.id("k"), seen).from(State.IN_PROGRESS));
        assertThat(reserve(ReservationBuilder.of("k").onlyUnder(seen))).isInstanceOf(Reserved.Absent.class);
        assertThat(grant("k").attempt()).isEqualTo(1);
    }

    @Test
    void reservationOfTheRecordUnderOneFenceMakesNoneWhenItHasExpired() {
        long seen = put("k", State.COMPLETED, 1_000, 0);
        pass(1_000);
        assertThat(reserve(ReservationBuilder.of("k").onlyUnder(seen))).isInstanceOf(Reserved.Absent.class);
        assertThat(grant("k").attempt()).isEqualTo(1);
    }

    @Test
    void reservationOfTheRecordUnderOneFenceIsGrantedThatOneAndNoLaterOne() {
        long seen = put("k", State.IN_PROGRESS, 1_000, 0);
        pass(1_000);
        Reserved.Granted granted = grant(ReservationBuilder.of("k").by(8).onlyUnder(seen));
        assertThat(granted.takenOver()).isTrue();
        assertThat(grant(ReservationBuilder.of("k").by(8).onlyUnder(seen)))
                .isEqualTo(new Reserved.Granted(granted.fence(), 2, false));
        pass(ReservationBuilder.LEASE);
        assertThat(existing(reserve(ReservationBuilder.of("k").by(9).onlyUnder(seen)))
                        .row()
                        .status()
                        .fence())
                .isEqualTo(granted.fence());
        apply(MoveBuilder.of(ReservationBuilder.id("k"), granted.fence(), State.FAILED_RETRYABLE)
                .in(0));
        assertThat(reserve(ReservationBuilder.of("k").by(9).onlyUnder(seen))).isInstanceOf(Reserved.Existing.class);
        assertThat(grant(ReservationBuilder.of("k").by(9).onlyUnder(granted.fence()))
                        .attempt())
                .isEqualTo(3);
    }

    @Test
    void takeoverWritesItsEventInTheSameCommitWithTheNewFenceAndAttempt() {
        put("k", State.IN_PROGRESS, 1_000, 0);
        pass(1_000);
        Reserved.Granted granted = grant(ReservationBuilder.of("k").by(8).announcing(7));
        grant(ReservationBuilder.of("k").by(8).announcing(7));

        List<AuditRow> events = audit.newest(AuditFilter.of(ReservationBuilder.id("k")), 10);
        assertThat(events).hasSize(1);
        assertThat(events.get(0).at()).isEqualTo(now());
        assertThat(events.get(0).entry().type()).isEqualTo(7);
        assertThat(events.get(0).entry().fence()).isEqualTo(granted.fence());
        assertThat(events.get(0).entry().attempt()).isEqualTo(2);
    }

    @Test
    void dueRetryIsNoTakeoverAndWritesNoTakeoverEvent() {
        put("k", State.FAILED_RETRYABLE, 0, 0);
        grant(ReservationBuilder.of("k").announcing(7));
        assertThat(events("k")).isEmpty();
    }

    @Test
    void everyGrantOfARecordHasAHigherFence() {
        long fence = 0;
        for (int i = 0; i < 20; i++) {
            Reserved.Granted granted =
                    grant(ReservationBuilder.of("k").leasedFor(10).atMost(1_000));
            assertThat(granted.fence()).isGreaterThan(fence);
            fence = granted.fence();
            if (i % 2 == 0) {
                apply(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.FAILED_RETRYABLE)
                        .in(0));
            }
            pass(10);
        }
    }
}
