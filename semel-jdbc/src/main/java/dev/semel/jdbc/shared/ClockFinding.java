package dev.semel.jdbc.shared;

import dev.semel.store.Inspection.CheckedSetting;
import dev.semel.store.Inspection.Guarantee;
import java.time.Duration;

/** The finding of {@code doctor} about the difference between the store's time and the wall clock. */
public final class ClockFinding {
    private static final Duration MUCH = Duration.ofMinutes(1);

    private ClockFinding() {}

    /** @param ahead what is added to the wall clock to get the store's time, in milliseconds */
    public static CheckedSetting of(long ahead) {
        Duration difference = Duration.ofMillis(Math.abs(ahead));
        String told = ahead == 0
                ? "as the wall clock"
                : difference + (ahead > 0 ? " ahead of the wall clock" : " behind the wall clock");
        return new CheckedSetting(
                "store time",
                told,
                Guarantee.A,
                difference.compareTo(MUCH) < 0
                        ? null
                        : "The wall clock was set while nodes were running. The store's time went on, so no lease, retry or"
                                + " retention jumped, and it comes back by a hundredth of the time that passes. See that the"
                                + " clock is right and kept so (NTP).");
    }
}
