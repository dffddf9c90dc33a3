package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Mode;
import dev.semel.Tenant;
import dev.semel.store.Moved;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.store.Switchboard;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reservations of existing and of absent records. */
abstract class ReserveSuite extends ContractSuite {
    ReserveSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void absentRecordIsMadeAndGranted() {
        ReservationBuilder ask = ReservationBuilder.of("k").by(77).leasedFor(5_000);
        Reserved.Granted granted = grant(ask);

        assertThat(granted.attempt()).isEqualTo(1);
        assertThat(granted.takenOver()).isFalse();
        assertThat(granted.fence()).isPositive();
        Row row = row("k");
        assertThat(row.id()).isEqualTo(ReservationBuilder.id("k"));
        assertThat(row.header()).isEqualTo(ask.header());
        assertThat(row.payload()).isEqualTo(bytes("payload"));
        assertThat(row.result()).isNull();
        assertThat(row.failure()).isNull();
        assertThat(row.status()).isEqualTo(new Status(State.IN_PROGRESS, granted.fence(), 1, START + 5_000, 0, 77));
    }

    @Test
    void recordIsMadeWithoutAPayloadToo() {
        grant(ReservationBuilder.of("none").with(null));
        grant(ReservationBuilder.of("empty").with(new byte[0]));
        assertThat(row("none").payload()).isNull();
        assertThat(row("empty").payload()).isEmpty();
    }

    @Test
    void recordInAnyStateThatIsNotOverIsReturnedAsItIs() {
        for (State state : State.values()) {
            String key = state.name();
            long fence = put(key, state, 10_000, 1_000);
            pass(1);
            Reserved.Existing existing =
                    existing(reserve(ReservationBuilder.of(key).fingerprinted(2)));

            assertThat(existing.now()).isEqualTo(now());
            assertThat(existing.row().id()).isEqualTo(ReservationBuilder.id(key));
            assertThat(existing.row().header().fingerprint()).as(key).isEqualTo(ReservationBuilder.fingerprint(1));
            assertThat(existing.row().status()).as(key).isEqualTo(status(key));
            assertThat(existing.row().state()).isEqualTo(state);
            assertThat(existing.row().status().fence()).isEqualTo(fence);
            assertThat(existing.row().result()).isEqualTo(state == State.COMPLETED ? bytes("result") : null);
        }
    }

    @Test
    void recordThatWaitsForAWorkerOrAPersonIsNeverReserved() {
        for (State state : List.of(State.QUEUED, State.UNKNOWN)) {
            put(state.name(), state, 0, 0);
            pass(1_000_000);
            assertThat(existing(reserve(ReservationBuilder.of(state.name())))
                            .row()
                            .state())
                    .isEqualTo(state);
        }
    }

    @Test
    void expiredRecordCountsAsAbsentAndIsRecreated() {
        for (State state : List.of(State.COMPLETED, State.FAILED_TERMINAL, State.SHADOWED, State.DISCARDED)) {
            String key = state.name();
            long before = put(key, state, 1_000, 0);
            pass(999);
            assertThat(existing(reserve(ReservationBuilder.of(key))).row().state())
                    .isEqualTo(state);
            pass(1);

            Reserved.Granted granted = grant(ReservationBuilder.of(key)
                    .fingerprinted(2)
                    .with(bytes("new"))
                    .by(9));

            assertThat(granted.attempt()).as(key).isEqualTo(1);
            assertThat(granted.takenOver()).isFalse();
            assertThat(granted.fence()).isGreaterThan(before);
            Row row = row(key);
            assertThat(row.header().fingerprint()).isEqualTo(ReservationBuilder.fingerprint(2));
            assertThat(row.payload()).isEqualTo(bytes("new"));
            assertThat(row.result()).isNull();
            assertThat(row.failure()).isNull();
            assertThat(row.status())
                    .isEqualTo(
                            new Status(State.IN_PROGRESS, granted.fence(), 1, now() + ReservationBuilder.LEASE, 0, 9));
        }
    }

    @Test
    void failureThatWasKeptBeyondItsTimeCountsAsAbsent() {
        put("k", State.FAILED_RETRYABLE, 1_000, 500);
        pass(1_500);
        Reserved.Granted granted = grant(ReservationBuilder.of("k").fingerprinted(2));
        assertThat(granted.attempt()).isEqualTo(1);
        assertThat(row("k").header().fingerprint()).isEqualTo(ReservationBuilder.fingerprint(2));
    }

    @Test
    void theSameOwnerIsGivenItsOwnGrantAgain() {
        Reserved.Granted first = grant(ReservationBuilder.of("k").by(5));
        pass(10);
        Reserved.Granted again = grant(ReservationBuilder.of("k").by(5));
        assertThat(again.fence()).isEqualTo(first.fence());
        assertThat(again.attempt()).isEqualTo(1);
        assertThat(existing(reserve(ReservationBuilder.of("k").by(6)))
                        .row()
                        .status()
                        .fence())
                .isEqualTo(first.fence());
    }

    @Test
    void ownerIsNotGrantedItsFinishedRecord() {
        long fence = grant(ReservationBuilder.of("k").by(5)).fence();
        apply(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.COMPLETED).in(1_000));
        assertThat(existing(reserve(ReservationBuilder.of("k").by(5))).row().state())
                .isEqualTo(State.COMPLETED);
    }

    @Test
    void nothingIsGrantedUnderAnOlderVersionOfTheModes() {
        long old = board.modes().version();
        put("due", State.FAILED_RETRYABLE, 0, 0);
        long over = put("over", State.IN_PROGRESS, 1, 0);
        pass(1);
        board.set(
                new Switchboard.Setting("other", null, Mode.HALTED),
                ReservationBuilder.of("x").event(9));

        assertThat(ledger.reserve(old, reservations("alone"))).containsExactly(new Reserved.ModesChanged());
        assertThat(exists("alone")).isFalse();
        List<Reserved> answers = ledger.reserve(old, reservations("absent", "due", "over"));

        assertThat(answers.get(0)).isEqualTo(new Reserved.ModesChanged());
        assertThat(answers).noneMatch(Reserved.Granted.class::isInstance);
        assertThat(exists("absent")).isFalse();
        assertThat(status("due").state()).isEqualTo(State.FAILED_RETRYABLE);
        assertThat(status("over").fence()).isEqualTo(over);
    }

    @Test
    void equalKeysOfTwoTenantsAreTwoRecords() {
        grant(ReservationBuilder.of("k"));
        Reserved.Granted other = grant(ReservationBuilder.of("k").of(Tenant.of("other")));
        assertThat(other.attempt()).isEqualTo(1);
    }

    @Test
    void batchIsAnsweredItemByItemInOrder() {
        put("done", State.COMPLETED, 1_000, 0);
        List<Reserved> answers = ledger.reserve(board.modes().version(), reservations("z", "done", "a", "m"));
        assertThat(answers).hasSize(4);
        assertThat(granted(answers.get(0)).fence()).isEqualTo(status("z").fence());
        assertThat(existing(answers.get(1)).row().id()).isEqualTo(ReservationBuilder.id("done"));
        assertThat(granted(answers.get(2)).fence()).isEqualTo(status("a").fence());
        assertThat(granted(answers.get(3)).fence()).isEqualTo(status("m").fence());
        assertThat(ledger.reserve(board.modes().version(), List.of())).isEmpty();
    }

    @Test
    void everyGrantHasAUniqueFenceWithTheEpochInItsHighBits() {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            keys.add("k" + i);
        }
        List<Reserved> answers = ledger.reserve(board.modes().version(), reservations(keys.toArray(String[]::new)));
        assertThat(answers).extracting(answer -> granted(answer).fence()).doesNotHaveDuplicates();
        assertThat(answers)
                .allSatisfy(answer -> assertThat(granted(answer).fence() >>> 48).isEqualTo(board.epoch()));
    }

    @Test
    void a13_recordThatWasRemovedAndMadeAgainNeverHasAnOldFence() {
        long first = put("k", State.COMPLETED, 0, 0);
        ledger.purge(10, counts -> List.of());
        assertThat(exists("k")).isFalse();

        long second = grant("k").fence();
        assertThat(second).isGreaterThan(first);
        apply(MoveBuilder.removing(ReservationBuilder.id("k"), second));
        assertThat(grant("k").fence()).isGreaterThan(second);
        assertThat(move(MoveBuilder.of(ReservationBuilder.id("k"), first, State.COMPLETED)))
                .isInstanceOf(Moved.Refused.class);
    }

    @Test
    void eventOfATakeoverIsNotWrittenWhenThereWasNone() {
        grant(ReservationBuilder.of("k").by(5).announcing(7));
        grant(ReservationBuilder.of("k").by(5).announcing(7));
        reserve(ReservationBuilder.of("k").announcing(7));
        assertThat(events("k")).isEmpty();
    }

    @Test
    void arraysOfARowBelongToItsReader() {
        byte[] payload = bytes("payload");
        grant(ReservationBuilder.of("k").with(payload));
        payload[0] = 'X';
        byte[] read = row("k").payload();
        assertThat(read).isEqualTo(bytes("payload"));
        read[0] = 'X';
        assertThat(row("k").payload()).isEqualTo(bytes("payload"));
    }

    List<Reservation> reservations(String... keys) {
        List<Reservation> all = new ArrayList<>();
        for (String key : keys) {
            all.add(ReservationBuilder.of(key).reservation());
        }
        return all;
    }
}
