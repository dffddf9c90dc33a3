package dev.semel.cli;

import dev.semel.operator.Operator;
import dev.semel.server.routing.RouteFills;
import dev.semel.server.routing.RouteFills.FillProgress;
import dev.semel.store.State;
import dev.semel.time.TimeSource;
import java.io.PrintWriter;
import java.time.Duration;

/** Waits for the end of a fill that this process runs. The job is in the ledger and continues on servers if this ends. */
final class FillJob {
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final int LOOKS_UNTIL_EXPLAINED = 60;

    private final RouteFills fills;
    private final Operator operator;
    private final String job;
    private final PrintWriter err;

    FillJob(RouteFills fills, Operator operator, String job, PrintWriter err) {
        this.fills = fills;
        this.operator = operator;
        this.job = job;
        this.err = err;
    }

    /**
     * @param matched how many there were to send when it began
     * @param left how many of them were not sent
     */
    record FillResult(long matched, long left) {}

    static CheckFailed absent(String job) {
        return new CheckFailed("Fill job " + job + " not found: it never existed or has been purged.");
    }

    /** @param silent whether to print no progress */
    FillResult await(boolean silent) throws InterruptedException {
        FillProgress now = look(1);
        long matched = now.matched();
        try (Progress bar = new Progress(err, Terminal.watches(), "message", matched)) {
            if (!silent) {
                bar.say(job
                        + " is running. If this is interrupted, a running server continues it, or: semel routes fill"
                        + " --resume " + job);
            }
            int idle = 0;
            while (!now.over()) {
                bar.at(now.sent());
                TimeSource.system().sleep(LOOK);
                FillProgress next = look(now.part());
                boolean same = next.part() == now.part()
                        && next.newest().state() == now.newest().state();
                idle = same ? idle + 1 : 0;
                now = next;
                if (idle == LOOKS_UNTIL_EXPLAINED && now.newest().state() != State.IN_PROGRESS) {
                    bar.say(operator.explain(now.newest()).sentence());
                }
            }
            bar.at(matched);
        }
        return new FillResult(
                matched, fills.left(job).orElseThrow(() -> absent(job)).matched());
    }

    private FillProgress look(int part) {
        FillProgress progress = fills.progress(job, part).orElseThrow(() -> absent(job));
        State state = progress.newest().state();
        if (state == State.FAILED_TERMINAL || state == State.DISCARDED || state == State.SHADOWED) {
            throw new CheckFailed("Part " + progress.part() + " of " + job + " is " + state + ". "
                    + operator.explain(progress.newest()).sentence()
                    + " Fix the cause, then run: semel routes fill --resume " + job);
        }
        return progress;
    }
}
