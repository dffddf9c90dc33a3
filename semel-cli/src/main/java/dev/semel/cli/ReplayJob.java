package dev.semel.cli;

import dev.semel.operator.Letters;
import dev.semel.operator.Operator;
import dev.semel.operator.Replays;
import dev.semel.store.State;
import dev.semel.time.TimeSource;
import java.io.PrintWriter;
import java.time.Duration;

/** A replay of many that is worked off while somebody waits. It goes on without them: what it has done is in the ledger. */
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
     * @param asked what it was about
     * @param left how many of them are as they were; -1 when it was only begun
     */
    record Ended(Letters.Preview asked, long left) {}

    /** So many of what is meant: "3 dead letters". */
    static String counted(Letters.Preview asked, long count) {
        return Screen.counted(count, asked.which().scope() == Letters.Scope.DEAD ? "dead letter" : "message");
    }

    /** @param silent whether a program reads along */
    Ended await(boolean silent) throws InterruptedException {
        Replays.Progress now = look(1);
        long total = now.asked().count();
        try (Progress bar = new Progress(err, Terminal.watches(), "message", total)) {
            if (!silent) {
                bar.say(job
                        + " is worked off here. If this is interrupted, any node goes on with it, or: semel dead replay"
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
        return new Ended(
                now.asked(), operator.letters().preview(now.asked().which()).count());
    }

    private Replays.Progress look(int part) {
        Replays.Progress progress = operator.replays()
                .progress(job, part)
                .orElseThrow(() -> new Refusal("There is no replay called " + job + ", or no more."));
        State state = progress.newest().state();
        if (state == State.FAILED_TERMINAL || state == State.DISCARDED || state == State.SHADOWED) {
            throw new Refusal("Part " + progress.part() + " of " + job + " is " + state + ". "
                    + operator.explain(progress.newest()).sentence()
                    + " When that is mended: semel dead replay --resume " + job);
        }
        return progress;
    }
}
