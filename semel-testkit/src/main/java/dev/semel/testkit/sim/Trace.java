package dev.semel.testkit.sim;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/** Everything that was decided in a run, as a running hash; the newest lines are kept to be shown. */
final class Trace {
    private static final int KEPT = 2_000;

    private final Deque<String> lines = new ArrayDeque<>();
    private final boolean kept;
    private long hash = 0xcbf29ce484222325L;

    Trace(boolean kept) {
        this.kept = kept;
    }

    void add(long nanos, String who, String what) {
        mix(nanos);
        mix(who.hashCode());
        mix(what.hashCode());
        if (kept && !what.isEmpty()) {
            if (lines.size() == KEPT) {
                lines.removeFirst();
            }
            lines.addLast(String.format(Locale.ROOT, "%10.3f s  %-14s %s", nanos / 1e9, who, what));
        }
    }

    private void mix(long value) {
        hash = Long.rotateLeft(hash ^ value * 0x9E3779B97F4A7C15L, 27) * 0x100000001B3L + 0x52DCE729L;
    }

    long hash() {
        return hash;
    }

    List<String> lines() {
        return List.copyOf(lines);
    }
}
