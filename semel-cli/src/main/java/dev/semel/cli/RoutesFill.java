package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator.Warrant;
import dev.semel.server.ServerSettings;
import dev.semel.server.config.Secrets;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.routing.FillPreview;
import dev.semel.server.routing.FillRequest;
import dev.semel.server.routing.RouteFills;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.time.TimeSource;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "fill",
        header = "Sends what came in before to the destination of a new route.",
        description = {
            "Audited. Sends what the route would have sent, in the order of each lane. What went to the destination before, by the"
                    + " route or an earlier fill, is not sent again. Only what the ledger still keeps can be sent; --preview says"
                    + " from when on.",
            "Add the route to the configuration of every node first.",
            "A fill is a job in the ledger, which this command runs. If it is interrupted, a running server continues the job, or use"
                    + " --resume. Pause the channel semel.fills to pause it.",
            "Exits with 1 when nothing matches, or messages are left."
        },
        mixinStandardHelpOptions = true)
final class RoutesFill implements Callable<Integer> {
    private final Secrets secrets;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ConfigOption config = new ConfigOption();

    @Option(names = "--store", paramLabel = "URL", description = "The store, in place of the one of the configuration.")
    private @Nullable String store;

    @Mixin
    private JsonOption json = new JsonOption();

    @Option(names = "--from", paramLabel = "NAME", description = "The source or topic where the route begins.")
    private @Nullable String from;

    @Option(names = "--to", paramLabel = "NAME", description = "The destination where the route ends.")
    private @Nullable String to;

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
        ServerConfig read = config.read(secrets);
        if (how.job != null) {
            return resume(read, how.job);
        }
        FillPreview preview;
        try (Engine engine = Engine.withoutBackground(open(read))) {
            preview = fills(engine, read).preview(request());
        }
        if (how.preview) {
            tell(facts(preview), screen -> print(screen, preview));
            return Exit.OK.code();
        }
        WarrantOption given = Objects.requireNonNull(how.warrant);
        Warrant warrant = new Warrant(given.actor(false), given.reason());
        if (preview.matched() == 0) {
            throw new CheckFailed(
                    "Nothing is left to send from " + preview.request().from() + " to "
                            + preview.request().to() + ": nothing was changed. " + kept(preview));
        }
        if (preview.matched() > 1 && !yes) {
            confirm(preview);
        }
        return begin(read, preview, warrant);
    }

    private FillRequest request() {
        if (from == null || to == null) {
            throw new SemelException.Invalid("Give the route by --from and --to.");
        }
        return new FillRequest(from, to, tenant, since == null ? null : TimeArguments.moment(since, Instant.now()));
    }

    private Store open(ServerConfig config) {
        return Stores.open(store == null ? config.store() : store, StoreProvider.Options.EXISTING);
    }

    private static RouteFills fills(Engine engine, ServerConfig config) {
        return new RouteFills(engine, config, TimeSource.system());
    }

    private int begin(ServerConfig config, FillPreview preview, Warrant warrant) throws InterruptedException {
        String job;
        try (Engine engine = Engine.withoutBackground(open(config))) {
            job = fills(engine, config).begin(preview, rate, warrant);
        }
        if (detach) {
            Map<String, Object> facts = facts(preview);
            facts.put("job", job);
            tell(
                    facts,
                    screen -> screen.line(job + " has started with " + counted(preview.matched())
                            + "; a running server executes it, or run 'semel routes fill --resume " + job + "'."));
            return Exit.OK.code();
        }
        return work(config, job);
    }

    private int resume(ServerConfig config, String job) throws InterruptedException {
        try (Engine engine = Engine.withoutBackground(open(config))) {
            RouteFills.FillProgress progress =
                    fills(engine, config).progress(job, 1).orElseThrow(() -> FillJob.absent(job));
            if (progress.newest().state() == State.FAILED_TERMINAL) {
                Warrant warrant = new Warrant(System.getProperty("user.name"), "resumed " + job);
                engine.operator().replay(progress.newest().id(), warrant);
            }
        }
        return work(config, job);
    }

    private int work(ServerConfig config, String job) throws InterruptedException {
        FillJob.FillResult ended;
        try (Engine engine = Engine.on(open(config), settings -> ServerSettings.apply(config, settings))) {
            RouteFills fills = fills(engine, config);
            fills.handle();
            ended = new FillJob(
                            fills, engine.operator(), job, spec.commandLine().getErr())
                    .await(json.chosen());
        }
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("job", job);
        facts.put("matched", ended.matched());
        facts.put("left", ended.left());
        String words = job + " finished: " + counted(ended.matched() - ended.left()) + " sent, " + ended.left()
                + " left." + (ended.left() == 0 ? "" : " Run the same fill again for the rest.");
        tell(facts, screen -> screen.line(words));
        return (ended.left() == 0 ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    private void confirm(FillPreview preview) {
        String what = counted(preview.matched());
        if (!Terminal.answers()) {
            throw new SemelException.Invalid(what
                    + " match, but confirmation needs a terminal: nothing was changed. Check with --preview, then add"
                    + " --yes.");
        }
        print(Screen.of(spec), preview);
        if (!Terminal.agrees("Send " + what + " to " + preview.request().to() + "?")) {
            throw new CheckFailed("Nothing was changed.");
        }
    }

    private static String counted(long count) {
        return Screen.counted(count, "message");
    }

    private static void print(Screen screen, FillPreview preview) {
        screen.line(counted(preview.matched()) + " would be sent from "
                + Screen.plain(preview.request().from()) + " to "
                + Screen.plain(preview.request().to()) + "; nothing was changed.");
        if (preview.already() > 0) {
            screen.line(counted(preview.already()) + " went there before and would not be sent again.");
        }
        screen.line(kept(preview));
    }

    private static String kept(FillPreview preview) {
        Instant oldest = preview.oldest();
        return oldest == null
                ? "The ledger keeps nothing that came in there."
                : "The oldest that the ledger keeps came in at " + Screen.moment(oldest.toEpochMilli())
                        + "; what came in before was purged and cannot be sent.";
    }

    private static Map<String, Object> facts(FillPreview preview) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("matched", preview.matched());
        facts.put("already", preview.already());
        facts.put("oldest", preview.oldest() == null ? null : preview.oldest().toString());
        return facts;
    }

    private void tell(Map<String, Object> facts, Consumer<Screen> words) {
        if (json.chosen()) {
            json.print(spec.commandLine().getOut(), facts);
        } else {
            words.accept(Screen.of(spec));
        }
    }
}
