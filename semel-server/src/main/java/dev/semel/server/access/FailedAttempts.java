package dev.semel.server.access;

import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts failed authentications by remote address, in a window that begins with the first. Addresses that failed longest ago are
 * forgotten when there are too many. Valid tokens are not affected, so that one client with an old token does not lock out others
 * behind the same proxy. Thread-safe.
 */
public final class FailedAttempts {
    /** Failures of one address in a window. */
    public static final int ALLOWED = 20;

    static final Duration WINDOW = Duration.ofMinutes(1);
    static final int MOST_ADDRESSES = 10_000;

    private final TimeSource time;
    private final Map<String, Window> windows = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Window> eldest) {
            return size() > MOST_ADDRESSES;
        }
    };

    private record Window(long began, int failures) {}

    public FailedAttempts(TimeSource time) {
        this.time = time;
    }

    /** Counts one more. Returns how long to wait when there were too many; null otherwise. */
    public synchronized @Nullable Duration count(String address) {
        String network = ClientNetwork.of(address);
        long now = time.nanos();
        Window last = windows.remove(network);
        boolean over = last == null || now - last.began >= WINDOW.toNanos();
        Window next = over ? new Window(now, 1) : new Window(last.began, Math.min(last.failures + 1, ALLOWED + 1));
        windows.put(network, next);
        return next.failures <= ALLOWED ? null : WINDOW.minusNanos(now - next.began);
    }

    synchronized int addresses() {
        return windows.size();
    }
}
