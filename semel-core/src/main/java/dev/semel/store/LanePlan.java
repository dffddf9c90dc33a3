package dev.semel.store;

import dev.semel.key.RecordId;
import dev.semel.store.Line.Turn;
import java.util.ArrayList;
import java.util.List;

/**
 * The plan of a claim for one lane, computed from the records in it. The same for every store. The caller holds the
 * lane's lock, so that nobody else places, grants or finishes in it meanwhile.
 *
 * @param placed arrivals that take their place now, in this order, each behind all that are placed already
 * @param granted consecutive records from the head on, in order; empty when the head cannot be granted. All of them
 *     are taken over, or none is: an unfinished record may have killed its node, and is granted without others
 */
public record LanePlan(List<Placed> placed, List<RecordId> granted) {

    /** @param turn HEAD for the first of a lane that was empty, else WAITING */
    public record Placed(RecordId id, Turn turn) {}

    /** A record of the lane. */
    public record LaneRecord(RecordId id, State state, int attempt, long at) {
        /** Whether it may be granted now. */
        private boolean ready(Reservation.Grant grant, long now) {
            return switch (state) {
                case QUEUED, FAILED_RETRYABLE -> at <= now;
                case IN_PROGRESS -> at <= now && grant.repeatable() && attempt < grant.maxAttempts();
                default -> false;
            };
        }

        private boolean takenOver() {
            return state == State.IN_PROGRESS;
        }
    }

    /**
     * @param standing the first ones of the lane, in its order; all of them if fewer than {@code run}
     * @param arrivals those that take their place now, in the order of arrival
     * @param run at most so many are granted
     * @param takeovers at most so many are taken over
     */
    public static LanePlan of(
            List<LaneRecord> standing,
            List<LaneRecord> arrivals,
            Reservation.Grant grant,
            int run,
            int takeovers,
            long now) {
        List<Placed> placed = new ArrayList<>();
        for (LaneRecord arrival : arrivals) {
            boolean first = standing.isEmpty() && placed.isEmpty();
            placed.add(new Placed(arrival.id, first ? Turn.HEAD : Turn.WAITING));
        }
        List<LaneRecord> line = new ArrayList<>(standing);
        if (standing.size() < run) {
            line.addAll(arrivals);
        }
        List<RecordId> granted = new ArrayList<>();
        boolean takenOver = !line.isEmpty() && line.get(0).takenOver();
        int most = takenOver ? Math.min(run, takeovers) : run;
        for (LaneRecord member : line) {
            if (granted.size() >= most || member.takenOver() != takenOver || !member.ready(grant, now)) {
                break;
            }
            granted.add(member.id);
        }
        return new LanePlan(placed, granted);
    }

    /**
     * How long a run may be of which only so many may be retries: an arrival must not bring more of them along than the
     * claim's budget leaves.
     */
    public static int affordable(List<LaneRecord> standing, List<LaneRecord> arrivals, int run, int retries) {
        int length = 0;
        int spent = 0;
        for (List<LaneRecord> part : List.of(standing, arrivals)) {
            for (LaneRecord member : part) {
                spent += member.state == State.FAILED_RETRYABLE ? 1 : 0;
                if (length == run || spent > retries) {
                    return length;
                }
                length++;
            }
        }
        return length;
    }
}
