package dev.semel.store;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

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

    /** The seal with the highest number; empty until the first is added. */
    Optional<Seal> newestSeal();

    /** Seals from a number on, in order. */
    List<Seal> seals(long from, int limit);

    /**
     * Removes the oldest sealed segment, seal and events together, in one commit with the event that tells of it. Nothing is
     * removed when one of its events is younger than the age given, when events of it are missing, when it is the newest seal,
     * to which the next one will be chained, or when another node is at it.
     *
     * @param ageMillis by the store's time
     * @param event made of what is removed; the chain is verified from there on
     * @return what was removed
     */
    Optional<PurgedSegment> purge(long ageMillis, Function<PurgedSegment, AuditEntry> event);

    /**
     * A sealed run of events that is no longer there.
     *
     * @param number of its seal
     * @param hash of its seal, to which the next one is chained
     */
    record PurgedSegment(long number, byte[] hash, int events) {
        public PurgedSegment(Seal seal) {
            this(seal.number(), seal.hash(), seal.events());
        }
    }
}
