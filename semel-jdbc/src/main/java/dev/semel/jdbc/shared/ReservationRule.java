package dev.semel.jdbc.shared;

import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reservation;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import org.jspecify.annotations.Nullable;

/** The answer to a reservation whose record already exists. Decided on a locked row. */
public enum ReservationRule {
    /** Its retention is over: it is created again, as if it had been absent. */
    REPLACE,
    /** It failed and is due. */
    RETRY,
    /** Its holder's lease is over. */
    TAKE_OVER,
    /** The grant is this reservation's own, given before a reply was lost. */
    OWN,
    /** It stays as it is. */
    LEAVE;

    public static ReservationRule of(Reservation reservation, Row found, long now) {
        Status status = found.status();
        Reservation.Grant grant = reservation.grant();
        if (status.state() == State.IN_PROGRESS && status.owner() == grant.owner()) {
            return OWN;
        }
        if (!grant.mayBeOf(found.expired(now) ? null : status)) {
            return LEAVE;
        }
        if (found.expired(now)) {
            return REPLACE;
        }
        boolean another =
                !found.header().fingerprint().equals(reservation.header().fingerprint());
        if (another || found.inLine() || status.at() > now) {
            return LEAVE;
        }
        if (status.state() == State.FAILED_RETRYABLE) {
            return RETRY;
        }
        return grant.mayTakeOver(status) ? TAKE_OVER : LEAVE;
    }

    public boolean needsGrant() {
        return this == REPLACE || this == RETRY || this == TAKE_OVER;
    }

    /** The answer to a move that was not applied, from where the record stands. */
    public static Moved notApplied(Move move, @Nullable Status current) {
        boolean same =
                current == null ? move.to() == null : current.fence() == move.fence() && current.state() == move.to();
        return same ? new Moved.Same() : new Moved.Refused(current);
    }

    /** Whether a direct atomic call may write over the record: {@link dev.semel.store.Transactions.Tx#write}. */
    public static boolean free(Row row, long now) {
        return free(row.status(), now) && !(row.status().expired(now) && row.holdsLane());
    }

    /** For a record that cannot stand in a lane. */
    public static boolean free(Status status, long now) {
        return status.expired(now) || status.state() == State.FAILED_RETRYABLE && status.at() <= now;
    }
}
