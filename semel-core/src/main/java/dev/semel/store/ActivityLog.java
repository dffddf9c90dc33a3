package dev.semel.store;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/**
 * What happened when, in counts: the history behind an overview. Each node adds up its own counts in memory and writes them every few
 * seconds. A row holds the whole count of its node for its time, so to write it again changes nothing, and a lost reply is no problem.
 */
public interface ActivityLog {
    /** In the place of a tenant's name: all tenants together. */
    String ALL_TENANTS = "";

    /** How long the time of a row is, and how long such rows are kept. The lengths are stored: never change them. */
    enum ActivityStep {
        /** For the last hour. */
        SECONDS(Duration.ofSeconds(10), Duration.ofHours(2)),
        /** For the last day. */
        MINUTES(Duration.ofMinutes(5), Duration.ofHours(36)),
        /** For the last week, and to compare it with the one before. */
        HOURS(Duration.ofHours(1), Duration.ofDays(35));

        private final long millis;
        private final long keptMillis;

        ActivityStep(Duration length, Duration kept) {
            this.millis = length.toMillis();
            this.keptMillis = kept.toMillis();
        }

        /** How long the time of a row is. */
        public long millis() {
            return millis;
        }

        /** How long a row is kept. */
        public long keptMillis() {
            return keptMillis;
        }

        /** When the time that this moment belongs to began; both in milliseconds since 1970. */
        public long began(long moment) {
            return Math.floorDiv(moment, millis) * millis;
        }
    }

    /** Writes all of them in one commit. A row of the same step, time, operation, tenant and node is replaced. */
    void write(List<ActivityRow> rows);

    /**
     * The rows of a tenant whose time began in this span, each operation and time once: summed over the nodes, with 0 as their node. In
     * the order of their times.
     *
     * @param tenant {@link #ALL_TENANTS} for the rows of all together
     * @param from in milliseconds since 1970
     * @param until exclusive
     */
    List<ActivityRow> read(ActivityStep step, String tenant, long from, long until);

    /** When the time of the oldest row of this step and tenant began; absent when there is none. */
    OptionalLong oldest(ActivityStep step, String tenant);

    /**
     * Removes rows of a step whose time began before a moment, so many at most.
     *
     * @return how many were removed
     */
    int purge(ActivityStep step, long before, int limit);
}
