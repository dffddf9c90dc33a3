package dev.semel.store;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Records that wait for a worker. Every method is one commit; a repeated call is safe.
 *
 * <p><b>Order.</b> A message of a lane arrives without touching the lane, so that senders never wait for each other and never
 * for a worker. A claim places arrivals into their lanes, in the order in which they arrived; one that was sent earlier but
 * committed later is placed later, and is never skipped. (A store in which nobody else writes meanwhile may place a message
 * when it arrives.) Only the head of a lane can be claimed, with a run of those behind it.
 * The head keeps its place while it is retried, handed back or taken over. When a {@link Move} takes it out of the lane the
 * next one becomes the head, in the same commit.
 *
 * <p><b>Cost.</b> Neither depends on how much waits, nor on the number of lanes: only on how much is granted.
 */
public interface Queue {
    /**
     * For each: makes the record if it is absent or expired, QUEUED and due as its times say; otherwise leaves it as it is.
     * Ids are distinct in a batch. One whose data the store refuses is answered {@link Enqueued.EnqueueFailed}; the others are made.
     */
    List<Enqueued> enqueue(List<Arrival> batch);

    /**
     * Grants due records: QUEUED and FAILED_RETRYABLE records whose time has come, and IN_PROGRESS ones whose lease
     * is over if the grant is repeatable and they are below its attempts. Records that another transaction has locked
     * are left out. Each grant takes a new fence. It is no attempt yet: an attempt is counted when it has ended, or
     * by a move before it begins. One that is taken from another holder is marked so ({@link Status#isTakenOver}).
     * Tenants that have something due share the amount evenly; one that has nothing leaves its part to the others, if need be with the next claim.
     */
    Claimed claim(Claim claim);

    /**
     * The records of an operation that are IN_PROGRESS under a claim's token: the grants of a claim whose reply was
     * lost, as long as nobody else has taken them over. Only reads. Those of one lane are next to each other and in
     * its order. Payloads over {@link Claim.Amount#SMALL} are left out.
     *
     * @param owner as in the claim's grant, and no other claim's
     */
    List<Row> heldBy(String operation, long owner);

    /** The record at the head of a lane, for people; absent when nobody stands in it. */
    Optional<Row> head(long lane);

    /**
     * The heads of an operation's lanes that are UNKNOWN and hold their lanes up. There are none where lanes continue, except
     * after an adoption, which knows no policies.
     */
    List<Row> unknownHeads(String operation, int limit);

    /** The operations of which something waits, is being handled, or holds its lane up. */
    Set<String> operations();

    /** How much of an operation waits, for people and alarms. */
    Backlog backlog(String operation);

    /**
     * @param waiting QUEUED or FAILED_RETRYABLE records, counted up to {@link #MOST}
     * @param oldestDue since when the one that is due longest has been, in the store's milliseconds; {@link Status#NEVER}
     *     when nothing is due
     * @param parkedLanes lanes whose head is dead or UNKNOWN, counted up to {@link #MOST}
     */
    record Backlog(long waiting, long oldestDue, long parkedLanes) {
        /** Counts stop here: nobody needs a more exact number, and counting has its price. */
        public static final int MOST = 1_000_000;
    }
}
