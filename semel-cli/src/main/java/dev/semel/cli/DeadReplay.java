package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.store.State;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "replay",
        header = "Replays dead letters: one, or all that match.",
        description = {
            "Audited. A record that is replayed twice or concurrently runs once. A record that fails again is not"
                    + " replayed again by the same command.",
            "A replay of many records is a job in the ledger, which this command runs. If it is interrupted, a running"
                    + " node continues the job, or use --resume. Pause the channel semel.replays to pause it.",
            "Messages with an unknown outcome (UNKNOWN) may have taken effect: a replay of many includes them only with"
                    + " --unknown.",
            "Exits with 1 when nothing matches, messages are left, or the state of the record does not allow it."
        },
        mixinStandardHelpOptions = true)
final class DeadReplay implements Callable<Integer> {
    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Parameters(arity = "0..1", paramLabel = "ID", description = "One record: its id, or its first digits.")
    private @Nullable String digits;

    @Mixin
    private DeadOption which = new DeadOption();

    @Option(names = "--all", description = "All dead letters.")
    private boolean all;

    @Option(
            names = "--unknown",
            description = "Also matching messages with an unknown outcome: their effects may be repeated.")
    private boolean unknown;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "0",
            description = "Maximum replays per second; by default unlimited.")
    private int rate;

    @Option(
            names = "--yes",
            description = "Do not ask for confirmation. Required for more than one message without a" + " terminal.")
    private boolean yes;

    @Option(names = "--detach", description = "Only start the job; running nodes execute it.")
    private boolean detach;

    @ArgGroup(multiplicity = "1")
    private ReplayAction how = new ReplayAction();

    /** Preview or resume. */
    static final class ReplayAction {
        @Option(names = "--preview", description = "Only show how many messages match, and why they failed.")
        private boolean preview;

        @Option(names = "--resume", paramLabel = "JOB", description = "Resume an interrupted replay.")
        private @Nullable String job;

        @ArgGroup(exclusive = false)
        private @Nullable WarrantOption warrant;
    }

    @Override
    public Integer call() throws InterruptedException {
        boolean many = all || !which.isEmpty();
        int meant = (digits == null ? 0 : 1) + (many ? 1 : 0) + (how.job == null ? 0 : 1);
        if (meant != 1) {
            throw new SemelException.Invalid("Nothing selected for replay: give the id of one record, or select many"
                    + " with --operation, --tenant, --category, --exception or --all, or resume a job with --resume.");
        }
        if (rate < 0) {
            throw new SemelException.Invalid("--rate " + rate + " is invalid. Use 1 or more.");
        }
        if (how.job != null) {
            return resume(how.job);
        }
        if (digits != null) {
            return one(digits);
        }
        return many();
    }

    private WarrantOption warrant() {
        return Objects.requireNonNull(how.warrant);
    }

    private int one(String id) {
        if (how.preview) {
            Facts explanation;
            try (OperatedLedger opened = ledger.open()) {
                Facts record = opened.get(RecordOption.path(id), CommandInput.none());
                demandReplayable(record);
                explanation = record.object("explanation");
            }
            ledger.screen().line("Would be replayed: " + Screen.plain(explanation.text("sentence")));
            return Exit.OK.code();
        }
        WarrantOption why = warrant();
        Facts done;
        try (OperatedLedger opened = ledger.open(why)) {
            done = opened.post(RecordOption.path(id) + "/replay", CommandInput.of("reason", why.reason()));
        }
        Dead.told(ledger, done);
        return Exit.OK.code();
    }

    /** What a replay would refuse, a preview does not promise. */
    private static void demandReplayable(Facts record) {
        State state = RecordFacts.state(record);
        boolean waits = state == State.QUEUED && !record.has("failure");
        boolean refused = waits
                || state == State.IN_PROGRESS
                || state == State.COMPLETED
                || state == State.FAILED_RETRYABLE && record.has("line");
        if (refused) {
            throw new CheckFailed(record.text("operation") + "/" + RecordFacts.prefix(record) + " (tenant "
                    + record.text("tenant") + ") is " + state + " and cannot be replayed: nothing was changed. "
                    + Screen.plain(record.object("explanation").text("sentence")));
        }
    }

    private int many() throws InterruptedException {
        Matching found;
        try (OperatedLedger opened = ledger.open()) {
            Facts preview = opened.get("/admin/dead/preview", which.input().with("unknown", unknown));
            found = new Matching(preview, unknown);
        }
        if (found.count() == 0) {
            throw new CheckFailed("No dead letter matches: nothing was changed. "
                    + (found.unknown() == 0 ? "'semel dead groups' lists the existing ones." : found.leftOut()));
        }
        if (how.preview) {
            ledger.tell(() -> found.preview.members(), found::print);
            return Exit.OK.code();
        }
        WarrantOption why = warrant();
        if (found.count() > 1 && !yes) {
            confirm(found);
        }
        Facts started;
        try (OperatedLedger opened = ledger.open(why)) {
            started = opened.post(
                    "/admin/dead/replays",
                    which.input()
                            .with("reason", why.reason())
                            .with("all", all ? true : null)
                            .with("unknown", unknown)
                            .with("rate", rate));
        }
        String job = started.text("job");
        if (detach) {
            told(job, found.counted(started.number("matched")), started.number("matched"), -1);
            return Exit.OK.code();
        }
        return work(job);
    }

    /**
     * The messages that a replay of many would include.
     *
     * @param included whether those with an unknown outcome are among them
     */
    private record Matching(Facts preview, boolean included) {
        long count() {
            return preview.number("count");
        }

        /** The number of matching messages with an unknown outcome, included or not. */
        long unknown() {
            return preview.number("unknown");
        }

        String counted(long count) {
            return ReplayJob.counted(included, count);
        }

        String leftOut() {
            return Screen.counted(unknown(), "matching message") + (unknown() == 1 ? " has" : " have")
                    + " an unknown outcome: check the receiver, then add --unknown to replay "
                    + (unknown() == 1 ? "it." : "them.");
        }

        String warning() {
            return String.format(Locale.ROOT, "%,d", unknown()) + " of them may have taken effect already: replaying "
                    + (unknown() == 1 ? "it" : "them") + " may repeat the effect.";
        }

        void print(Screen screen) {
            screen.line(counted(count()) + " would be replayed; nothing was changed.");
            if (included && unknown() > 0) {
                screen.line(warning());
            } else if (unknown() > 0) {
                screen.line(leftOut());
            }
            Dead.print(screen, preview.list("groups"));
        }
    }

    private void confirm(Matching found) {
        String what = found.counted(found.count());
        if (!Terminal.answers()) {
            throw new SemelException.Invalid(
                    what + " match, but confirmation needs a terminal: nothing was changed. Check with --preview, then"
                            + " add --yes.");
        }
        found.print(ledger.screen());
        if (!Terminal.agrees("Replay " + what + "?")) {
            throw new CheckFailed("Nothing was changed.");
        }
    }

    private int resume(String job) throws InterruptedException {
        try (OperatedLedger opened = ledger.open()) {
            opened.post(ReplayJob.path(job) + "/resume", CommandInput.of("reason", "resumed " + job));
        }
        return work(job);
    }

    private int work(String job) throws InterruptedException {
        Facts ended;
        try (OperatedLedger opened = ledger.open()) {
            ended = new ReplayJob(opened, job, ledger.err()).await(ledger.forPrograms());
        }
        long left = ended.number("left");
        long matched = ended.number("matched");
        told(job, ReplayJob.counted(ended.flag("with_unknown"), matched - left), matched, left);
        return (left == 0 ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    /**
     * @param what the number of replayed messages, or of selected ones when the job was only started
     * @param left -1 when the job was only started
     */
    private void told(String job, String what, long matched, long left) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("job", job);
        facts.put("matched", matched);
        facts.put("over", left >= 0);
        facts.put("left", left < 0 ? matched : left);
        String begun = job + " has started with " + what
                + "; a running node executes it, or run 'semel dead replay --resume " + job + "'.";
        String over = job + " finished: " + what + " replayed, " + left + " left."
                + (left == 0
                        ? ""
                        : " The remaining messages were locked by another transaction or have changed: retry the"
                                + " command.");
        ledger.tell(() -> facts, screen -> screen.line(left < 0 ? begun : over));
    }
}
