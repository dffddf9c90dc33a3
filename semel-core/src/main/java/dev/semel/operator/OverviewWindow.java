package dev.semel.operator;

import dev.semel.store.ActivityLog.ActivityStep;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How far back an overview looks. */
public enum OverviewWindow {
    /** The last hour, in steps of half a minute. */
    HOUR(ActivityStep.SECONDS, Duration.ofSeconds(30), 120),
    /** The last day, in steps of ten minutes. */
    DAY(ActivityStep.MINUTES, Duration.ofMinutes(10), 144),
    /** The last week, in steps of an hour. */
    WEEK(ActivityStep.HOURS, Duration.ofHours(1), 168);

    private final ActivityStep source;
    private final Duration step;
    private final int points;

    OverviewWindow(ActivityStep source, Duration step, int points) {
        this.source = source;
        this.step = step;
        this.points = points;
    }

    /** As people write it: the name in lower case. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The window of this code; empty when there is none. */
    public static Optional<OverviewWindow> of(String code) {
        return Arrays.stream(values()).filter(each -> each.code().equals(code)).findFirst();
    }

    /** The rows of the history that it is made of. */
    ActivityStep source() {
        return source;
    }

    /** How long the time of one point is. */
    public Duration step() {
        return step;
    }

    /** How many points a series has. The last one is not over. */
    public int points() {
        return points;
    }

    /** When the first point begins; both in milliseconds since 1970. */
    long from(long now) {
        long millis = step.toMillis();
        return Math.floorDiv(now, millis) * millis - (points - 1) * millis;
    }
}
