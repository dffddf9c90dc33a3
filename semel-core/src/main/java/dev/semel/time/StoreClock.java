package dev.semel.time;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The time of a store, as one node knows it. Leases, due times and retention are judged by it.
 *
 * <p><b>Between two readings of the store</b> the node's monotonic clock advances it, so a changed wall clock affects nothing.
 *
 * <p><b>About once a second</b> a node reads the state that all nodes share ({@link StoredTime}): a mark, which is a time that the
 * store has reached, and a correction that is added to the wall clock. If the sum is close to the node's monotonic time, the
 * wall clock is right. Otherwise somebody has set the wall clock: the node changes the correction, so that the store's time
 * continues, and writes it back for all. A sum close to the mark is accepted in any case: another node has confirmed it, and
 * this one was suspended.
 *
 * <p><b>A node that has just started</b> has nothing to compare with. It uses the wall clock, but never a time before the mark.
 * So an outage of all nodes counts as elapsed time.
 *
 * <p>A correction shrinks by a hundredth of the elapsed time. Thread-safe.
 */
public final class StoreClock implements TimeSource {
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** How often a node reads the store's clock while it uses the store. */
    private static final long EVERY_MILLIS = 1_000;

    /** Smaller differences come from clocks and networks, not from a clock that was set. */
    private static final long TOLERANCE_MILLIS = 1_000;

    /** The greatest age of a mark while another node uses the store. */
    private static final long VOUCHED_MILLIS = 2_000;

    /** A reading that took longer is too inexact. */
    private static final long LONGEST_LOOK_MILLIS = 500;

    private static final int SLOWLY = 100;

    private final TimeSource time;
    private final AtomicLong told = new AtomicLong(Long.MIN_VALUE);
    private volatile @Nullable ClockReading last;

    /** @param time the node's own clocks */
    public StoreClock(TimeSource time) {
        this.time = time;
    }

    /**
     * The stored time, for all nodes.
     *
     * @param mark a time that the store has reached; 0 when nothing is known
     * @param ahead the correction: added to the wall clock it gives the store's time
     */
    public record StoredTime(long mark, long ahead) {
        public static final StoredTime NOTHING = new StoredTime(0, 0);
    }

    /**
     * A reading of the clocks.
     *
     * @param now the store's time, at some moment between the two following
     * @param from of the monotonic clock, before the reading
     * @param upTo of the monotonic clock, after it
     * @param wall the node's own wall clock
     */
    private record ClockReading(long now, long from, long upTo, long wall) {}

    /** The store's time. It never goes back; before the first look it is the node's wall clock. */
    @Override
    public long millis() {
        ClockReading look = last;
        if (look == null) {
            return time.millis();
        }
        long now = look.now + millisSince(look.upTo);
        long before = told.get();
        return now <= before ? before : told.accumulateAndGet(now, Math::max);
    }

    /** Whether there was a look at the store. */
    public boolean known() {
        return last != null;
    }

    /** Whether it is time for a look: also when the node's two clocks differ, because then it was asleep. */
    public boolean due() {
        ClockReading look = last;
        if (look == null) {
            return true;
        }
        long passed = millisSince(look.upTo);
        return passed >= EVERY_MILLIS || Math.abs(time.millis() - look.wall - passed) > TOLERANCE_MILLIS;
    }

    /**
     * Takes in what a look at the store has found.
     *
     * @param wall the wall clock of the store at the moment of the look
     * @param nanosBefore of this clock, before the look
     * @return what the store is to keep from now on; the same if it need not be written
     */
    public synchronized StoredTime look(StoredTime kept, long wall, long nanosBefore) {
        long nanosAfter = time.nanos();
        ClockReading before = last;
        if (before != null && (nanosAfter - nanosBefore) / NANOS_PER_MILLI > LONGEST_LOOK_MILLIS) {
            return kept;
        }
        long now = Math.max(kept.mark, plausible(kept, wall, before, nanosBefore, nanosAfter));
        now = Math.max(kept.mark, back(now, wall, now - kept.mark));
        last = new ClockReading(now, nanosBefore, nanosAfter, time.millis());
        return new StoredTime(now, now - wall);
    }

    private static long plausible(
            StoredTime kept, long wall, @Nullable ClockReading before, long nanosBefore, long nanosAfter) {
        long sum = wall + kept.ahead;
        if (before == null) {
            return first(kept, wall, sum);
        }
        long least = before.now + Math.max(0, nanosBefore - before.upTo) / NANOS_PER_MILLI;
        long most = before.now + (nanosAfter - before.from) / NANOS_PER_MILLI;
        long drift = TOLERANCE_MILLIS + (most - before.now) / 1_000;
        boolean vouched = sum >= kept.mark && sum <= kept.mark + VOUCHED_MILLIS;
        boolean expected = sum >= least - drift && sum <= most + drift;
        return expected || vouched && sum > most ? sum : least;
    }

    /**
     * What a node believes that has just started: the wall clock as it is, or as it was corrected before, since it may have been
     * repaired meanwhile. The earlier of the two that is not before the mark; the mark if both are.
     */
    private static long first(StoredTime kept, long wall, long sum) {
        long earlier = Math.min(wall, sum);
        return earlier >= kept.mark ? earlier : Math.max(kept.mark, Math.max(wall, sum));
    }

    /** A correction is taken back by a hundredth of the time that has passed since the mark. */
    private static long back(long now, long wall, long passed) {
        long ahead = now - wall;
        long most = Math.min(Math.max(passed, 0), VOUCHED_MILLIS) / SLOWLY;
        return now - Math.max(-most, Math.min(most, ahead));
    }

    private long millisSince(long nanos) {
        return (time.nanos() - nanos) / NANOS_PER_MILLI;
    }

    @Override
    public long nanos() {
        return time.nanos();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        time.sleep(duration);
    }

    @Override
    public Gate gate() {
        return time.gate();
    }
}
