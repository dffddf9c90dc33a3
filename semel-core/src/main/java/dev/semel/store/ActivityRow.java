package dev.semel.store;

import java.util.ArrayList;
import java.util.List;

/**
 * What one node counted of an operation in one span of time.
 *
 * @param began in milliseconds since 1970, by the clock of the node
 * @param tenant {@link ActivityLog#ALL_TENANTS} for all together
 * @param node a number that no other node and no earlier process has; 0 when rows of several are summed
 */
public record ActivityRow(
        ActivityLog.ActivityStep step, long began, String tenant, String operation, long node, ActivityCounts counts) {

    private boolean isAboutSameAs(ActivityRow other) {
        return began == other.began && operation.equals(other.operation);
    }

    /** Sums rows of one step and tenant over their nodes; those of the same time and operation follow each other. */
    public static List<ActivityRow> summed(List<ActivityRow> rows) {
        List<ActivityRow> sums = new ArrayList<>();
        for (int i = 0, next; i < rows.size(); i = next) {
            ActivityRow first = rows.get(i);
            ActivityCounts sum = first.counts;
            for (next = i + 1; next < rows.size() && rows.get(next).isAboutSameAs(first); next++) {
                sum = sum.plus(rows.get(next).counts);
            }
            sums.add(new ActivityRow(first.step, first.began, first.tenant, first.operation, 0, sum));
        }
        return sums;
    }
}
