package dev.semel.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;

/** A progress bar that updates in place on a terminal, and prints nothing elsewhere. */
final class Progress implements AutoCloseable {
    private static final int WIDTH = 30;
    private static final long PACE = Duration.ofMillis(100).toNanos();
    private static final String CLEAR = "\r\u001b[K";

    private final PrintWriter err;
    private final boolean shown;
    private final String what;
    private final long total;
    private long drawnAt;
    private boolean drawn;

    /** @param total the amount of work; 0 when it is unknown */
    Progress(PrintWriter err, boolean shown, String what, long total) {
        this.err = err;
        this.shown = shown;
        this.what = what;
        this.total = total;
    }

    void at(long done) {
        long now = System.nanoTime();
        if (shown && (!drawn || now - drawnAt >= PACE || done == total)) {
            err.print(CLEAR + (total > 0 ? bar(Math.min(done, total)) : Screen.counted(done, what)));
            err.flush();
            drawn = true;
            drawnAt = now;
        }
    }

    private String bar(long done) {
        int filled = (int) (WIDTH * done / total);
        return String.format(
                Locale.ROOT,
                "[%s%s] %3d %%  %,d of %s",
                "#".repeat(filled),
                "-".repeat(WIDTH - filled),
                100 * done / total,
                done,
                Screen.counted(total, what));
    }

    /** Prints a line; the bar continues below it. */
    void say(String line) {
        err.println((drawn ? CLEAR : "") + line);
        drawn = false;
    }

    /** Removes the bar. */
    @Override
    public void close() {
        if (drawn) {
            err.print(CLEAR);
            err.flush();
            drawn = false;
        }
    }
}
