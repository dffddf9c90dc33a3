package dev.semel.store;

/**
 * What one node counted of an operation in one span of time.
 *
 * @param began in milliseconds since 1970, by the clock of the node
 * @param tenant {@link ActivityLog#ALL_TENANTS} for all together
 * @param node a number that no other node and no earlier process has; 0 when rows of several are summed
 */
public record ActivityRow(
        ActivityLog.ActivityStep step, long began, String tenant, String operation, long node, ActivityCounts counts) {

    boolean isAboutSameAs(ActivityRow other) {
        return began == other.began && operation.equals(other.operation);
    }
}
