package dev.semel.store;

import java.util.List;
import java.util.Optional;

/** Append-only events and the seals that chain them. */
public interface AuditLog {
    /** Writes events that accompany no change of a record, in a commit of their own. */
    void append(List<AuditEntry> entries);

    /** Events after a position that no open transaction can still precede, in order. */
    List<AuditRow> behindHorizon(AuditRow.Position after, int limit);

    /** Events between two positions, the second included, in order. */
    List<AuditRow> between(AuditRow.Position after, AuditRow.Position upTo);

    /** Events before a position, also those not yet behind the horizon, newest first. */
    List<AuditRow> older(AuditFilter filter, AuditRow.Position before, int limit);

    /** The newest events, also those not yet behind the horizon, newest first. */
    default List<AuditRow> newest(AuditFilter filter, int limit) {
        return older(filter, AuditRow.Position.END, limit);
    }

    /** Adds a seal if its number is the next one; says whether it was. */
    boolean add(Seal seal);

    Optional<Seal> newestSeal();

    /** Seals from a number on, in order. */
    List<Seal> seals(long from, int limit);
}
