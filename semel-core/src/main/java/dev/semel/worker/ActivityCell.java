package dev.semel.worker;

import dev.semel.store.ActivityCounts;
import dev.semel.watch.Outcome;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of one operation, for one tenant or for several, and the highest of what was seen waiting. Any thread may count; one at a time
 * takes. Counts are never reset, so nothing is lost between the two.
 */
final class ActivityCell {
    static final int RETRIES = Outcome.values().length;
    static final int DEAD_LETTERS = RETRIES + 1;
    static final int BECAME_UNKNOWN = RETRIES + 2;
    static final int TAKEOVERS = RETRIES + 3;
    static final int NOT_ADMITTED = RETRIES + 4;
    private static final int CALLS = RETRIES + 5;

    /** The longest duration that is told apart from longer ones is half an hour. */
    private static final int DURATIONS = 32;

    private static final int ACKS = CALLS + DURATIONS;
    private static final String[] NAMES = names();

    private final AtomicReferenceArray<LongAdder> adders = new AtomicReferenceArray<>(NAMES.length);
    private final long[] taken = new long[NAMES.length];
    private final AtomicLong mostWaiting = new AtomicLong();
    private final AtomicLong longestDue = new AtomicLong();
    private int idleRounds;

    private static String[] names() {
        String[] names = new String[ACKS + DURATIONS];
        for (Outcome outcome : Outcome.values()) {
            names[outcome.ordinal()] = outcome.code();
        }
        names[RETRIES] = "retries";
        names[DEAD_LETTERS] = "dead_letters";
        names[BECAME_UNKNOWN] = "became_unknown";
        names[TAKEOVERS] = "takeovers";
        names[NOT_ADMITTED] = "not_admitted";
        for (int i = 0; i < DURATIONS; i++) {
            names[CALLS + i] = "call_" + i;
            names[ACKS + i] = "ack_" + i;
        }
        return names;
    }

    void count(Outcome outcome) {
        count(outcome.ordinal());
    }

    void count(int figure) {
        LongAdder adder = adders.get(figure);
        if (adder == null) {
            LongAdder made = new LongAdder();
            LongAdder other = adders.compareAndExchange(figure, null, made);
            adder = other == null ? made : other;
        }
        adder.increment();
    }

    void callTook(long nanos) {
        count(CALLS + bucket(nanos));
    }

    void acknowledgementTook(long nanos) {
        count(ACKS + bucket(nanos));
    }

    /** So many wait, of which one has been due for so long. */
    void waiting(long depth, long dueMillis) {
        mostWaiting.accumulateAndGet(depth, Math::max);
        longestDue.accumulateAndGet(dueMillis, Math::max);
    }

    /** How many binary digits the microseconds have. */
    private static int bucket(long nanos) {
        int digits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, nanos / 1_000));
        return Math.min(digits, DURATIONS - 1);
    }

    /** What was counted since the last time. */
    ActivityCounts take() {
        SortedMap<String, Long> counts = new TreeMap<>();
        for (int i = 0; i < NAMES.length; i++) {
            LongAdder adder = adders.get(i);
            if (adder != null) {
                long sum = adder.sum();
                if (sum != taken[i]) {
                    counts.put(NAMES[i], sum - taken[i]);
                    taken[i] = sum;
                }
            }
        }
        takeHighest("waiting_most", mostWaiting, counts);
        takeHighest("due_ms_most", longestDue, counts);
        idleRounds = counts.isEmpty() ? idleRounds + 1 : 0;
        return counts.isEmpty() ? ActivityCounts.NONE : new ActivityCounts(counts);
    }

    private static void takeHighest(String name, AtomicLong highest, SortedMap<String, Long> counts) {
        long value = highest.getAndSet(0);
        if (value > 0) {
            counts.put(name, value);
        }
    }

    /** How many times in a row there was nothing to take. */
    int idleRounds() {
        return idleRounds;
    }
}
