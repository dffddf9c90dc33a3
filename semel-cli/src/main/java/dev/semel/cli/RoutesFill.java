package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.server.config.Secrets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "fill",
        header = "Sends what came in before to the destination of a new route.",
        description = {
            "Audited. Sends what the route would have sent, in the order of each lane. What went to the destination before, by the"
                    + " route or an earlier fill, is not sent again. Only what the ledger still keeps can be sent; --preview says"
                    + " from when on.",
            "Add the route to the configuration of every node first. With --url the server uses its own; otherwise give the file, whose"
                    + " store is taken where none is given.",
            "A fill is a job in the ledger, which this command runs. If it is interrupted, a running server continues the job, or use"
                    + " --resume. Pause the channel semel.fills to pause it.",
            "Exits with 1 when nothing matches, or messages are left."
        },
        mixinStandardHelpOptions = true)
final class RoutesFill implements Callable<Integer> {
    private final Secrets secrets;

    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Mixin
    private ConfigOption config = new ConfigOption();

    @Option(names = "--from", paramLabel = "NAME", description = "The source or topic where the route begins.")
    private String from = "";

    @Option(names = "--to", paramLabel = "NAME", description = "The destination where the route ends.")
    private String to = "";

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Only what came in since then: a time, a day, or a duration before now such as 7d.")
    private @Nullable String since;

    @Option(names = "--tenant", paramLabel = "NAME", description = "Only of this tenant.")
    private @Nullable String tenant;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "0",
            description = "Maximum messages per second; by default unlimited.")
    private int rate;

    @Option(
            names = "--yes",
            description = "Do not ask for confirmation. Required for more than one message without a terminal.")
    private boolean yes;

    @Option(names = "--detach", description = "Only start the job; running servers execute it.")
    private boolean detach;

    @ArgGroup(multiplicity = "1")
    private FillAction how = new FillAction();

    /** Preview, resume, or begin. */
    static final class FillAction {
        @Option(names = "--preview", description = "Only show how many messages would be sent.")
        private boolean preview;

        @Option(names = "--resume", paramLabel = "JOB", description = "Resume an interrupted fill.")
        private @Nullable String job;

        @ArgGroup(exclusive = false)
        private @Nullable WarrantOption warrant;
    }

    RoutesFill() {
        this(Secrets.ofProcess());
    }

    RoutesFill(Secrets secrets) {
        this.secrets = secrets;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (rate < 0) {
            throw new SemelException.Invalid("--rate " + rate + " is invalid. Use 1 or more.");
        }
        if (how.job != null) {
            return resume(how.job);
        }
        CommandInput which = which();
        Facts preview;
        try (OperatedLedger opened = open(null)) {
            preview = opened.get("/admin/routes/fills/preview", which);
        }
        if (how.preview) {
            ledger.tell(() -> facts(preview), screen -> print(screen, preview));
            return Exit.OK.code();
        }
        if (preview.number("matched") == 0) {
            throw new CheckFailed("Nothing is left to send from " + Screen.plain(from) + " to " + Screen.plain(to)
                    + ": nothing was changed. " + kept(preview));
        }
        WarrantOption why = Objects.requireNonNull(how.warrant);
        if (preview.number("matched") > 1 && !yes) {
            confirm(preview);
        }
        return begin(which, preview, why);
    }

    private CommandInput which() {
        if (from.isEmpty() || to.isEmpty()) {
            throw new SemelException.Invalid("Give the route by --from and --to.");
        }
        return CommandInput.of("from", from)
                .with("to", to)
                .with("tenant", tenant)
                .with(
                        "since",
                        since == null
                                ? null
                                : TimeArguments.moment(since, Instant.now()).toString());
    }

    private OperatedLedger open(@Nullable WarrantOption why) {
        return ledger.open(() -> config.read(secrets), why);
    }

    private int begin(CommandInput which, Facts preview, WarrantOption why) throws InterruptedException {
        Facts started;
        try (OperatedLedger opened = open(why)) {
            started = opened.post(
                    "/admin/routes/fills", which.with("reason", why.reason()).with("rate", rate));
        }
        String job = started.text("job");
        if (detach) {
            Map<String, Object> facts = facts(preview);
            facts.put("job", job);
            ledger.tell(
                    () -> facts,
                    screen -> screen.line(job + " has started with " + counted(started.number("matched"))
                            + "; a running server executes it, or run 'semel routes fill --resume " + job + "'."));
            return Exit.OK.code();
        }
        return work(job);
    }

    private int resume(String job) throws InterruptedException {
        try (OperatedLedger opened = open(null)) {
            opened.post(FillJob.path(job) + "/resume", CommandInput.of("reason", "resumed " + job));
        }
        return work(job);
    }

    private int work(String job) throws InterruptedException {
        Facts ended;
        try (OperatedLedger opened = open(null)) {
            ended = new FillJob(opened, job, ledger.err()).await(ledger.forPrograms());
        }
        long matched = ended.number("matched");
        long left = ended.number("left");
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("job", job);
        facts.put("matched", matched);
        facts.put("left", left);
        String words = job + " finished: " + counted(matched - left) + " sent, " + left + " left."
                + (left == 0 ? "" : " Run the same fill again for the rest.");
        ledger.tell(() -> facts, screen -> screen.line(words));
        return (left == 0 ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    private void confirm(Facts preview) {
        String what = counted(preview.number("matched"));
        if (!Terminal.answers()) {
            throw new SemelException.Invalid(what
                    + " match, but confirmation needs a terminal: nothing was changed. Check with --preview, then add"
                    + " --yes.");
        }
        print(ledger.screen(), preview);
        if (!Terminal.agrees("Send " + what + " to " + Screen.plain(to) + "?")) {
            throw new CheckFailed("Nothing was changed.");
        }
    }

    private static String counted(long count) {
        return Screen.counted(count, "message");
    }

    private void print(Screen screen, Facts preview) {
        screen.line(counted(preview.number("matched")) + " would be sent from " + Screen.plain(from) + " to "
                + Screen.plain(to) + "; nothing was changed.");
        if (preview.number("already") > 0) {
            screen.line(counted(preview.number("already")) + " went there before and would not be sent again.");
        }
        screen.line(kept(preview));
    }

    private static String kept(Facts preview) {
        return preview.has("oldest")
                ? "The oldest that the ledger keeps came in at " + Screen.moment(preview.time("oldest"))
                        + "; what came in before was purged and cannot be sent."
                : "The ledger keeps nothing that came in there.";
    }

    private static Map<String, Object> facts(Facts preview) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("matched", preview.number("matched"));
        facts.put("already", preview.number("already"));
        facts.put("oldest", preview.find("oldest"));
        return facts;
    }
}
