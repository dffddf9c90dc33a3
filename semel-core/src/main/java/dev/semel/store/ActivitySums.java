package dev.semel.store;

import java.util.ArrayList;
import java.util.List;

/**
 * Sums rows of one step and tenant over their nodes while they are read, so that no more is held than a row for each time and operation,
 * however many nodes there are. Rows of the same time and operation follow each other. For one thread.
 */
public final class ActivitySums {
    private final List<ActivityRow> sums = new ArrayList<>();

    public ActivitySums() {}

    /** Adds a row to the sum of its time and operation, whatever its node. */
    public void add(ActivityRow row) {
        int last = sums.size() - 1;
        if (last >= 0 && sums.get(last).isAboutSameAs(row)) {
            sums.set(last, withCounts(row, sums.get(last).counts().plus(row.counts())));
        } else {
            sums.add(withCounts(row, row.counts()));
        }
    }

    private static ActivityRow withCounts(ActivityRow row, ActivityCounts counts) {
        return new ActivityRow(row.step(), row.began(), row.tenant(), row.operation(), 0, counts);
    }

    /** In the order in which they were added. */
    public List<ActivityRow> rows() {
        return List.copyOf(sums);
    }
}
