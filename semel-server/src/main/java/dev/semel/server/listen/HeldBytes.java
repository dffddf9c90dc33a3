package dev.semel.server.listen;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The memory for bodies that arrive. When it is used up, the body that has been arriving for the longest time is given up: bodies of honest
 * clients arrive within moments. Thread-safe.
 */
final class HeldBytes {
    private final long most;
    private final Set<ArrivingBody> arriving = new LinkedHashSet<>();
    private long held;

    HeldBytes(long most) {
        this.most = most;
    }

    /** An eighth of the heap, but enough for the largest webhook. */
    static long usual() {
        return Math.max(Runtime.getRuntime().maxMemory() / 8, 24L << 20);
    }

    synchronized void begin(ArrivingBody body) {
        arriving.add(body);
    }

    /** It is complete, or given up. */
    synchronized void end(ArrivingBody body) {
        arriving.remove(body);
    }

    synchronized void release(long bytes) {
        held -= bytes;
    }

    /** Takes more memory for a body. Others may be given up for it; if that is not enough, false is returned. */
    boolean take(ArrivingBody body, int bytes) {
        while (true) {
            ArrivingBody oldest;
            synchronized (this) {
                if (held + bytes <= most) {
                    held += bytes;
                    return true;
                }
                oldest = oldestBut(body);
                if (oldest == null) {
                    return false;
                }
                arriving.remove(oldest);
            }
            oldest.giveUp("there is no memory left for it, and it has been arriving for the longest time");
        }
    }

    private @org.jspecify.annotations.Nullable ArrivingBody oldestBut(ArrivingBody body) {
        for (Iterator<ArrivingBody> each = arriving.iterator(); each.hasNext(); ) {
            ArrivingBody candidate = each.next();
            if (candidate != body) {
                return candidate;
            }
        }
        return null;
    }

    /** Gives up those that arrive too slowly. */
    void sweep(long now) {
        Set<ArrivingBody> all;
        synchronized (this) {
            all = new LinkedHashSet<>(arriving);
        }
        all.stream().filter(each -> each.isSlow(now)).forEach(each -> each.giveUp("it arrives too slowly"));
    }

    synchronized long held() {
        return held;
    }

    synchronized int arriving() {
        return arriving.size();
    }
}
