package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.key.RecordId;
import dev.semel.store.FoundRecords;
import dev.semel.store.Inspection;
import dev.semel.store.OutsideGrant;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordFilter.Cursor;
import dev.semel.store.Renewal;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.StateCount;
import dev.semel.store.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Renewal, lookup, overdue records, and the state of the store. */
abstract class LookupSuite extends ContractSuite {
    LookupSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void grantThatIsHeldIsExtendedFromNow() {
        long fence = put("k", State.IN_PROGRESS, 1_000, 0);
        pass(400);
        assertThat(ledger.renew(List.of(new Renewal(ReservationBuilder.id("k"), fence, 5_000))))
                .containsExactly(true);
        assertThat(status("k").at()).isEqualTo(START + 5_400);
        assertThat(status("k").fence()).isEqualTo(fence);
        assertThat(status("k").attempt()).isEqualTo(1);
    }

    @Test
    void grantWithAnExpiredLeaseIsExtendedUnlessItWasTakenOver() {
        long fence = put("k", State.IN_PROGRESS, 1_000, 0);
        pass(2_000);
        assertThat(ledger.renew(List.of(new Renewal(ReservationBuilder.id("k"), fence, 5_000))))
                .containsExactly(true);
        assertThat(existing(reserve(ReservationBuilder.of("k"))).row().status().at())
                .isEqualTo(now() + 5_000);
    }

    @Test
    void nothingElseIsExtended() {
        long held = grant("held").fence();
        long done = put("done", State.COMPLETED, 1_000, 0);
        long lost = put("lost", State.IN_PROGRESS, 1_000, 0);
        pass(500);
        long retried = put("retry", State.FAILED_RETRYABLE, 1_000, 0);
        pass(500);
        grant("lost");
        assertThat(ledger.renew(List.of(
                        new Renewal(ReservationBuilder.id("lost"), lost, 5_000),
                        new Renewal(ReservationBuilder.id("held"), held, 5_000),
                        new Renewal(ReservationBuilder.id("done"), done, 5_000),
                        new Renewal(ReservationBuilder.id("absent"), 1, 5_000),
                        new Renewal(ReservationBuilder.id("retry"), retried, 5_000))))
                .containsExactly(false, true, false, false, false);
        assertThat(status("done").at()).isEqualTo(START + 1_000);
        assertThat(status("retry").at()).isEqualTo(START + 1_500);
        assertThat(status("lost").at()).isEqualTo(now() + ReservationBuilder.LEASE);
        assertThat(exists("absent")).isFalse();
        assertThat(ledger.renew(List.of())).isEmpty();
    }

    @Test
    void recordsThatExistAreFoundExpiredOnesToo() {
        put("expired", State.COMPLETED, 0, 0);
        grant("held");
        pass(10);
        FoundRecords found = ledger.find(Set.of(
                ReservationBuilder.id("expired"), ReservationBuilder.id("held"), ReservationBuilder.id("absent")));
        assertThat(found.rows()).containsOnlyKeys(ReservationBuilder.id("expired"), ReservationBuilder.id("held"));
        assertThat(ledger.find(List.of()).rows()).isEmpty();
    }

    @Test
    void expiryIsJudgedByTheStoresClock() {
        put("k", State.COMPLETED, 100, 0);
        pass(99);
        FoundRecords before = ledger.find(Set.of(ReservationBuilder.id("k")));
        pass(1);
        FoundRecords after = ledger.find(Set.of(ReservationBuilder.id("k")));
        assertThat(before.now()).isEqualTo(now() - 1);
        assertThat(before.live(ReservationBuilder.id("k"))).isNotNull();
        assertThat(after.now()).isEqualTo(now());
        assertThat(after.live(ReservationBuilder.id("k"))).isNull();
        assertThat(ledger.find(List.of()).now()).isEqualTo(now());
    }

    @Test
    void overdueRecordsAreReadLongestOverdueFirstUpToTheLimit() {
        put("late", State.IN_PROGRESS, 300, 0);
        put("latest", State.IN_PROGRESS, 100, 0);
        put("on time", State.IN_PROGRESS, 500, 0);
        put("not yet", State.IN_PROGRESS, 501, 0);
        put("another state", State.FAILED_RETRYABLE, 100, 0);
        pass(500);
        assertThat(ledger.overdue(State.IN_PROGRESS, List.of(ReservationBuilder.OPERATION), Cursor.OLDEST, 10))
                .extracting(row -> row.header().key())
                .containsExactly("latest", "late", "on time");
        assertThat(ledger.overdue(State.IN_PROGRESS, List.of(ReservationBuilder.OPERATION), Cursor.OLDEST, 2))
                .extracting(row -> row.header().key())
                .containsExactly("latest", "late");
        assertThat(ledger.overdue(State.FAILED_RETRYABLE, List.of(ReservationBuilder.OPERATION), Cursor.OLDEST, 10))
                .extracting(row -> row.header().key())
                .containsExactly("another state");
        assertThat(ledger.overdue(State.UNKNOWN, List.of(ReservationBuilder.OPERATION), Cursor.OLDEST, 10))
                .isEmpty();
    }

    @Test
    void b13_overdueRecordsOfOneMomentAreReadPageByPage() {
        for (int i = 0; i < 7; i++) {
            put("same " + i, State.IN_PROGRESS, 100, 0);
        }
        put("later", State.IN_PROGRESS, 200, 0);
        put("not yet", State.IN_PROGRESS, 501, 0);
        pass(500);
        List<Row> all = ledger.overdue(State.IN_PROGRESS, List.of(ReservationBuilder.OPERATION), Cursor.OLDEST, 10);
        assertThat(all).hasSize(8);
        List<RecordId> paged = new ArrayList<>();
        RecordFilter.Cursor behind = RecordFilter.Cursor.OLDEST;
        List<Row> page = ledger.overdue(State.IN_PROGRESS, List.of(ReservationBuilder.OPERATION), behind, 3);
        while (!page.isEmpty()) {
            page.forEach(row -> paged.add(row.id()));
            behind = RecordFilter.Cursor.behind(page.get(page.size() - 1));
            page = ledger.overdue(State.IN_PROGRESS, List.of(ReservationBuilder.OPERATION), behind, 3);
        }
        assertThat(paged).containsExactlyElementsOf(all.stream().map(Row::id).toList());
    }

    @Test
    void overdueReadReturnsOnlyTheGivenOperationsAndNeverSteps() {
        long fence = put("late", State.IN_PROGRESS, 300, 0);
        grant(ReservationBuilder.of("step").leasedFor(0).under(ReservationBuilder.id("late"), fence));
        pass(500);
        assertThat(ledger.overdue(State.IN_PROGRESS, List.of("another operation"), Cursor.OLDEST, 10))
                .isEmpty();
        assertThat(ledger.overdue(State.IN_PROGRESS, List.of(), Cursor.OLDEST, 10))
                .isEmpty();
        assertThat(ledger.overdue(
                        State.IN_PROGRESS,
                        List.of("another operation", ReservationBuilder.OPERATION),
                        Cursor.OLDEST,
                        10))
                .extracting(row -> row.header().key())
                .containsExactly("late");
    }

    @Test
    void overdueRunsOfCallersOutsideAreReadWhateverTheirOperation() {
        long mine = OutsideGrant.owner(7, false);
        long fence =
                grant(ReservationBuilder.of("latest").by(mine).leasedFor(100)).fence();
        grant(ReservationBuilder.of("late")
                .by(OutsideGrant.owner(8, true))
                .leasedFor(200)
                .with(new byte[10]));
        grant(ReservationBuilder.of("inside").leasedFor(100));
        grant(ReservationBuilder.of("not yet").by(mine).leasedFor(501));
        grant(ReservationBuilder.of("step").by(mine).leasedFor(0).under(ReservationBuilder.id("latest"), fence));
        pass(500);
        List<Row> overdue = ledger.overdueOutside(300, Cursor.OLDEST, 10);
        assertThat(overdue).extracting(row -> row.header().key()).containsExactly("latest", "late");
        assertThat(overdue)
                .extracting(row -> OutsideGrant.of(row.status()))
                .containsExactly(new OutsideGrant(false), new OutsideGrant(true));
        assertThat(overdue.get(1).payload()).isNull();
        assertThat(overdue.get(1).withheld()).isEqualTo(10);
        assertThat(ledger.overdueOutside(300, Cursor.behind(overdue.get(0)), 10))
                .hasSize(1);
        assertThat(ledger.overdueOutside(300, Cursor.OLDEST, 1)).hasSize(1);
        assertThat(ledger.overdueOutside(301, Cursor.OLDEST, 10))
                .as("repeatable runs are read later")
                .extracting(row -> row.header().key())
                .containsExactly("latest");
    }

    @Test
    void recordIsFoundWithoutAPayloadThatIsTooLarge() {
        grant(ReservationBuilder.of("small").with(new byte[10]));
        grant(ReservationBuilder.of("large").with(new byte[11]));
        grant(ReservationBuilder.of("none").with(null));
        List<RecordId> ids = List.of(
                ReservationBuilder.id("small"),
                ReservationBuilder.id("large"),
                ReservationBuilder.id("none"),
                ReservationBuilder.id("absent"));
        FoundRecords found = ledger.find(ids, 10);
        assertThat(found.rows()).hasSize(3);
        assertThat(found.now()).isEqualTo(now());
        assertThat(Objects.requireNonNull(found.live(ids.get(0))).payload()).hasSize(10);
        Row large = Objects.requireNonNull(found.live(ids.get(1)));
        assertThat(large.payload()).isNull();
        assertThat(large.withheld()).isEqualTo(11);
        assertThat(Objects.requireNonNull(found.live(ids.get(2))).withheld()).isZero();
    }

    @Test
    void recordThatNeverNeedsAttentionIsNeverOverdue() {
        long fence = grant("k").fence();
        apply(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.UNKNOWN));
        pass(1_000_000_000_000L);
        assertThat(ledger.overdue(State.UNKNOWN, List.of(ReservationBuilder.OPERATION), Cursor.OLDEST, 10))
                .isEmpty();
    }

    @Test
    void storeHasANameAndAGuarantee() {
        assertThat(store.name()).isNotBlank();
        Inspection inspection = store.inspect();
        if (inspection.guarantee() == Inspection.Guarantee.A) {
            assertThat(store.transactions()).as("class A needs transactions").isPresent();
        }
        for (Inspection.CheckedSetting finding : inspection.findings()) {
            assertThat(inspection.guarantee()).isGreaterThanOrEqualTo(finding.limits());
        }
    }

    @Test
    void anotherHandleOnTheSamePlaceSeesTheSameRecordsModesAndFences() {
        long fence = put("k", State.COMPLETED, 1_000, 0);
        Optional<dev.semel.store.Store> reopened = contract.reopen(time);
        Assumptions.assumeTrue(reopened.isPresent(), "this store lives and dies with its handle");
        try (var other = reopened.get()) {
            var found = other.ledger().find(List.of(ReservationBuilder.id("k"))).get(ReservationBuilder.id("k"));
            assertThat(found).isNotNull();
            assertThat(found.result()).isEqualTo(bytes("result"));
            assertThat(other.switchboard().epoch()).isEqualTo(board.epoch());
            assertThat(other.switchboard().modes()).isEqualTo(board.modes());
            var answer = other.ledger()
                    .reserve(
                            other.switchboard().modes().version(),
                            List.of(ReservationBuilder.of("next").reservation()));
            assertThat(granted(answer.get(0)).fence()).isGreaterThan(fence);
            assertThat(grant("third").fence())
                    .isGreaterThan(granted(answer.get(0)).fence());
        }
    }

    @Test
    void recordsInAStateAreCountedUpToALimitWithTheOldest() {
        assertThat(ledger.tally(State.UNKNOWN, RecordFilter.ALL, 10)).isEqualTo(new StateCount(0, Status.NEVER, now()));
        put("old", State.UNKNOWN, 0, 0);
        long old = now();
        pass(300);
        put("new", State.UNKNOWN, 0, 0);
        put("other", State.IN_PROGRESS, 1_000, 0);
        pass(200);
        StateCount both = ledger.tally(State.UNKNOWN, RecordFilter.ALL, 10);
        assertThat(both).isEqualTo(new StateCount(2, old, now()));
        assertThat(both.ageMillis()).isEqualTo(500);
        assertThat(ledger.tally(State.UNKNOWN, RecordFilter.ALL, 1).count()).isEqualTo(1);
        assertThat(ledger.tally(State.UNKNOWN, new RecordFilter("nobody", null, false, Long.MAX_VALUE), 10)
                        .count())
                .isZero();
        assertThat(ledger.tally(
                                State.UNKNOWN,
                                new RecordFilter(null, ReservationBuilder.OPERATION, false, Long.MAX_VALUE),
                                10)
                        .count())
                .isEqualTo(2);
        assertThat(ledger.tally(State.UNKNOWN, new RecordFilter(null, null, true, Long.MAX_VALUE), 10)
                        .count())
                .as("none is a message")
                .isZero();
        assertThat(ledger.tally(State.IN_PROGRESS, RecordFilter.ALL, 10).ageMillis())
                .as("its lease is not over")
                .isZero();
    }
}
