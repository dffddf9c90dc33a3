package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.execution.ShadowSends;
import dev.semel.operator.Operator;
import dev.semel.operator.Operator.Warrant;
import dev.semel.operator.Replays;
import dev.semel.operator.UnresolvedMessages;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
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

    private Warrant warrant() {
        return Objects.requireNonNull(how.warrant).given();
    }

    private int one(String id) {
        Row row;
        boolean ofShadow;
        Replays.ReplayOutcome outcome;
        try (Store opened = ledger.open()) {
            Operator operator = Operator.on(opened);
            row = RecordOption.find(operator, id);
            ofShadow = ShadowSends.isOne(row);
            boolean neverDied = row.state() == State.QUEUED && row.failure() == null;
            boolean refused = neverDied || !Replays.mayReplay(row) && row.state() != State.QUEUED;
            if (how.preview && !refused) {
                ledger.screen()
                        .line("Would be replayed: " + operator.explain(row).sentence());
                return Exit.OK.code();
            }
            outcome = refused ? Replays.ReplayOutcome.REFUSED : operator.replay(row.id(), warrant());
            if (outcome == Replays.ReplayOutcome.REFUSED && ofShadow && row.state() == State.SHADOWED) {
                throw new CheckFailed(row.header().operation() + "/" + row.id().prefix() + " (tenant "
                        + row.header().tenant() + ") was not sent: its key was used meanwhile with another payload."
                        + " Nothing was changed. Compare the two with semel ops diff, then discard it.");
            }
            if (outcome == Replays.ReplayOutcome.REFUSED || outcome == Replays.ReplayOutcome.ABSENT) {
                throw Dead.refused("replayed", operator, row);
            }
        }
        if (ofShadow) {
            Dead.told(
                    ledger, row, outcome, "sent for real; the next free worker runs it.", "was already sent for real");
            return Exit.OK.code();
        }
        String done = row.line() == null
                ? "replayed; the next call with its key runs it."
                : "replayed; the next free worker runs it.";
        Dead.told(ledger, row, outcome, done, "was already replayed");
        return Exit.OK.code();
    }

    private int many() throws InterruptedException {
        Matching found;
        try (Store opened = ledger.open()) {
            UnresolvedMessages letters = Operator.on(opened).letters();
            UnresolvedMessages.Scope scope = unknown ? UnresolvedMessages.Scope.BOTH : UnresolvedMessages.Scope.DEAD;
            UnresolvedMessages.Preview preview = letters.preview(which.which(scope));
            found = new Matching(
                    preview,
                    preview.count() == 0 ? List.of() : letters.groups(preview.which()),
                    letters.preview(which.which(UnresolvedMessages.Scope.UNKNOWN))
                            .count());
        }
        UnresolvedMessages.Preview preview = found.preview();
        if (preview.count() == 0) {
            throw new CheckFailed("No dead letter matches: nothing was changed. "
                    + (found.unknown() == 0 ? "'semel dead groups' lists the existing ones." : found.leftOut()));
        }
        if (how.preview) {
            ledger.tell(found::facts, found::print);
            return Exit.OK.code();
        }
        Warrant why = warrant();
        if (preview.count() > 1 && !yes) {
            confirm(found);
        }
        String job = String.format(
                Locale.ROOT, "replay-%d-%04x", System.currentTimeMillis() / 1_000, new SecureRandom().nextInt(1 << 16));
        try (Engine engine = Engine.withoutBackground(ledger.open())) {
            engine.send(Replays.CHANNEL, Replays.begin(job, preview, rate, why));
        }
        if (detach) {
            told(job, found.counted(preview.count()), new ReplayJob.JobResult(preview, -1));
            return Exit.OK.code();
        }
        return work(job);
    }

    /**
     * The messages that a replay of many would include.
     *
     * @param unknown the number of matching messages with an unknown outcome, included or not
     */
    private record Matching(
            UnresolvedMessages.Preview preview, List<UnresolvedMessages.CauseGroup> groups, long unknown) {
        private boolean withUnknown() {
            return preview.which().scope() == UnresolvedMessages.Scope.BOTH && unknown > 0;
        }

        String counted(long count) {
            return ReplayJob.counted(preview, count);
        }

        String leftOut() {
            return Screen.counted(unknown, "matching message") + (unknown == 1 ? " has" : " have")
                    + " an unknown outcome: check the receiver, then add --unknown to replay "
                    + (unknown == 1 ? "it." : "them.");
        }

        String warning() {
            return String.format(Locale.ROOT, "%,d", unknown) + " of them may have taken effect already: replaying "
                    + (unknown == 1 ? "it" : "them") + " may repeat the effect.";
        }

        void print(Screen screen) {
            screen.line(counted(preview.count()) + " would be replayed; nothing was changed.");
            if (withUnknown()) {
                screen.line(warning());
            } else if (unknown > 0) {
                screen.line(leftOut());
            }
            Dead.print(screen, groups);
        }

        Map<String, Object> facts() {
            Map<String, Object> facts = new LinkedHashMap<>();
            facts.put("count", preview.count());
            facts.put("unknown", unknown);
            facts.put("groups", groups.stream().map(Dead::facts).toList());
            return facts;
        }
    }

    private void confirm(Matching found) {
        String what = found.counted(found.preview().count());
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
        try (Store opened = ledger.open()) {
            Operator operator = Operator.on(opened);
            Replays.Progress progress = operator.replays()
                    .progress(job, 1)
                    .orElseThrow(() -> new CheckFailed(
                            "Replay job " + job + " not found: it never existed or has been" + " purged."));
            if (progress.newest().state() == State.FAILED_TERMINAL) {
                operator.replay(progress.newest().id(), new Warrant(System.getProperty("user.name"), "resumed " + job));
            }
        }
        return work(job);
    }

    private int work(String job) throws InterruptedException {
        ReplayJob.JobResult ended;
        try (Engine engine = Engine.on(ledger.open(), settings -> {})) {
            ended = new ReplayJob(engine.operator(), job, ledger.err()).await(ledger.forPrograms());
        }
        told(job, ReplayJob.counted(ended.asked(), ended.asked().count() - ended.left()), ended);
        return (ended.left() == 0 ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    /** @param what the number of replayed messages, or of selected ones when the job was only started */
    private void told(String job, String what, ReplayJob.JobResult ended) {
        long matched = ended.asked().count();
        long left = ended.left();
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
