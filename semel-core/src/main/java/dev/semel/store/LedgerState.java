package dev.semel.store;

import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * What a person on call wants to know of a ledger as a whole. Payloads are not read; counts end at {@link #MOST}.
 *
 * @param deadLetters messages that failed for good
 * @param unknown runs that may or may not have taken effect
 * @param running runs that are under way, the one first whose lease ends first
 * @param bytes what ledger and audit take where they are stored, if that can be said
 * @param purgeLagMillis how long the oldest expired record has been waiting for the purge; zero when none is expired
 */
public record LedgerState(
        StateCount deadLetters, StateCount unknown, StateCount running, OptionalLong bytes, long purgeLagMillis) {
    /** Where counting ends. */
    public static final int MOST = 10_000;

    private static final RecordFilter MESSAGES = new RecordFilter(null, null, true, Long.MAX_VALUE);

    /** Of a ledger in which no record is expired. */
    public LedgerState(StateCount deadLetters, StateCount unknown, StateCount running, OptionalLong bytes) {
        this(deadLetters, unknown, running, bytes, 0);
    }

    /** Reads it from the store, by one query each: the numbers may be of moments that lie a little apart. */
    public static LedgerState of(Store store) {
        Ledger ledger = store.ledger();
        return new LedgerState(
                ledger.tally(State.FAILED_TERMINAL, MESSAGES, MOST),
                ledger.tally(State.UNKNOWN, RecordFilter.ALL, MOST),
                ledger.tally(State.IN_PROGRESS, RecordFilter.ALL, MOST),
                store.bytes(),
                purgeLag(ledger));
    }

    /** Not of failures for good: one that holds its lane is not purged, however old it is. */
    private static long purgeLag(Ledger ledger) {
        return Stream.of(State.COMPLETED, State.SHADOWED, State.DISCARDED)
                .mapToLong(state -> ledger.tally(state, RecordFilter.ALL, 1).ageMillis())
                .max()
                .orElse(0);
    }
}
