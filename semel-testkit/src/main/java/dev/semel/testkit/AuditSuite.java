package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.AuditRow.Position;
import dev.semel.store.Move;
import dev.semel.store.Seal;
import dev.semel.store.State;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Events in their order, and the seals over them. */
abstract class AuditSuite extends ContractSuite {
    AuditSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void eventIsReadAsItWasWritten() {
        var full = new AuditEntry(
                5,
                new AuditEntry.Subject(
                        "acme \uD83D\uDE00",
                        "charge",
                        ReservationBuilder.id("k"),
                        ReservationBuilder.fingerprint(1).bytes(),
                        "corr é"),
                "RETRY_KV_GET",
                (1L << 48) + 7,
                3,
                "{\"text\":\"é \\u0000 '\\\"\",\"n\":9007199254740993}");
        var bare = new AuditEntry(0, new AuditEntry.Subject("acme", null, null, null, null), null, 0, 0, null);
        audit.append(List.of(full, bare));

        List<AuditRow> read = audit.behindHorizon(Position.START, 10);
        assertThat(read).hasSize(2);
        assertThat(read.get(0).entry()).usingRecursiveComparison().isEqualTo(full);
        assertThat(read.get(1).entry()).usingRecursiveComparison().isEqualTo(bare);
        assertThat(read).allSatisfy(row -> assertThat(row.at()).isEqualTo(START));
    }

    @Test
    void sizeOfTheAuditGrowsWithItsEvents() {
        Assumptions.assumeTrue(store.auditBytes().isPresent(), "the store cannot say how large the audit is");
        long before = store.auditBytes().getAsLong();
        String body = "{\"text\":\"" + "x".repeat(1_000) + "\"}";
        var entry = new AuditEntry(0, new AuditEntry.Subject("acme", "charge", null, null, null), null, 0, 0, body);
        for (int i = 0; i < 10; i++) {
            audit.append(Collections.nCopies(100, entry));
        }
        assertThat(store.auditBytes().getAsLong() - before).isBetween(1_000_000L, 4_000_000L);
        assertThat(store.auditBytes().getAsLong())
                .isLessThanOrEqualTo(store.bytes().orElseThrow());
    }

    @Test
    void moveWritesAllItsEventsInTheirOrderUnderTheFenceAndAttemptOfTheRecord() {
        long fence = grant("k").fence();
        apply(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.FAILED_TERMINAL)
                .in(1_000)
                .with(ReservationBuilder.of("k").event(10))
                .with(ReservationBuilder.of("k").event(11))
                .with(ReservationBuilder.of("k").event(12)));
        List<AuditRow> read = audit.behindHorizon(Position.START, 10);
        assertThat(types(read)).containsExactly(10, 11, 12);
        assertThat(read).allSatisfy(row -> {
            assertThat(row.entry().fence()).isEqualTo(fence);
            assertThat(row.entry().attempt()).isEqualTo(1);
            assertThat(row.entry().subject().record()).isEqualTo(ReservationBuilder.id("k"));
        });
    }

    @Test
    void movesOfABatchWriteNoneOneOrSeveralEventsEachAndThoseThatAreRejectedWriteNone() {
        List<Move> batch = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String key = "k" + i;
            MoveBuilder shift = MoveBuilder.of(
                            ReservationBuilder.id(key), grant(key).fence() + (i == 2 ? 1 : 0), State.FAILED_TERMINAL)
                    .in(1_000);
            for (int n = 0; n < i; n++) {
                shift.with(ReservationBuilder.of(key).event(10 * i + n));
            }
            batch.add(shift.move());
        }
        ledger.move(batch);
        assertThat(types(audit.behindHorizon(Position.START, 10))).containsExactlyInAnyOrder(10, 30, 31, 32);
        assertThat(types(audit.newest(AuditFilter.of(ReservationBuilder.id("k3")), 10)))
                .containsExactly(32, 31, 30);
    }

    @Test
    void moveThatRemovesItsRecordWritesAllItsEvents() {
        long fence = grant("k").fence();
        apply(MoveBuilder.removing(ReservationBuilder.id("k"), fence)
                .with(ReservationBuilder.of("k").event(10))
                .with(ReservationBuilder.of("k").event(11)));
        assertThat(types(audit.behindHorizon(Position.START, 10))).containsExactly(10, 11);
    }

    @Test
    void eventsAreReadInTheOrderOfTheirPositions() {
        writeEvents(5);
        List<AuditRow> read = audit.behindHorizon(Position.START, 100);
        assertThat(types(read)).containsExactly(0, 1, 2, 3, 4);
        assertThat(read).extracting(AuditRow::position).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void readingContinuesAfterAPosition() {
        writeEvents(5);
        List<AuditRow> first = audit.behindHorizon(Position.START, 2);
        assertThat(types(first)).containsExactly(0, 1);
        List<AuditRow> second = audit.behindHorizon(first.get(1).position(), 2);
        assertThat(types(second)).containsExactly(2, 3);
        List<AuditRow> third = audit.behindHorizon(second.get(1).position(), 2);
        assertThat(types(third)).containsExactly(4);
        assertThat(audit.behindHorizon(third.get(0).position(), 2)).isEmpty();
    }

    @Test
    void betweenTwoPositionsMeansAfterTheFirstUpToAndIncludingTheSecond() {
        writeEvents(5);
        List<AuditRow> all = audit.behindHorizon(Position.START, 100);
        assertThat(types(audit.between(all.get(0).position(), all.get(3).position())))
                .containsExactly(1, 2, 3);
        assertThat(types(audit.between(Position.START, all.get(0).position()))).containsExactly(0);
        assertThat(audit.between(all.get(4).position(), all.get(4).position())).isEmpty();
    }

    @Test
    void newestComeFirstUpToTheLimit() {
        writeEvents(5);
        assertThat(types(audit.newest(AuditFilter.ALL, 3))).containsExactly(4, 3, 2);
    }

    @Test
    void filterLimitsByTenantRecordAndType() {
        audit.append(List.of(event("a", 1, "one"), event("a", 2, "one"), event("b", 1, "one"), event("b", 1, "two")));
        assertThat(audit.newest(new AuditFilter("one", null, null, null), 10)).hasSize(3);
        assertThat(audit.newest(AuditFilter.of(ReservationBuilder.id("b")), 10)).hasSize(2);
        assertThat(audit.newest(AuditFilter.ofType(1), 10)).hasSize(3);
        assertThat(audit.newest(new AuditFilter("two", null, ReservationBuilder.id("b"), 1), 10))
                .hasSize(1);
        assertThat(audit.newest(new AuditFilter("two", null, ReservationBuilder.id("a"), null), 10))
                .isEmpty();
        assertThat(audit.newest(new AuditFilter("one", null, null, 1), 1)).hasSize(1);
    }

    @Test
    void filterByOperationLeavesOutEventsWithoutOne() {
        var ofNone = new AuditEntry(3, new AuditEntry.Subject("one", null, null, null, null), null, 0, 0, null);
        audit.append(List.of(event("a", 1, "one"), ofOther(2, "one"), ofOther(4, "two"), ofNone, event("b", 5, "two")));
        assertThat(types(audit.newest(new AuditFilter(null, ReservationBuilder.OPERATION, null, null), 10)))
                .containsExactly(5, 1);
        assertThat(types(audit.newest(new AuditFilter(null, "other", null, null), 10)))
                .containsExactly(4, 2);
        assertThat(types(audit.newest(new AuditFilter("two", "other", null, 4), 10)))
                .containsExactly(4);
        assertThat(audit.newest(new AuditFilter(null, "other", ReservationBuilder.id("a"), null), 10))
                .isEmpty();
        assertThat(audit.newest(new AuditFilter(null, "othe", null, null), 10)).isEmpty();
    }

    @Test
    void filterFindsAnOldEventBehindManyNewOnes() {
        audit.append(List.of(event("old", 1, "one")));
        writeEvents(500);
        assertThat(types(audit.newest(AuditFilter.of(ReservationBuilder.id("old")), 10)))
                .containsExactly(1);
    }

    @Test
    void eventsOfChangesAndEventsAloneAreOneSequence() {
        audit.append(List.of(event("k", 1, "acme")));
        long fence = grant("k").fence();
        apply(MoveBuilder.of(ReservationBuilder.id("k"), fence, State.COMPLETED)
                .in(0)
                .with(ReservationBuilder.of("k").event(2)));
        audit.append(List.of(event("k", 3, "acme")));
        ledger.purge(10, counts -> List.of(event("k", 4, "acme")));
        assertThat(types(audit.behindHorizon(Position.START, 10))).containsExactly(1, 2, 3, 4);
        assertThat(events("k")).containsExactly(1, 2, 3, 4);
    }

    @Test
    void aSealIsTakenOnlyIfItIsTheNext() {
        assertThat(audit.newestSeal()).isEmpty();
        assertThat(audit.add(seal(2))).isFalse();
        assertThat(audit.add(seal(0))).isFalse();
        assertThat(audit.add(seal(1))).isTrue();
        assertThat(audit.add(seal(1))).isFalse();
        assertThat(audit.add(seal(3))).isFalse();
        assertThat(audit.add(seal(2))).isTrue();
        assertThat(audit.newestSeal())
                .hasValueSatisfying(
                        newest -> assertThat(newest).usingRecursiveComparison().isEqualTo(seal(2)));
    }

    @Test
    void sealsAreReadInOrderFromANumberOn() {
        for (int n = 1; n <= 5; n++) {
            assertThat(audit.add(seal(n))).isTrue();
        }
        assertThat(audit.seals(1, 10)).extracting(Seal::number).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(audit.seals(3, 2)).extracting(Seal::number).containsExactly(3L, 4L);
        assertThat(audit.seals(6, 10)).isEmpty();
        assertThat(audit.seals(2, 1).get(0)).usingRecursiveComparison().isEqualTo(seal(2));
    }

    @Test
    void oneOfManySealersWinsEachNumber() throws Exception {
        assertThat(atOnce(THREADS, n -> audit.add(seal(1))).stream().filter(won -> won))
                .hasSize(1);
    }

    @Test
    void oldestSegmentIsPurgedWithItsSealOnceAllOfItIsOldEnough() {
        List<AuditRow> first = segment(1, 3);
        pass(1_000);
        List<AuditRow> second = segment(2, 2);
        segment(3, 1);
        assertThat(audit.purge(1_001, purged -> event("p", 9, "acme"))).isEmpty();
        pass(1);
        assertThat(audit.purge(1_001, purged -> event("p", 9, "acme"))).hasValueSatisfying(purged -> {
            assertThat(purged.number()).isEqualTo(1);
            assertThat(purged.events()).isEqualTo(3);
            assertThat(purged.hash()).isEqualTo(seal(1).hash());
        });
        assertThat(audit.purge(1_001, purged -> event("p", 9, "acme"))).isEmpty();
        assertThat(audit.seals(1, 10)).extracting(Seal::number).containsExactly(2L, 3L);
        List<AuditRow> left = audit.behindHorizon(Position.START, 100);
        assertThat(left).extracting(AuditRow::position).doesNotContainAnyElementsOf(positions(first));
        assertThat(left).extracting(AuditRow::position).containsAll(positions(second));
        assertThat(types(left).get(left.size() - 1)).isEqualTo(9);
    }

    @Test
    void newestSealAndSegmentsWithMissingEventsAreNotPurged() {
        segment(1, 2);
        pass(10_000);
        assertThat(audit.purge(1, purged -> event("p", 9, "acme"))).isEmpty();
        writeEvents(1);
        List<AuditRow> rows = audit.behindHorizon(position(1), 10);
        assertThat(audit.add(seal(2, position(1), rows.get(0).position(), 1))).isTrue();
        assertThat(audit.purge(1, purged -> event("p", 9, "acme"))).isPresent();
        Position end = rows.get(0).position();
        writeEvents(1);
        Position last = audit.behindHorizon(end, 10).get(1).position();
        assertThat(audit.add(seal(3, end, last, 7))).as("claims seven events").isTrue();
        pass(10_000);
        writeEvents(1);
        assertThat(audit.add(seal(4, last, audit.behindHorizon(last, 10).get(0).position(), 1)))
                .isTrue();
        pass(10_000);
        assertThat(audit.purge(1, purged -> event("p", 9, "acme"))).isPresent();
        assertThat(audit.purge(1, purged -> event("p", 9, "acme")))
                .as("events are missing")
                .isEmpty();
        assertThat(audit.seals(1, 10)).extracting(Seal::number).containsExactly(3L, 4L);
    }

    /** Writes events and seals them. */
    private List<AuditRow> segment(int number, int events) {
        Position after = number == 1 ? Position.START : position(number - 1);
        writeEvents(events);
        List<AuditRow> rows = audit.behindHorizon(after, 100);
        assertThat(audit.add(seal(number, after, rows.get(rows.size() - 1).position(), rows.size())))
                .isTrue();
        return rows;
    }

    private Position position(long seal) {
        return audit.seals(seal, 1).get(0).upTo();
    }

    private static Seal seal(int number, Position after, Position upTo, int events) {
        Seal bare = seal(number);
        return new Seal(number, after, upTo, new byte[events * Seal.ENTRY], bare.previous(), bare.hash());
    }

    private static List<Position> positions(List<AuditRow> rows) {
        return rows.stream().map(AuditRow::position).toList();
    }

    @Test
    void eventsOfConcurrentWritersAllExistAtDifferentPositions() throws Exception {
        atOnce(THREADS, n -> {
            audit.append(List.of(event("k" + n, n, "acme"), event("k" + n, n, "acme")));
            return n;
        });
        List<AuditRow> all = audit.behindHorizon(Position.START, 1_000);
        assertThat(all).hasSize(2 * THREADS);
        assertThat(all).extracting(AuditRow::position).isSorted().doesNotHaveDuplicates();
    }

    private void writeEvents(int count) {
        List<AuditEntry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(event("k" + i, i, "acme"));
        }
        audit.append(entries);
    }

    private static AuditEntry event(String key, int type, String tenant) {
        var subject =
                new AuditEntry.Subject(tenant, ReservationBuilder.OPERATION, ReservationBuilder.id(key), null, null);
        return new AuditEntry(type, subject, null, 0, 0, null);
    }

    private static AuditEntry ofOther(int type, String tenant) {
        return new AuditEntry(type, new AuditEntry.Subject(tenant, "other", null, null, null), null, 0, 0, null);
    }

    private static List<Integer> types(List<AuditRow> rows) {
        return rows.stream().map(row -> row.entry().type()).toList();
    }

    private static Seal seal(int number) {
        byte[] previous = new byte[32];
        byte[] hash = new byte[32];
        previous[0] = (byte) (number - 1);
        hash[0] = (byte) number;
        return new Seal(
                number,
                number == 1 ? Position.START : new Position(0, number * 10L - 10),
                new Position(0, number * 10L),
                bytes("digests of " + number),
                previous,
                hash);
    }
}
