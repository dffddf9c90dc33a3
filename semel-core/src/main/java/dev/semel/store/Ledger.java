package dev.semel.store;

import dev.semel.key.RecordId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One record for each piece of work. Every call commits before it returns; a call that fails with
 * {@link dev.semel.SemelException.StoreUnavailable} or {@link dev.semel.SemelException.OutcomeUnknown} may be repeated as it
 * is, because reservations carry an owner and moves carry a fence. Ids are distinct within a batch. Implementations lock in
 * the order of ids, and judge time by the store's own clock.
 *
 * <p>Nobody waits without bound for a record that another transaction has locked, whose owner may be paused: such a record is
 * left out by {@link #purge}, and answered as locked by {@link #reserve} and {@link #move}, each for itself. In the same way an
 * item whose data the store refuses is answered for itself ({@link Reserved.ReserveFailed}, {@link Moved.NotStored}, both with a
 * {@link dev.semel.SemelException.DataRefused}), and the others of its batch are written.
 */
public interface Ledger {
    /**
     * For each: makes the record and grants it if it is absent or expired; grants it again if it is FAILED_RETRYABLE and
     * due, or IN_PROGRESS with its lease over ({@code at <= now}), repeatable and below its attempts; gives back the same
     * grant if it is IN_PROGRESS under the same owner; otherwise returns it as it is. One that waits for a worker is
     * never granted here. A grant takes a new fence. A live
     * record under a neighbouring id, or with another fingerprint, is returned as it is and never granted: it is asked for by
     * its own id and fingerprint then. A reservation of the record under one fence
     * ({@link Reservation.Grant#onlyUnder}) makes none: what is absent or expired stays so.
     *
     * @param modesVersion grants happen only while the switchboard is at this version
     */
    List<Reserved> reserve(long modesVersion, List<Reservation> batch);

    /**
     * Applies each move whose conditions hold. An expired record counts as absent: it may be removed, but not
     * changed.
     */
    List<Moved> move(List<Move> batch);

    /**
     * Applies all of these moves in one commit, or none of them: for changes that are true only together, such as that of a
     * record and those of its steps. A move that had been made before counts as made.
     *
     * @return applied when something was written now; same when everything had been before; otherwise, and then nothing is
     *     written, the answer to the first move that was refused, or locked
     */
    Moved moveTogether(List<Move> batch);

    /**
     * Extends each grant that is still held; says which were.
     *
     * @throws dev.semel.SemelException.Locked when another transaction has locked one of the records and does not end:
     *     nothing was extended, and the others may be renewed without it
     */
    List<Boolean> renew(List<Renewal> batch);

    /** The records of these ids, and the time by which they are to be judged. */
    FoundRecords find(Collection<RecordId> ids);

    /**
     * As {@link #find(Collection)}, with payloads of at most so many bytes; of others only the size is read
     * ({@link Row.Contents#withheld}).
     */
    FoundRecords find(Collection<RecordId> ids, int inline);

    /** The steps of a record, by age. */
    List<Row> steps(RecordId parent);

    /** The first steps of a record, by age, for people: without payloads and results. */
    default List<Row> stepSummaries(RecordId parent, int limit) {
        return steps(parent).stream().limit(limit).map(Row::summary).toList();
    }

    /**
     * Records of the operations, in the state, whose {@code at} has passed, longest overdue first; no steps.
     *
     * @param behind where an earlier list ended: in the order of {@code at} and then of ids, both rising
     */
    List<Row> overdue(State state, Collection<String> operations, RecordFilter.Cursor behind, int limit);

    /**
     * IN_PROGRESS records whose lease is over and whose grant went outside ({@link OutsideGrant}), of whatever operation, longest
     * overdue first; no messages and no steps. Of payloads only the size is read ({@link Row.Contents#withheld}).
     *
     * @param patienceMillis how long the lease of a repeatable run must have been over
     * @param behind as in {@link #overdue}
     */
    List<Row> overdueOutside(long patienceMillis, RecordFilter.Cursor behind, int limit);

    /**
     * Records in the state, those first that need attention last, for people. Steps are left out.
     *
     * @param behind where an earlier list ended
     */
    List<Row> list(State state, RecordFilter filter, RecordFilter.Cursor behind, int limit);

    /**
     * Records in the state that match, for people, those first that need attention last: without payloads and results, and steps are left
     * out. It looks at so many records of the state at most, matching or not, so its cost is bounded however many there are and however few
     * match. A store that does not implement it lists records instead.
     *
     * @param behind where an earlier search ended
     * @param limit how many matching ones are returned at most; at least 1
     * @param most how many are looked at; at least 1
     */
    default SearchedRecords search(State state, RecordSearch search, RecordFilter.Cursor behind, int limit, int most) {
        return SearchedRecords.of(list(state, RecordFilter.ALL, behind, most + 1), search, limit, most);
    }

    /**
     * Counts records in the state, those first that need attention first. Steps are left out. Payloads are not read.
     *
     * @param most the count ends there
     */
    StateCount tally(State state, RecordFilter filter, int most);

    /**
     * Counts records in a state by operation, for people: looks at so many records of the state at most, those first that need attention
     * first, of whatever tenant they are. So its cost is bounded, however many there are. Steps are left out. A store that does not
     * implement it lists records instead.
     *
     * @param tenant counts those of this tenant; of all when absent
     * @param until only those whose {@code at} is not after this; {@link Status#NEVER} for all
     * @param most how many are looked at
     */
    default StateCensus census(State state, @Nullable String tenant, long until, int most) {
        RecordFilter filter = new RecordFilter(tenant, null, false, Long.MAX_VALUE);
        List<Row> rows = list(state, filter, RecordFilter.Cursor.START, most + 1);
        List<Row> counted = rows.stream()
                .limit(most)
                .filter(row -> row.status().at() <= until)
                .toList();
        return StateCensus.of(
                counted, rows.size() <= most, tally(state, filter, 1).now());
    }

    /**
     * COMPLETED messages in the order of their places, which is that of their lanes. Payloads are not read. It looks at every completed
     * record of the ledger, however few are asked for: ask for many at a time.
     *
     * @param behind the place where an earlier list ended; {@link Long#MIN_VALUE} for the first one
     */
    List<CompletedMessage> completedMessages(RecordFilter filter, long behind, int limit);

    /** Records by the order of their ids, from the first to the last given, without payloads and results. */
    List<Row> range(RecordId first, RecordId last, int limit);

    /**
     * The calls and messages of a tenant that were made under a correlation id, expired ones too; steps are left out. Calls
     * come first, in the order of their newest grants, then messages in the order of their places. Payloads and results are left out.
     */
    List<Row> findByCorrelation(String tenant, String correlationId, int limit);

    /** The messages that a run of the record sent, by age, without payloads and results. */
    List<Row> sentBy(RecordId record, int limit);

    /**
     * Removes up to so many expired records and their steps, or fewer where a large commit would hold up callers, in one commit
     * with the events made of the count for each tenant.
     *
     * @return the count removed for each tenant; empty when nothing was expired
     */
    Map<String, Integer> purge(int limit, Function<Map<String, Integer>, List<AuditEntry>> events);
}
