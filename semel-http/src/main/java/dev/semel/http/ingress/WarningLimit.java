package dev.semel.http.ingress;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Lets one warning of a kind through each minute, and counts the others, so that a flood of requests is no flood of warnings. */
final class WarningLimit {
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanos;
    private final Map<Object, Window> windows = new ConcurrentHashMap<>();

    /** @param withheld warnings since {@code since} that were not logged */
    private record Window(long since, long withheld, long told) {}

    WarningLimit(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** @return how many warnings of this kind were withheld since the last one; empty to withhold this one, too */
    OptionalLong next(Object kind) {
        long now = nanos.getAsLong();
        Window window = windows.compute(
                kind,
                (any, last) -> last == null
                        ? new Window(now, 0, 0)
                        : now - last.since >= MINUTE
                                ? new Window(now, 0, last.withheld)
                                : new Window(last.since, last.withheld + 1, -1));
        return window.told < 0 ? OptionalLong.empty() : OptionalLong.of(window.told);
    }
}
