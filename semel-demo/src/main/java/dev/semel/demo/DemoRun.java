package dev.semel.demo;

import dev.semel.SemelException;
import dev.semel.demo.ChildProcess.Role;
import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Rule;
import dev.semel.time.TimeSource;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One run of the demo from its start to its score. Used by one thread; any thread may stop it. */
final class DemoRun implements Crew.Listener {
    private static final Duration TICK = Duration.ofMillis(100);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    /** So long nothing may happen before the end stops waiting. */
    private static final long SETTLING = 45 * SECOND;

    /** So long after its time the run waits for a kill and a delivery after it. */
    private static final long GRACE = 60 * SECOND;

    /** While more webhooks wait than this, no new ones are sent: the backlog would grow without end where processes start slowly. */
    private static final long MOST_WAITING = 60;

    private static final long SETTLING_BY_HAND = 5 * SECOND;
    private static final int CUSTOMERS = 6;
    private static final int PACE_MILLIS = 120;

    /** One in so many kills hits the sender. */
    private static final int SENDERS_TURN = 3;

    private static final String SEMEL = "semel";
    private static final String BY_HAND = "by-hand";

    /** What the demo sets out to show. */
    private static final Set<Rule> NEEDED = EnumSet.of(Rule.R1, Rule.R2, Rule.R3, Rule.R4, Rule.R7, Rule.R10);

    private static final int SHOWN_VIOLATIONS = 5;

    /**
     * @param run part of every id, so that demos on one ledger are told apart
     * @param length null for a run until it is stopped
     * @param handwritten whether the same webhooks also go through a receiver without Semel
     * @param bank how the bank works
     */
    record Plan(
            String run, String store, int workers, @Nullable Duration length, boolean handwritten, Bank.Rules bank) {}

    private final Plan plan;
    private final Path directory;
    private final DemoScreen screen;
    private final RandomGenerator random;
    private final TimeSource time = TimeSource.system();
    private final TimeSource.Gate stop = time.gate();
    private final ShopSignature signature;
    private final Bank bank;
    private final Map<String, DeliveryLog> logs = new HashMap<>();
    private final Map<String, URI> banks = new HashMap<>();
    private final Map<String, URI> receivers = new HashMap<>();
    private final Map<ChildProcess, Map<String, SentCall>> calls = new HashMap<>();
    private final Crew crew;
    private boolean finishing;
    private boolean holding;
    private long begun;
    private long bookedAtKill;
    private long shownOnPage;
    private int turns;

    /** A call of the sender that has no end yet. */
    private record SentCall(ShopEvent event, long call) {}

    DemoRun(Plan plan, Path directory, DemoScreen screen, RandomGenerator random) {
        this.plan = plan;
        this.directory = directory;
        this.screen = screen;
        this.random = random;
        this.signature = ShopSignature.fresh();
        this.bank = new Bank(plan.run(), plan.bank());
        this.crew = new Crew(this::start, this);
        this.begun = time.nanos();
        for (String column : plan.handwritten() ? List.of(SEMEL, BY_HAND) : List.of(SEMEL)) {
            DeliveryLog log = new DeliveryLog(column, time);
            logs.put(column, log);
            banks.put(column, bank.open(column, log));
        }
    }

    void stop() {
        stop.open();
    }

    Score play() throws InterruptedException {
        DemoConfig.write(directory.resolve("server.yaml"), plan.run(), address(banks, SEMEL), true);
        DemoConfig.write(directory.resolve("worker.yaml"), plan.run(), address(banks, SEMEL), false);
        List<String> violations = new ArrayList<>();
        double seconds;
        try (bank) {
            try (crew) {
                begin();
                fail();
                seconds = seconds();
                settle();
            }
            violations.addAll(
                    nothingSent() ? List.of("stopped before anything was sent: there is nothing to judge") : judge());
        }
        return score(seconds, log(SEMEL).finalTally(), true, violations);
    }

    private boolean nothingSent() {
        return log(SEMEL).tally().traffic().asked() == 0;
    }

    private void begin() throws InterruptedException {
        if (stop.isOpen()) {
            return;
        }
        crew.hire(Role.SERVER);
        for (int i = 0; i < plan.workers(); i++) {
            crew.hire(Role.WORKER);
        }
        if (plan.handwritten()) {
            crew.hire(Role.HANDWRITTEN);
        }
        await("starting the server and its workers", Long.MAX_VALUE, () -> {
            begun = time.nanos();
            return crew.allReady() || stop.isOpen();
        });
        if (!stop.isOpen()) {
            crew.hire(Role.SENDER);
        }
        begun = time.nanos();
    }

    /** Kills processes until the time is over, at least one worker was killed, and webhooks were delivered after that. */
    private void fail() throws InterruptedException {
        String ending = plan.length() == null
                ? "stop with Ctrl-C"
                : "stops after " + plan.length().toSeconds() + " s";
        long nextKill = begun + pause();
        while (!isOver() && !stop.await(TICK)) {
            crew.demandHealthy();
            holdWhileManyWait();
            if (time.nanos() >= nextKill && isProgress() && killed()) {
                nextKill = time.nanos() + pause();
            }
            show(ending);
        }
    }

    private boolean isOver() {
        if (plan.length() == null) {
            return false;
        }
        long beyond = time.nanos() - begun - plan.length().toNanos();
        return beyond >= 0 && crew.kills(Role.WORKER) > 0 && isProgress() || beyond >= GRACE;
    }

    /** Whether something was delivered since the last kill: a slow machine would otherwise only start processes. */
    private boolean isProgress() {
        return log(SEMEL).tally().outcome().delivered() > bookedAtKill;
    }

    private void holdWhileManyWait() {
        synchronized (crew) {
            boolean many = log(SEMEL).tally().outcome().waiting() > MOST_WAITING;
            if (many != holding) {
                holding = many;
                crew.tell(Role.SENDER, many ? SenderMain.HOLD : SenderMain.GO);
            }
        }
    }

    private long pause() {
        return SECOND * 3 / 4 + random.nextLong(SECOND / 2);
    }

    private boolean killed() {
        boolean killed = crew.killOne((turns + 1) % SENDERS_TURN == 0 ? Role.SENDER : Role.WORKER, random);
        if (killed) {
            turns++;
            bookedAtKill = log(SEMEL).tally().outcome().delivered();
            if (plan.handwritten()) {
                crew.killOne(Role.HANDWRITTEN, random);
            }
        }
        return killed;
    }

    /** No more webhooks, no more faults: everything that was acknowledged gets its time to be delivered. */
    private void settle() throws InterruptedException {
        synchronized (crew) {
            finishing = true;
            crew.tell(Role.SENDER, SenderMain.FINISH);
        }
        bank.calmDown();
        String doing = "no more faults; waiting for the last deliveries";
        await(doing, SETTLING, () -> crew.none(Role.SENDER));
        if (plan.handwritten()) {
            await(doing, SETTLING_BY_HAND, log(BY_HAND)::isSettled);
        }
        await(doing, SETTLING, log(SEMEL)::isDelivered);
        try (LedgerView ledger = ledger()) {
            await(doing, SETTLING, ledger::isFinished);
        }
    }

    /** Waits until the condition holds, or nothing has been delivered or acknowledged for so long. */
    private void await(String doing, long nanos, BooleanSupplier condition) throws InterruptedException {
        long from = time.nanos();
        long before = -1;
        while (!condition.getAsBoolean() && time.nanos() - from < nanos) {
            Tally tally = log(SEMEL).tally();
            long progress = tally.outcome().delivered() + tally.traffic().acknowledged();
            from = progress == before ? from : time.nanos();
            before = progress;
            crew.demandHealthy();
            show(doing);
            time.sleep(TICK);
        }
    }

    private LedgerView ledger() throws InterruptedException {
        long from = time.nanos();
        while (true) {
            try {
                return LedgerView.open(plan.store(), plan.run());
            } catch (SemelException.StoreUnavailable e) {
                if (time.nanos() - from >= SETTLING) {
                    throw e;
                }
                time.sleep(TICK);
            }
        }
    }

    /** What the history checker finds in Semel's column, and what it had nothing to judge by. */
    private List<String> judge() throws InterruptedException {
        try (LedgerView ledger = ledger()) {
            ledger.readInto(log(SEMEL)::left);
        }
        Judgement judgement = log(SEMEL).judge();
        List<String> found = new ArrayList<>();
        judgement.violations().stream()
                .limit(SHOWN_VIOLATIONS)
                .forEach(violation -> found.add(violation.rule() + " ("
                        + violation.rule().text() + "), " + violation.record() + ": " + violation.what()));
        if (judgement.violations().size() > SHOWN_VIOLATIONS) {
            found.add("and " + (judgement.violations().size() - SHOWN_VIOLATIONS) + " more");
        }
        NEEDED.stream()
                .filter(rule -> !judgement.judged().contains(rule))
                .forEach(rule -> found.add(rule + " (" + rule.text() + "): nothing to judge by"));
        return found;
    }

    private ChildProcess start(Role role) {
        Map<String, String> variables = Map.of(DemoConfig.STORE, plan.store(), DemoConfig.SECRET, signature.secret());
        ChildProcess process = ChildProcess.start(role, directory, variables, arguments(role));
        if (role == Role.SENDER) {
            receivers.forEach((name, uri) -> process.say(SenderMain.ADDRESS + " " + name + " " + uri));
            if (holding) {
                process.say(SenderMain.HOLD);
            }
            if (finishing) {
                process.say(SenderMain.FINISH);
            }
        }
        return process;
    }

    private List<String> arguments(Role role) {
        return switch (role) {
            case SERVER -> List.of(directory.resolve("server.yaml").toString(), ServerMain.TAKES_IN);
            case WORKER -> List.of(directory.resolve("worker.yaml").toString(), ServerMain.DELIVERS);
            case HANDWRITTEN ->
                List.of(
                        directory.resolve("processed.db").toString(),
                        address(banks, BY_HAND).toString());
            case SENDER -> {
                List<String> arguments = new ArrayList<>(List.of(
                        plan.run(),
                        directory.resolve("sender.journal").toString(),
                        Integer.toString(CUSTOMERS),
                        Integer.toString(PACE_MILLIS)));
                arguments.addAll(logs.keySet());
                yield arguments;
            }
        };
    }

    @Override
    public void heard(ChildProcess process, String[] words) {
        process.setReady();
        switch (words[0]) {
            case ServerMain.LISTENING -> listens(process.role(), words);
            case SenderMain.ASKED -> {
                ShopEvent event = ShopEvent.of(words[3]);
                calls.computeIfAbsent(process, any -> new HashMap<>())
                        .put(
                                words[1] + words[2],
                                new SentCall(event, log(words[1]).asks(event)));
            }
            case SenderMain.ACKNOWLEDGED -> {
                SentCall sent = ended(process, words);
                log(words[1]).acknowledges(sent.event(), sent.call());
            }
            case SenderMain.UNANSWERED -> {
                SentCall sent = ended(process, words);
                log(words[1]).leavesUnanswered(sent.event(), sent.call());
            }
            default -> {} // the sender is done, which its end shows
        }
    }

    private SentCall ended(ChildProcess process, String[] words) {
        SentCall sent = calls.getOrDefault(process, new HashMap<>()).remove(words[1] + words[2]);
        if (sent == null) {
            throw new IllegalStateException(
                    "The sender reported an answer to a webhook that it had not sent: " + String.join(" ", words));
        }
        return sent;
    }

    private void listens(Role role, String[] words) {
        if (role == Role.SERVER) {
            screen.console(URI.create(words[1]).resolve("/console/"), words[2]);
            receiver(SEMEL, URI.create(words[1]).resolve(DemoConfig.PATH));
        } else if (role == Role.HANDWRITTEN) {
            receiver(BY_HAND, URI.create(words[1]).resolve(DemoConfig.PATH));
        }
    }

    private void receiver(String name, URI uri) {
        receivers.put(name, uri);
        crew.tell(Role.SENDER, SenderMain.ADDRESS + " " + name + " " + uri);
    }

    @Override
    public void ended(ChildProcess process) {
        calls.remove(process);
        if (process.role() == Role.HANDWRITTEN) {
            log(BY_HAND).abandonWaiting();
        }
    }

    private DeliveryLog log(String column) {
        DeliveryLog log = logs.get(column);
        if (log == null) {
            throw new IllegalStateException("Unknown column: " + column + ".");
        }
        return log;
    }

    private static URI address(Map<String, URI> addresses, String column) {
        URI address = addresses.get(column);
        if (address == null) {
            throw new SemelException.Misconfigured("demo", List.of("there is no address for " + column));
        }
        return address;
    }

    private void show(String doing) {
        Score score = score(seconds(), log(SEMEL).tally(), false, List.of());
        screen.show(score, crew.states(), doing);
        if (time.nanos() - shownOnPage >= SECOND) {
            shownOnPage = time.nanos();
            crew.tell(Role.SERVER, ServerMain.written(PageFigures.of(score)));
        }
    }

    private double seconds() {
        return (double) (time.nanos() - begun) / SECOND;
    }

    private Score score(double seconds, Tally semel, boolean end, List<String> violations) {
        DeliveryLog handwritten = logs.get(BY_HAND);
        return new Score(
                Math.round(seconds * 10) / 10.0,
                semel,
                handwritten == null ? null : end ? handwritten.finalTally() : handwritten.tally(),
                new Score.Kills(crew.kills(Role.WORKER), crew.kills(Role.SENDER), crew.kills(Role.HANDWRITTEN)),
                bank.behaviour(),
                violations);
    }
}
