package dev.semel.store;

/**
 * The number of records in a state.
 *
 * @param count up to the requested limit
 * @param since the earliest {@code at - keepMillis} among those counted: since when the oldest of them needs
 *     attention; {@link Status#NEVER} when there are none
 * @param now the store's time
 */
public record StateCount(long count, long since, long now) {
    /** How long the oldest has needed attention; zero when none has. */
    public long ageMillis() {
        return since == Status.NEVER ? 0 : Math.max(0, now - since);
    }
}
