package dev.semel.worker;

import dev.semel.Failure;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.store.ActivityCounts;
import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityLog.ActivityStep;
import dev.semel.store.ActivityRow;
import dev.semel.time.TimeSource;
import dev.semel.watch.Outcome;
import dev.semel.watch.Span;
import dev.semel.watch.Watch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records what happens on this node in the store's history of activity. Calls only count in memory, without a lock; {@link #flush}, which
 * is called every few seconds, writes the counts. A flush that fails is made up for by the next one. Counts of a process that is killed
 * are lost from its last flush on.
 */
public final class ActivityRecorder implements Watch {
    private static final Logger LOG = LoggerFactory.getLogger(ActivityRecorder.class);
    private static final int ROWS_AT_ONCE = 2_000;
    private static final int PURGED_AT_ONCE = 1_000;

    /** Of rounds; about an hour. */
    private static final int PURGED_EACH = 360;

    /** Not when the node starts, which has other things to do. */
    private static final int FIRST_PURGE = 30;

    /** How often {@link #round} is to be called. */
    public static final Duration PACE = Duration.ofMillis(ActivityStep.SECONDS.millis());

    private final ActivityLog log;
    private final TimeSource time;
    private final ActivityCells cells = new ActivityCells();
    private final ActivityBuckets buckets;
    private final ReentrantLock lock = new ReentrantLock();
    private long lastFlush;
    private boolean warned;
    private boolean writeFailed;
    private int rounds;

    /** @param nodes numbers that no other node and no earlier process has */
    public ActivityRecorder(ActivityLog log, TimeSource time, LongSupplier nodes) {
        this.log = log;
        this.time = time;
        this.buckets = new ActivityBuckets(nodes);
        this.lastFlush = time.millis();
    }

    @Override
    public void ended(Span span) {
        ActivityCell cell = cells.of(span.operation(), span.tenant());
        Outcome outcome = span.outcome();
        if (outcome != null) {
            cell.count(outcome);
        }
        cell.callTook(span.nanos());
    }

    @Override
    public void sent(String operation, String tenant, Outcome outcome) {
        cells.of(operation, tenant).count(outcome);
    }

    @Override
    public void accepted(String operation, String tenant, long nanos) {
        cells.of(operation, tenant).acknowledgementTook(nanos);
    }

    @Override
    public void notAdmitted(String operation, String tenant, String cause) {
        cells.of(operation, tenant).count(ActivityCell.NOT_ADMITTED);
    }

    @Override
    public void retries(String operation, String tenant, Policy policy, Failure.Category category) {
        cells.of(operation, tenant).count(ActivityCell.RETRIES);
    }

    @Override
    public void died(String operation, String tenant, Failure.Category category) {
        cells.of(operation, tenant).count(ActivityCell.DEAD_LETTERS);
    }

    @Override
    public void unknown(String operation, String tenant) {
        cells.of(operation, tenant).count(ActivityCell.BECAME_UNKNOWN);
    }

    @Override
    public void takenOver(String operation, String tenant) {
        cells.of(operation, tenant).count(ActivityCell.TAKEOVERS);
    }

    /**
     * So many messages of a channel wait now, of all tenants. The highest value of each step is kept.
     *
     * @param dueMillis how long the one that is due longest has been; 0 when none is
     */
    void waiting(String channel, long depth, long dueMillis) {
        cells.ofAllTenants(channel).waiting(depth, dueMillis);
    }

    /**
     * Writes what was counted, and removes what is old every now and then.
     *
     * @param storeNow reads the store's clock
     */
    public void round(LongSupplier storeNow) {
        lock.lock();
        try {
            flush(false);
            if (rounds++ % PURGED_EACH == FIRST_PURGE && purge(storeNow.getAsLong())) {
                rounds--;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes everything because the node ends. Does not wait for a store that does not answer: while a round is under way, or after one
     * that failed, nothing is written.
     */
    public void end() {
        if (!lock.tryLock()) {
            LOG.warn("The last counts of the history of activity are not written: the store has not answered yet.");
            return;
        }
        try {
            if (writeFailed) {
                LOG.warn("The last counts of the history of activity are not written: the last write failed.");
            } else {
                flush(true);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes what was counted since the last time, which belongs to the middle of the time since then.
     *
     * @param all also what need not be written yet
     */
    public void flush(boolean all) {
        lock.lock();
        try {
            writeFailed = true;
            write(all);
            writeFailed = false;
        } finally {
            lock.unlock();
        }
    }

    private void write(boolean all) {
        long now = time.millis();
        long middle = lastFlush < now ? lastFlush + (now - lastFlush) / 2 : now;
        lastFlush = now;
        Map<ActivityCells.CellKey, ActivityCounts> counted = cells.take();
        buckets.add(middle, counted);
        List<ActivityRow> rows = buckets.due(now, all);
        for (int from = 0; from < rows.size(); from += ROWS_AT_ONCE) {
            write(rows.subList(from, Math.min(rows.size(), from + ROWS_AT_ONCE)));
        }
        buckets.written(now, all);
    }

    /** A row that the database refuses, such as a name that its encoding does not have, is left out; the others are written. */
    private void write(List<ActivityRow> rows) {
        try {
            log.write(rows);
        } catch (SemelException.DataRefused e) {
            if (rows.size() > 1) {
                int half = rows.size() / 2;
                write(rows.subList(0, half));
                write(rows.subList(half, rows.size()));
            } else if (!warned) {
                warned = true;
                LOG.warn(
                        "The history of activity lacks the counts of {} for tenant \"{}\", and of others like it: rejected by the"
                                + " database.",
                        rows.get(0).operation(),
                        rows.get(0).tenant(),
                        e);
            }
        }
    }

    /**
     * Removes a little of what is older than it is to be kept.
     *
     * @param now the store's clock
     * @return whether there may be more
     */
    public boolean purge(long now) {
        boolean more = false;
        for (ActivityStep step : ActivityStep.values()) {
            more |= log.purge(step, now - step.keptMillis(), PURGED_AT_ONCE) == PURGED_AT_ONCE;
        }
        return more;
    }
}
