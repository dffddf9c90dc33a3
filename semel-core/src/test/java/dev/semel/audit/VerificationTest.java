package dev.semel.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Call.Origin;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import dev.semel.store.Seal;
import dev.semel.testkit.fault.ForwardingAuditLog;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VerificationTest {
    private final AuditLog log = new MemoryStore(new ManualTime(0)).audit();
    private final Events events = new Events(true);

    @BeforeEach
    void write() {
        for (int i = 0; i < 10; i++) {
            append("t" + i);
        }
        assertThat(new Sealer(log).sealAll()).isEqualTo(10);
        append("late");
        new Sealer(log).sealAll();
    }

    private void append(String tenant) {
        log.append(List.of(events.event(
                EventType.MODE_CHANGED, Events.About.tenant(tenant, Origin.UNSTATED), Map.of("mode", "LIVE"))));
    }

    private Verification.VerificationReport verify(UnaryOperator<List<AuditRow>> tampering) {
        return new Verification(new Tampered(log, tampering, UnaryOperator.identity())).verify(null);
    }

    private void assertDamage(Verification.VerificationReport report, Verification.DamageKind kind, long event) {
        assertThat(report.intact()).isFalse();
        Verification.Damage damage = report.damage().orElseThrow();
        assertThat(damage.kind()).isEqualTo(kind);
        assertThat(damage.event()).contains(event);
        assertThat(damage.sentence()).contains("Event " + event);
    }

    @Test
    void b12_sealingIsBoundedAlthoughEventsNeverEnd() {
        AuditLog busy = new ForwardingAuditLog(log) {
            @Override
            public boolean add(Seal seal) {
                boolean added = super.add(seal);
                for (int i = 0; i < 1_000; i++) {
                    VerificationTest.this.append("more");
                }
                return added;
            }
        };
        for (int i = 0; i < 1_000; i++) {
            append("first");
        }
        long before = log.newestSeal().orElseThrow().number();
        assertThat(new Sealer(busy).seal(3)).as("there is more").isTrue();
        assertThat(log.newestSeal().orElseThrow().number()).isEqualTo(before + 3);
    }

    @Test
    void logWhoseOldSegmentsWerePurgedIsIntact() {
        String first = new Verification(log).verify(null).anchor().orElseThrow();
        append("later");
        new Sealer(log).sealAll();
        assertThat(new AuditPurge(log, events, Duration.ZERO).purge(10)).isEqualTo(2);
        append("last");
        new Sealer(log).sealAll();
        Verification.VerificationReport report = new Verification(log).verify(null);
        assertThat(report.damage()).isEmpty();
        assertThat(report.seals()).isEqualTo(4);
        assertThat(report.events()).as("one, two purges, the last").isEqualTo(4);
        assertThat(new Verification(log).verify(first).intact())
                .as("the anchor's seal was purged")
                .isTrue();
        assertThat(new Verification(log).verify("9:00").intact()).isFalse();
    }

    @Test
    void segmentsThatWereRemovedByAnybodyElseAreMissedAlsoAfterAPurge() {
        append("later");
        new Sealer(log).sealAll();
        append("last");
        new Sealer(log).sealAll();
        assertThat(new AuditPurge(log, events, Duration.ZERO).purge(1)).isEqualTo(1);
        assertThat(new Verification(log).verify(null).intact()).isTrue();
        log.purge(
                0, purged -> new AuditEntry(0, new AuditEntry.Subject("*", null, null, null, null), null, 0, 0, null));
        Verification.Damage damage = new Verification(log).verify(null).damage().orElseThrow();
        assertThat(damage.kind()).isEqualTo(Verification.DamageKind.SEAL_BROKEN);
    }

    @Test
    void untouchedLogIsIntactAndGivesAnAnchor() {
        Verification.VerificationReport report = verify(rows -> rows);
        assertThat(report.intact()).isTrue();
        assertThat(report.events()).isEqualTo(11);
        assertThat(report.seals()).isEqualTo(2);
        assertThat(report.anchor().orElseThrow()).startsWith("2:");
    }

    @Test
    void h6_eventThatWasEditedIsNamed() {
        assertDamage(
                verify(rows -> rows.stream()
                        .map(row -> row.position().seq() == 4 ? edited(row) : row)
                        .toList()),
                Verification.DamageKind.CHANGED,
                4);
    }

    @Test
    void h6_eventThatWasDeletedIsNamed() {
        assertDamage(
                verify(rows ->
                        rows.stream().filter(row -> row.position().seq() != 7).toList()),
                Verification.DamageKind.REMOVED,
                7);
        assertDamage(
                verify(rows ->
                        rows.stream().filter(row -> row.position().seq() != 10).toList()),
                Verification.DamageKind.REMOVED,
                10);
    }

    @Test
    void h6_eventThatWasInsertedIsNamed() {
        assertDamage(
                verify(rows -> {
                    List<AuditRow> more = new ArrayList<>(rows);
                    more.add(
                            3,
                            new AuditRow(
                                    new AuditRow.Position(0, 77), 0, rows.get(0).entry()));
                    return more;
                }),
                Verification.DamageKind.INSERTED,
                77);
        assertDamage(
                verify(rows -> {
                    List<AuditRow> more = new ArrayList<>(rows);
                    more.add(new AuditRow(
                            new AuditRow.Position(0, 78), 0, rows.get(0).entry()));
                    return more;
                }),
                Verification.DamageKind.INSERTED,
                78);
    }

    @Test
    void sealThatWasRewrittenOrRemovedIsFound() {
        assertSealBroken(seals -> seals.stream()
                .map(seal -> new Seal(
                        seal.number(), seal.after(), seal.upTo(), seal.digests(), seal.previous(), new byte[32]))
                .toList());
        assertSealBroken(seals -> seals.size() > 1 ? seals.subList(1, seals.size()) : seals);
    }

    private void assertSealBroken(UnaryOperator<List<Seal>> tampering) {
        Verification.VerificationReport report =
                new Verification(new Tampered(log, UnaryOperator.identity(), tampering)).verify(null);
        assertThat(report.damage().orElseThrow().kind()).isEqualTo(Verification.DamageKind.SEAL_BROKEN);
    }

    @Test
    void tailThatWasCutIsFoundAgainstAnAnchor() {
        String anchor = verify(rows -> rows).anchor().orElseThrow();
        Verification cut = new Verification(new Tampered(
                log, UnaryOperator.identity(), seals -> seals.size() > 1 ? seals.subList(0, 1) : List.of()));
        assertThat(cut.verify(null).intact()).isTrue();
        assertThat(cut.verify(anchor).damage().orElseThrow().kind()).isEqualTo(Verification.DamageKind.ANCHOR_MISSED);
    }

    @Test
    void everyFieldOfAnEventCounts() {
        AuditEntry.Subject subject = new AuditEntry.Subject("t", "o", null, new byte[] {1}, "c");
        AuditRow row = new AuditRow(new AuditRow.Position(1, 2), 3, new AuditEntry(4, subject, "P", 5, 6, "{}"));
        List<AuditRow> others = List.of(
                new AuditRow(new AuditRow.Position(9, 2), 3, row.entry()),
                new AuditRow(new AuditRow.Position(1, 9), 3, row.entry()),
                new AuditRow(row.position(), 9, row.entry()),
                with(row, new AuditEntry(9, subject, "P", 5, 6, "{}")),
                with(row, new AuditEntry(4, subject, null, 5, 6, "{}")),
                with(row, new AuditEntry(4, subject, "P", 9, 6, "{}")),
                with(row, new AuditEntry(4, subject, "P", 5, 9, "{}")),
                with(row, new AuditEntry(4, subject, "P", 5, 6, null)),
                with(row, new AuditEntry(4, new AuditEntry.Subject("to", "", null, null, "c"), "P", 5, 6, "{}")));
        for (AuditRow other : others) {
            assertThat(Chain.digest(other)).isNotEqualTo(Chain.digest(row));
        }
    }

    private static AuditRow with(AuditRow row, AuditEntry entry) {
        return new AuditRow(row.position(), row.at(), entry);
    }

    private static AuditRow edited(AuditRow row) {
        AuditEntry entry = row.entry();
        return with(
                row,
                new AuditEntry(
                        entry.type(), entry.subject(), entry.policy(), entry.fence(), entry.attempt(), "{\"x\":1}"));
    }

    /** The log as somebody with access to its tables left it. */
    private static final class Tampered extends ForwardingAuditLog {
        private final UnaryOperator<List<AuditRow>> rows;
        private final UnaryOperator<List<Seal>> cut;

        Tampered(AuditLog log, UnaryOperator<List<AuditRow>> rows, UnaryOperator<List<Seal>> cut) {
            super(log);
            this.rows = rows;
            this.cut = cut;
        }

        @Override
        public List<AuditRow> between(AuditRow.Position after, AuditRow.Position upTo) {
            List<AuditRow> found = super.between(after, upTo);
            return after.equals(AuditRow.Position.START) ? rows.apply(found) : found;
        }

        @Override
        public List<Seal> seals(long from, int limit) {
            return from == 1 ? cut.apply(super.seals(from, limit)) : List.of();
        }
    }
}
