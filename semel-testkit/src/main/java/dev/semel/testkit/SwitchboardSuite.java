package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Mode;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.Moved;
import dev.semel.store.RecordFilter.Cursor;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Switchboard.Modes;
import dev.semel.store.Switchboard.Setting;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Modes with their versions, and the epoch. */
abstract class SwitchboardSuite extends ContractSuite {
    private static final AuditEntry CHANGED =
            new AuditEntry(20, new AuditEntry.Subject("acme", null, null, null, null), null, 0, 0, "{\"by\":\"me\"}");

    SwitchboardSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void emptyStoreIsLive() {
        assertThat(board.modes().settings()).isEmpty();
        assertThat(board.modes().of("acme", "charge")).isEqualTo(Mode.LIVE);
        assertThat(board.modes()).isEqualTo(board.modes());
    }

    @Test
    void eachChangeRaisesTheVersionAndWritesAnEvent() {
        long before = board.modes().version();
        long first = board.set(new Setting("acme", null, Mode.HALTED), CHANGED);
        assertThat(first).isGreaterThan(before);
        assertThat(board.modes().version()).isEqualTo(first);
        long second = board.set(new Setting(null, "charge", Mode.SHADOW), CHANGED);
        assertThat(second).isGreaterThan(first);
        assertThat(audit.newest(AuditFilter.ALL, 10))
                .hasSize(2)
                .allSatisfy(row ->
                        assertThat(row.entry()).usingRecursiveComparison().isEqualTo(CHANGED));
    }

    @Test
    void settingsForAllForATenantForAnOperationAndForBothCoexist() {
        board.set(new Setting("acme", "charge", Mode.SHADOW), CHANGED);
        board.set(new Setting("acme", null, Mode.HALTED), CHANGED);
        board.set(new Setting(null, "charge", Mode.SHADOW), CHANGED);
        board.set(new Setting(null, null, Mode.SHADOW), CHANGED);
        assertThat(board.modes().settings())
                .containsExactlyInAnyOrder(
                        new Setting("acme", "charge", Mode.SHADOW),
                        new Setting("acme", null, Mode.HALTED),
                        new Setting(null, "charge", Mode.SHADOW),
                        new Setting(null, null, Mode.SHADOW));
        assertThat(board.modes().of("acme", "charge")).isEqualTo(Mode.HALTED);
        assertThat(board.modes().of("other", "refund")).isEqualTo(Mode.SHADOW);
    }

    @Test
    void settingReplacesTheOneBeforeItAndLiveRemovesIt() {
        board.set(new Setting("acme", null, Mode.HALTED), CHANGED);
        board.set(new Setting("acme", null, Mode.SHADOW), CHANGED);
        assertThat(board.modes().settings()).containsExactly(new Setting("acme", null, Mode.SHADOW));
        long halted = board.modes().version();
        board.set(new Setting("acme", null, Mode.LIVE), CHANGED);
        Modes modes = board.modes();
        assertThat(modes.settings()).isEmpty();
        assertThat(modes.version()).isGreaterThan(halted);
    }

    @Test
    void tenantsAndOperationsAreComparedToTheLetter() {
        board.set(new Setting("Acme", null, Mode.HALTED), CHANGED);
        board.set(new Setting("acme ", null, Mode.HALTED), CHANGED);
        assertThat(board.modes().settings()).hasSize(2);
        assertThat(board.modes().of("acme", "charge")).isEqualTo(Mode.LIVE);
    }

    @Test
    void adoptionRaisesTheEpochAndMakesRunningRecordsUnknown() {
        int before = board.epoch();
        for (State state : State.values()) {
            put(state.name(), state, 100_000, 0);
        }
        long running = status("IN_PROGRESS").fence();
        long highest = grant(ReservationBuilder.of("another")).fence();

        int adopted =
                board.adopt(row -> ReservationBuilder.of(row.header().key()).event(6), CHANGED);

        assertThat(adopted).isEqualTo(2);
        assertThat(board.epoch()).isGreaterThan(before);
        assertThat(status("IN_PROGRESS").state()).isEqualTo(State.UNKNOWN);
        assertThat(status("another").state()).isEqualTo(State.UNKNOWN);
        assertThat(status("IN_PROGRESS").at()).isLessThanOrEqualTo(now());
        assertThat(status("IN_PROGRESS").fence()).isEqualTo(running);
        for (State state : State.values()) {
            if (state != State.IN_PROGRESS) {
                assertThat(status(state.name()).state()).isEqualTo(state);
            }
        }
        assertThat(ledger.overdue(State.UNKNOWN, List.of(ReservationBuilder.OPERATION), Cursor.OLDEST, 10))
                .hasSize(2);
        assertThat(events("IN_PROGRESS")).containsExactly(6);
        assertThat(events("another")).containsExactly(6);
        assertThat(audit.newest(AuditFilter.ofType(CHANGED.type()), 10)).hasSize(1);
        assertThat(grant("fresh").fence()).isGreaterThan(highest);
    }

    @Test
    void a13_runFromBeforeAnAdoptionIsRejected() {
        long fence = grant("k").fence();
        board.adopt(row -> ReservationBuilder.of(row.header().key()).event(6), CHANGED);
        assertThat(move(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.COMPLETED)))
                .isInstanceOf(Moved.Refused.class);
        assertThat(existing(reserve(ReservationBuilder.of("k"))).row().state()).isEqualTo(State.UNKNOWN);
    }

    @Test
    void a18_adoptionLeavesStepsToTheirParents() {
        long parent = grant("k").fence();
        ReservationBuilder step = ReservationBuilder.of("step").under(ReservationBuilder.id("k"), parent);
        long fence = grant(step).fence();
        assertThat(board.adopt(row -> ReservationBuilder.of(row.header().key()).event(6), CHANGED))
                .isEqualTo(1);
        Row left = ledger.steps(ReservationBuilder.id("k")).get(0);
        assertThat(left.state()).isEqualTo(State.IN_PROGRESS);
        assertThat(left.status().fence()).isEqualTo(fence);
    }

    @Test
    void everyAdoptionRaisesTheEpochAgain() {
        int before = board.epoch();
        assertThat(board.adopt(row -> CHANGED, CHANGED)).isZero();
        int once = board.epoch();
        assertThat(board.adopt(row -> CHANGED, CHANGED)).isZero();
        assertThat(once).isGreaterThan(before);
        assertThat(board.epoch()).isGreaterThan(once);
    }
}
