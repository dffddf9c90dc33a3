package dev.semel.jdbc.postgres;

import dev.semel.store.Move;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The order of lanes.
 *
 * <p>Whoever changes the order of a lane holds its lock until the commit: a claim that places arrivals and grants a run, a move
 * that takes a record out. Moves wait for the lock, all of a batch in the order of their numbers and before any row is
 * locked; claims only try it, and leave a lane that they do not get. The statements after the lock have snapshots of their own,
 * so that what the last holder committed is seen.
 */
final class PostgresLanes {
    /** The lock of a lane, in the space of two halves, where no record's lock can be. */
    static final String LOCK_ARGUMENTS = "((l.lane >> 32)::int, (l.lane << 32 >> 32)::int)";

    static final String LOCK =
            "SELECT count(pg_advisory_xact_lock" + LOCK_ARGUMENTS + ") FROM unnest(?::bigint[]) AS l(lane)";

    /**
     * The next one becomes the head of a lane that has none. By id: a hand-back or a renewal does not hold the lane,
     * and the row may have moved on.
     */
    static final String PROMOTE = """
            UPDATE semel_record r SET turn = 1
            FROM unnest(?::bigint[]) AS l(lane) CROSS JOIN LATERAL (
                SELECT h.id FROM semel_record h WHERE h.lane = l.lane AND h.turn = 2 ORDER BY h.place LIMIT 1) AS p
            WHERE r.id = p.id
                AND (SELECT true FROM semel_record h WHERE h.lane = l.lane AND h.turn = 1 LIMIT 1) IS NULL""";

    private static final int STAY = 0;
    private static final int LEAVE = 1;
    private static final int JOIN = 2;
    private static final int KEEP_OR_JOIN = 3;

    private PostgresLanes() {}

    /** The change of the place, as a number for the statement. */
    static int then(Move.@Nullable Place place) {
        if (place == null) {
            return STAY;
        }
        return switch (place.then()) {
            case LEAVE -> LEAVE;
            case JOIN -> JOIN;
            case KEEP_OR_JOIN -> KEEP_OR_JOIN;
        };
    }

    /** The lanes that the moves touch, in the order in which they are locked. */
    static List<Long> lanes(Collection<Move> moves) {
        return moves.stream()
                .map(move -> move.change().place())
                .filter(place -> place != null && place.lane() != null)
                .map(Move.Place::lane)
                .distinct()
                .sorted()
                .toList();
    }
}
