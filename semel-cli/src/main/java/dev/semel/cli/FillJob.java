package dev.semel.cli;

import dev.semel.store.State;
import dev.semel.time.TimeSource;
import java.io.PrintWriter;
import java.time.Duration;

/** Runs a fill and waits for its end. The job is in the ledger and continues on servers if this ends. */
final class FillJob {
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final int LOOKS_UNTIL_EXPLAINED = 60;

    private final OperatedLedger ledger;
    private final String job;
    private final PrintWriter err;

    FillJob(OperatedLedger ledger, String job, PrintWriter err) {
        this.ledger = ledger;
        this.job = job;
        this.err = err;
    }

    /** @throws CheckFailed when no job can have this name */
    static String path(String job) {
        if (!job.matches("[A-Za-z0-9._-]{1,100}")) {
            throw new CheckFailed("Fill job " + Screen.plain(job) + " not found: it never existed or has been purged.");
        }
        return "/admin/routes/fills/" + job;
    }

    /**
     * The progress at its end.
     *
     * @param silent whether to print no progress
     */
    Facts await(boolean silent) throws InterruptedException {
        Facts now = look();
        OperatedLedger.JobWorkers workers = ledger.runJobs();
        try {
            return await(now, silent);
        } finally {
            workers.stop();
        }
    }

    private Facts await(Facts first, boolean silent) throws InterruptedException {
        Facts now = first;
        long matched = now.number("matched");
        try (Progress bar = new Progress(err, Terminal.watches(), "message", matched)) {
            if (!silent) {
                bar.say(job
                        + " is running. If this is interrupted, a running server continues it, or: semel routes fill"
                        + " --resume " + job);
            }
            int idle = 0;
            while (!now.flag("over")) {
                bar.at(now.number("done"));
                TimeSource.system().sleep(LOOK);
                Facts next = look();
                boolean same = next.number("part") == now.number("part")
                        && next.text("state").equals(now.text("state"));
                idle = same ? idle + 1 : 0;
                now = next;
                if (idle == LOOKS_UNTIL_EXPLAINED && RecordFacts.state(now) != State.IN_PROGRESS) {
                    bar.say(Screen.plain(now.text("sentence")));
                }
            }
            bar.at(matched);
        }
        return now;
    }

    private Facts look() {
        Facts progress = ledger.get(path(job), CommandInput.none());
        State state = RecordFacts.state(progress);
        if (state == State.FAILED_TERMINAL || state == State.DISCARDED || state == State.SHADOWED) {
            throw new CheckFailed("Part " + progress.number("part") + " of " + job + " is " + state + ". "
                    + Screen.plain(progress.text("sentence"))
                    + " Fix the cause, then run: semel routes fill --resume " + job);
        }
        return progress;
    }
}
