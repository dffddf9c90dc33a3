package dev.semel.cli;

import dev.semel.operator.Operator;
import dev.semel.operator.Replays;
import dev.semel.operator.UnresolvedMessages;
import dev.semel.store.State;
import dev.semel.time.TimeSource;
import java.io.PrintWriter;
import java.time.Duration;

/** Runs a replay job and waits for its end. The job is in the ledger and continues on other nodes if this ends. */
final class ReplayJob {
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final int LOOKS_UNTIL_EXPLAINED = 60;

    private final Operator operator;
    private final String job;
    private final PrintWriter err;

    ReplayJob(Operator operator, String job, PrintWriter err) {
        this.operator = operator;
        this.job = job;
        this.err = err;
    }

    /**
     * @param asked the selection
     * @param left the number of messages that were not replayed; -1 when the job was only started
     */
    record JobResult(UnresolvedMessages.Preview asked, long left) {}

    /** A count with its noun: "3 dead letters". */
    static String counted(UnresolvedMessages.Preview asked, long count) {
        return Screen.counted(
                count, asked.which().scope() == UnresolvedMessages.Scope.DEAD ? "dead letter" : "message");
    }

    /** @param silent whether to print no progress */
    JobResult await(boolean silent) throws InterruptedException {
        Replays.Progress now = look(1);
        long total = now.asked().count();
        try (Progress bar = new Progress(err, Terminal.watches(), "message", total)) {
            if (!silent) {
                bar.say(job
                        + " is running. If this is interrupted, a running node continues it, or: semel dead replay"
                        + " --resume " + job);
            }
            if (now.newest().state() == State.IN_PROGRESS && !silent) {
                bar.say(operator.explain(now.newest()).sentence());
            }
            int idle = 0;
            while (!now.over()) {
                bar.at(now.done());
                TimeSource.system().sleep(LOOK);
                Replays.Progress next = look(now.part());
                idle = next.part() == now.part()
                                && next.newest().state() == now.newest().state()
                        ? idle + 1
                        : 0;
                now = next;
                if (idle == LOOKS_UNTIL_EXPLAINED && now.newest().state() != State.IN_PROGRESS) {
                    bar.say(operator.explain(now.newest()).sentence());
                }
            }
            bar.at(total);
        }
        return new JobResult(
                now.asked(), operator.letters().preview(now.asked().which()).count());
    }

    private Replays.Progress look(int part) {
        Replays.Progress progress = operator.replays()
                .progress(job, part)
                .orElseThrow(() ->
                        new CheckFailed("Replay job " + job + " not found: it never existed or has been" + " purged."));
        State state = progress.newest().state();
        if (state == State.FAILED_TERMINAL || state == State.DISCARDED || state == State.SHADOWED) {
            throw new CheckFailed("Part " + progress.part() + " of " + job + " is " + state + ". "
                    + operator.explain(progress.newest()).sentence()
                    + " Fix the cause, then run: semel dead replay --resume " + job);
        }
        return progress;
    }
}
