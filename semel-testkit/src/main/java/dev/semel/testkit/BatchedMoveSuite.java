package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import java.util.List;

/** The rules of a move also hold in a batch: a store may handle a single move differently. */
abstract class BatchedMoveSuite extends MoveSuite {
    private static final RecordId NOBODY = ReservationBuilder.id("nobody's");

    BatchedMoveSuite(StoreContract contract) {
        super(contract);
    }

    @Override
    Moved move(MoveBuilder shift) {
        Move move = shift.move();
        List<Moved> answers = ledger.move(List.of(move, beside(move)));
        assertThat(answers).hasSize(2);
        assertThat(answers.get(1)).isNotEqualTo(new Moved.Applied());
        return answers.get(0);
    }

    /** The same of a record that is not there. */
    private static Move beside(Move move) {
        List<AuditEntry> events =
                move.events().stream().map(BatchedMoveSuite::of).toList();
        return new Move(NOBODY, move.fence(), move.from(), move.to(), move.change(), events);
    }

    private static AuditEntry of(AuditEntry event) {
        AuditEntry.Subject subject = event.subject();
        return new AuditEntry(
                event.type(),
                new AuditEntry.Subject(
                        subject.tenant(), subject.operation(), NOBODY, subject.fingerprint(), subject.correlationId()),
                event.policy(),
                event.fence(),
                event.attempt(),
                event.body());
    }
}
