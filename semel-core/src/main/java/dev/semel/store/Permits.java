package dev.semel.store;

/**
 * Permits that all nodes on a store share: how often something may begin. A bucket is one number, the time until which its permits are
 * used; permits come back as time passes. Nobody gives any back, so a node that dies loses what it had taken and not used.
 */
public interface Permits {
    /** At most so many times its burst can a bucket be overdrawn; so a limit that is raised takes effect soon. */
    int MOST_OVERDRAWN = 16;

    /**
     * Takes permits in one atomic write, by the store's clock. A bucket that is absent is full. If the reply is lost, the permits may
     * have been taken, and nobody uses them: a limit is never exceeded for that.
     */
    Taken take(Take take);

    /**
     * Removes the buckets that are full again: they count as full when they are absent.
     *
     * @return how many
     */
    int removeFull();

    /**
     * What to take.
     *
     * @param operation whose permits
     * @param tenant for which tenant; empty for all together
     * @param stepNanos after which the next permit comes; positive
     * @param burst how many permits a full bucket has; positive
     * @param wanted how many to take at most
     * @param anyway whether all of them are taken even if there are fewer: the bucket is overdrawn
     */
    record Take(String operation, String tenant, long stepNanos, int burst, int wanted, boolean anyway) {
        /** The nanoseconds that a full bucket is worth. */
        public long roomNanos() {
            return stepNanos * burst;
        }

        /**
         * The same rule for stores that work it out in Java.
         *
         * @param usedUntil the bucket's number
         * @param now the store's clock; both in nanoseconds since 1970
         */
        public Taken from(long usedUntil, long now) {
            long used = Math.min(Math.max(0, usedUntil - now), MOST_OVERDRAWN * roomNanos());
            long free = Math.max(0, roomNanos() - used) / stepNanos;
            int given = anyway ? wanted : (int) Math.min(wanted, free);
            return taken(given, now + used + given * stepNanos, now);
        }

        /**
         * @param given how many were taken
         * @param usedUntil the bucket's number after that
         * @param now the store's clock; both in nanoseconds since 1970
         */
        public Taken taken(int given, long usedUntil, long now) {
            return new Taken(given, usedUntil, Math.max(0, usedUntil - now + stepNanos - roomNanos()));
        }
    }

    /**
     * @param permits how many were taken
     * @param usedUntil the bucket's number after that, in nanoseconds since 1970
     * @param waitNanos when the next permit is there if nobody else takes it; zero when it is there now
     */
    record Taken(int permits, long usedUntil, long waitNanos) {}
}
