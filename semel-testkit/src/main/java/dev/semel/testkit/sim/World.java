package dev.semel.testkit.sim;

import dev.semel.Cancellation;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Mode;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.key.ValueCodec;
import dev.semel.operator.Operator;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import dev.semel.testkit.history.History;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The nodes, the clients, the operator and everything that befalls them in one run. */
final class World {
    private static final Operator.Warrant WARRANT = new Operator.Warrant("sim", "simulation");
    private static final Cancellation CANCELLATION = Cancellation.by("sim", "simulation");

    /** In leases: no run takes so long to come to its end, unless something goes round in circles. */
    private static final int LONGEST = 500;

    private static final int MOST_LOOKS = 60;
    private static final Duration BEYOND_THE_NEXT_QUESTION = Duration.ofSeconds(90);

    final Scheduler scheduler;
    /** The right time. */
    final SimTime time;

    /** The wall clock of the store's machine. */
    private final SimTime storeTime;

    final MemoryStore store;
    final History history;
    final SimOperations business;
    final RecordJournal book;
    final Client client;
    final List<SimNode> nodes = new ArrayList<>();
    final PermitJournal permits;
    private final Random random;
    private final FaultRates weather;
    private final SimNode.Setup setup;
    private final List<String> keys = new ArrayList<>();
    private final boolean shortLived;
    final ChannelTraffic mailroom;
    final @Nullable ProviderTraffic provider;
    private final @Nullable ExternalWorker external;
    private final Kind kind;
    private int clientsLeft;
    private int leases;
    private List<String> stood = List.of();
    private TimeSource.Gate clientsDone;

    /** The events of a run. */
    private enum Kind {
        CALLS,
        MESSAGES,
        BOTH;

        boolean calls() {
            return this != MESSAGES;
        }

        boolean messages() {
            return this != CALLS;
        }
    }

    World(Scheduler scheduler, StoreUnderTest plant) {
        this.scheduler = scheduler;
        this.random = scheduler.random;
        this.time = new SimTime(scheduler);
        this.storeTime = new SimTime(scheduler);
        this.store = new MemoryStore(plant.storeTime(storeTime));
        this.history = History.inMemory("sim", time);
        Duration lease = Duration.ofMillis(1_000 + random.nextInt(3) * 1_000L);
        this.shortLived = random.nextInt(3) == 0;
        this.weather = new FaultRates(random, lease);
        this.permits = new PermitJournal(time, weather);
        PermitJournal guarding = random.nextInt(3) == 0 ? permits : null;
        this.business = new SimOperations(scheduler, history, lease, shortLived, guarding);
        this.book = new RecordJournal(store, time, history, business);
        this.client = new Client(scheduler, business, history, book.wrongs());
        this.kind = List.of(Kind.CALLS, Kind.CALLS, Kind.MESSAGES, Kind.BOTH).get(random.nextInt(4));
        this.mailroom = new ChannelTraffic(scheduler, history, business, book);
        if (kind.messages()) {
            business.enclosing(mailroom::enclose, mailroom::committed);
        }
        int cached = shortLived || random.nextBoolean() ? 0 : 100;
        Observer observer = new Observer(store, book, mailroom::claimed, permits);
        this.setup = new SimNode.Setup(
                store, plant, observer, policies(), cached, kind.messages() ? this::anyMessage : null);
        this.clientsDone = time.gate();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            keys.add("k" + i);
        }
        for (int i = 1; i <= 1 + random.nextInt(3); i++) {
            nodes.add(new SimNode("n" + i, scheduler, weather));
        }
        boolean delivers = kind.messages() && random.nextInt(10) == 0;
        this.provider = delivers ? new ProviderTraffic(scheduler, time, business, mailroom) : null;
        boolean worksOutside = kind.messages() && random.nextBoolean();
        this.external = worksOutside ? new ExternalWorker(scheduler, time, nodes, business, mailroom) : null;
    }

    private List<Policy> policies() {
        List<Policy> policies = new ArrayList<>(ProviderTraffic.policies(business.policy));
        policies.add(business.policy);
        return policies;
    }

    /** Lets everything happen, until the clients have asked all they wanted. */
    void live() {
        nodes.forEach(this::start);
        clientsLeft = 2 + random.nextInt(4);
        int calls = 2 + random.nextInt(4);
        for (int i = clientsLeft; i > 0; i--) {
            boolean sends = !kind.calls() || kind.messages() && i % 2 == 0;
            scheduler.spawn((sends ? "sender-" : "client-") + i, null, () -> ask(calls, sends));
        }
        if (provider != null) {
            clientsLeft++;
            scheduler.spawn("provider", null, () -> {
                provider.deliver(nodes, this::disturbHooks);
                clientEnded();
            });
        }
        NodeLifetime whileAsking = new NodeLifetime();
        scheduler.spawn("fate", whileAsking, this::befall);
        if (random.nextBoolean()) {
            scheduler.spawn("operator", whileAsking, this::operate);
        }
        if (external != null) {
            scheduler.spawn("external", whileAsking, () -> external.work(this::anyMessage));
        }
        if (hasDryRuns()) {
            scheduler.spawn("dry-run", whileAsking, this::dryRun);
        }
        await(clientsDone);
        whileAsking.over = true;
    }

    /** The faults stop; what was begun is brought to an end by the nodes themselves. */
    void settle() {
        weather.clear();
        business.clear();
        for (SimNode node : nodes) {
            if (node.down()) {
                start(node);
            }
        }
        untilQuiet();
        endDeliveries();
        for (String payload : business.records()) {
            client.ask(nodes.get(0), operation(payload), List.of(payload), Duration.ZERO);
        }
        do {
            untilQuiet();
            onNode(nodes.get(0), engine -> {
                engine.duties().replays().flush(true);
                engine.duties().sealer().sealAll();
            });
            sleep(business.lease); // a reconciler may be in the middle of it
        } while (leases < LONGEST && movesOn());
        endTransfers();
    }

    /** The windows of all deliveries are checked; an operator replays the checks that failed or were interrupted. */
    private void endDeliveries() {
        for (int i = 0; i < MOST_LOOKS && provider != null && !provider.isChecked(); i++) {
            sleep(Duration.ofSeconds(5));
            book.look(RecordJournal.Cause.NOTHING);
            List<RecordId> stopped = book.records().values().stream()
                    .filter(kept -> ChannelTraffic.isOfEngine(kept.header.operation()))
                    .map(RecordJournal.Kept::row)
                    .filter(row ->
                            row != null && (row.state() == State.FAILED_TERMINAL || row.state() == State.UNKNOWN))
                    .map(Row::id)
                    .toList();
            onNode(nodes.get(0), engine -> {
                open(engine);
                stopped.forEach(id -> engine.operator().replay(id, WARRANT));
            });
        }
        untilQuiet();
    }

    /**
     * Where there is a reconciler, each of its verdicts ends the matter: no interrupted step stays undecided for
     * ever.
     */
    private void endTransfers() {
        if (!business.reconciles()) {
            return;
        }
        for (String record : business.records().stream().map(ClientCall::record).toList()) {
            String operation = operation(record);
            if (!operation.equals(SimOperations.TRANSFER.name())) {
                continue;
            }
            RecordId id =
                    Identity.of(Client.TENANT, operation, Client.key(record)).id();
            for (int asked = 0; asked < 3 && unfinished(id) != null; asked++) {
                sleep(BEYOND_THE_NEXT_QUESTION);
                onNode(nodes.get(0), this::open);
                Row row = unfinished(id);
                if (row != null) {
                    String payload = new ValueCodec(1 << 20).decode(row.payload(), String.class);
                    client.ask(nodes.get(0), operation, List.of(String.valueOf(payload)), Duration.ZERO);
                }
            }
            if (unfinished(id) != null) {
                book.wrong(id, "met the same interrupted step again and again although its reconciler decides");
            }
        }
        untilQuiet();
        onNode(nodes.get(0), engine -> {
            engine.duties().replays().flush(true);
            engine.duties().sealer().sealAll();
        });
    }

    /** The record, if it is neither done nor given up. */
    private @Nullable Row unfinished(RecordId id) {
        book.look(RecordJournal.Cause.NOTHING);
        RecordJournal.Kept kept = book.records().get(id);
        Row row = kept == null ? null : kept.row();
        boolean open = row != null && (row.state() == State.UNKNOWN || row.state() == State.FAILED_RETRYABLE);
        return open ? row : null;
    }

    /** Nothing runs any more, or nothing has changed for so long that nothing will. */
    private void untilQuiet() {
        int idle = 0;
        while (idle < 30 && leases < LONGEST && !quiet()) {
            idle = movesOn() ? 0 : idle + 1;
            leases++;
            onNode(nodes.get(0), this::open);
            sleep(business.lease);
        }
    }

    private boolean quiet() {
        book.look(RecordJournal.Cause.NOTHING);
        return book.running().isEmpty() && book.waiting().isEmpty();
    }

    /** Whether a record has changed since this was asked last: a reconciler may be late, and set others free. */
    private boolean movesOn() {
        book.look(RecordJournal.Cause.NOTHING);
        List<String> stand = book.states();
        boolean changed = !stand.equals(stood);
        stood = stand;
        return changed;
    }

    /** Everything is LIVE and nothing paused, also what somebody was just about to switch off when the faults stopped. */
    private void open(Engine engine) {
        Switchboard.Modes modes = store.switchboard().modes();
        for (Switchboard.Setting set : modes.settings()) {
            engine.operator().setMode(new Switchboard.Setting(set.tenant(), set.operation(), Mode.LIVE), WARRANT);
        }
        for (Switchboard.Pause pause : modes.pauses()) {
            engine.operator().resume(pause.operation(), pause.tenant(), WARRANT);
        }
    }

    private static String operation(String payload) {
        return payload.substring(0, payload.indexOf('/'));
    }

    private void start(SimNode node) {
        Engine engine = node.start(setup);
        if (kind.calls()) {
            business.register(node, engine);
        }
        if (kind.messages()) {
            mailroom.register(node, engine);
        }
        if (provider != null) {
            provider.register(nodes, node, engine);
        }
    }

    private void ask(int calls, boolean sends) {
        for (int i = 0; i < calls; i++) {
            sleep(Duration.ofMillis(random.nextInt(3) == 0 ? random.nextInt(6_000) : random.nextInt(200)));
            if (sends) {
                send();
                continue;
            }
            List<String> payloads = random.nextInt(6) == 0 ? atTheEdge() : List.of();
            if (payloads.isEmpty()) {
                payloads = some();
            }
            payloads.forEach(business::asked);
            SimNode node = nodes.get(random.nextInt(nodes.size()));
            while (node.down()) {
                sleep(Duration.ofMillis(500));
            }
            Duration patience = random.nextInt(3) == 0 ? Duration.ofMillis(random.nextInt(5_000)) : Duration.ZERO;
            client.ask(node, operation(payloads.get(0)), payloads, patience);
        }
        clientEnded();
    }

    private void clientEnded() {
        if (--clientsLeft == 0) {
            clientsDone.open();
        }
    }

    /** An operator's actions on the provider's channel, none of which makes it forget. */
    private void disturbHooks() {
        SimNode node = nodes.get(random.nextInt(nodes.size()));
        int deed = random.nextInt(4);
        Mode mode = Mode.values()[random.nextInt(Mode.values().length)];
        String name = ProviderTraffic.HOOK.name();
        if (!node.down()) {
            onNode(node, engine -> {
                Operator operator = engine.operator();
                switch (deed) {
                    case 0 -> operator.pause(name, null, WARRANT);
                    case 1 -> operator.resume(name, null, WARRANT);
                    default -> operator.setMode(new Switchboard.Setting(null, name, mode), WARRANT);
                }
            });
        }
    }

    private boolean anyMessage() {
        return !book.waiting().isEmpty();
    }

    private void send() {
        List<Row> shadows = book.shadows();
        if (!shadows.isEmpty() && random.nextInt(3) == 0) {
            SimNode node = nodes.get(random.nextInt(nodes.size()));
            if (!node.down()) {
                mailroom.resend(node, shadows.get(random.nextInt(shadows.size())));
                return;
            }
        }
        Channel<String> channel = ChannelTraffic.ALL.get(random.nextInt(ChannelTraffic.ALL.size()));
        // Now and then so many that a node which dies has most of them only claimed.
        boolean many = random.nextInt(6) == 0;
        int size = many ? 8 + random.nextInt(8) : 1 + random.nextInt(4);
        List<String> payloads = new ArrayList<>();
        for (int each = 0; each < size; each++) {
            int key = random.nextInt(many ? 24 : 6);
            String lane = random.nextInt(10) == 0 ? "other" : "lane" + key % 2;
            boolean bucketed = channel == ChannelTraffic.TALLY && key % 2 == 0;
            payloads.add(channel.name() + "/" + (bucketed ? ChannelTraffic.BUCKETED : "m") + key + ":" + lane);
        }
        SimNode node = nodes.get(random.nextInt(nodes.size()));
        while (node.down()) {
            sleep(Duration.ofMillis(500));
        }
        mailroom.send(node, channel, payloads);
    }

    private List<String> some() {
        String operation =
                List.of("charge", "charge", "wire", "mail", "order", "transfer").get(random.nextInt(6));
        int size = random.nextInt(5) == 0 ? 2 + random.nextInt(3) : 1;
        List<String> payloads = new ArrayList<>();
        for (int each = 0; each < size; each++) {
            String key = keys.get(random.nextInt(keys.size()));
            payloads.add(operation + "/" + key + ":" + (random.nextInt(8) == 0 ? "other" : "first"));
        }
        return payloads;
    }

    /** Waits for the very millisecond in which the lease of somebody's run is over, and asks for that record. */
    private List<String> atTheEdge() {
        List<RecordJournal.Kept> running = book.running().stream()
                .filter(kept -> Objects.requireNonNull(kept.row()).line() == null)
                .toList();
        if (running.isEmpty()) {
            return List.of();
        }
        RecordJournal.Kept kept = running.get(random.nextInt(running.size()));
        long left = Objects.requireNonNull(kept.row()).status().at() - time.millis();
        sleep(Duration.ofMillis(Math.min(left, business.lease.toMillis())));
        return List.of(kept.name + ":first");
    }

    /** Nodes die and come back, and their clocks are wrong. */
    private void befall() {
        while (true) {
            sleep(Duration.ofMillis(200 + random.nextInt(2_000)));
            SimNode node = nodes.get(random.nextInt(nodes.size()));
            if (weather.crash() && !node.down()) {
                node.crash();
            }
            for (SimNode each : nodes) {
                if (each.mayRestart()) {
                    start(each);
                }
            }
            if (random.nextInt(8) == 0) {
                node.time.jump(Duration.ofMinutes(random.nextInt(121) - 60));
            }
            if (random.nextInt(8) == 0) {
                setByAYear(random.nextBoolean() ? node.time : storeTime);
            }
        }
    }

    /** A wall clock that is wrong is set right, one that is right is a year behind or ahead from now on. */
    private void setByAYear(SimTime clock) {
        long wrong = clock.millis() - time.millis();
        Duration year = Duration.ofDays(random.nextBoolean() ? 365 : -365);
        clock.jump(wrong == 0 ? year : Duration.ofMillis(-wrong));
        scheduler.trace.add(scheduler.nanos(), "clock", "set by " + Duration.ofMillis(clock.millis() - time.millis()));
    }

    private void operate() {
        List<String> operations = List.of("charge", "wire", "mail", "order", "transfer");
        boolean forgets = setup.cached() == 0;
        while (true) {
            sleep(Duration.ofMillis(500 + random.nextInt(8_000)));
            if (!kind.calls() || kind.messages() && random.nextBoolean()) {
                tend();
                continue;
            }
            String operation = operations.get(random.nextInt(operations.size()));
            String key = keys.get(random.nextInt(keys.size()));
            int deed = random.nextInt(10);
            SimNode node = nodes.get(random.nextInt(nodes.size()));
            if (!node.down()) {
                onNode(node, engine -> {
                    if (deed < 5) {
                        Mode mode = Mode.values()[random.nextInt(Mode.values().length)];
                        engine.operator().setMode(new Switchboard.Setting(null, operation, mode), WARRANT);
                    } else if (deed < 9 && forgets) {
                        engine.operator().forget(Client.TENANT, operation, Client.key(operation + "/" + key), WARRANT);
                    } else if (deed == 9) {
                        engine.operator().adopt(WARRANT);
                    }
                });
            }
        }
    }

    /** An operator's actions on channels and their messages. */
    private void tend() {
        Channel<String> channel = ChannelTraffic.ALL.get(random.nextInt(ChannelTraffic.ALL.size()));
        String name = channel.name();
        Key key = Key.of("m" + random.nextInt(6));
        RecordId id = Identity.of(Client.TENANT, name, key).id();
        int deed = random.nextInt(16);
        Mode mode = Mode.values()[random.nextInt(Mode.values().length)];
        SimNode node = nodes.get(random.nextInt(nodes.size()));
        if (node.down()) {
            return;
        }
        scheduler.trace.add(scheduler.nanos(), "operator", name + "/" + key.text() + " " + deed + " " + mode);
        onNode(node, engine -> {
            Operator operator = engine.operator();
            switch (deed) {
                case 0, 1, 2, 3 -> operator.setMode(new Switchboard.Setting(null, name, mode), WARRANT);
                case 4, 5 -> operator.pause(name, null, WARRANT);
                case 6, 7 -> operator.resume(name, null, WARRANT);
                case 8 -> operator.discard(id, WARRANT);
                case 9 -> operator.forget(Client.TENANT, name, key, WARRANT);
                case 10 -> operator.adopt(WARRANT);
                case 11, 12 -> engine.cancel(Client.TENANT, id.hex(), CANCELLATION);
                default -> operator.replay(id, WARRANT);
            }
        });
    }

    /** Whether there are dry runs of the atomic channels, and an operator who closes what they would have sent. */
    private boolean hasDryRuns() {
        return kind.messages() && !mailroom.hasFallbacks();
    }

    private void dryRun() {
        while (true) {
            SimNode node = nodes.get(random.nextInt(nodes.size()));
            List<Row> shadows = book.shadows();
            if (node.down()) {
                sleep(Duration.ofMillis(200));
            } else if (shadows.isEmpty() || random.nextInt(3) == 0) {
                Mode mode = random.nextInt(3) == 0 ? Mode.LIVE : Mode.SHADOW;
                String channel = random.nextBoolean() ? ChannelTraffic.ENTRY.name() : ChannelTraffic.TALLY.name();
                Switchboard.Group group = new Switchboard.Group(Switchboard.Group.By.PREFIX, channel.substring(0, 3));
                onNode(
                        node,
                        engine -> engine.operator().setMode(Switchboard.Setting.forGroup(null, group, mode), WARRANT));
            } else {
                RecordId shadow = shadows.get(random.nextInt(shadows.size())).id();
                boolean discards = random.nextInt(6) == 0;
                onNode(node, engine -> {
                    Operator operator = engine.operator();
                    String outcome = discards
                            ? "discard of SHADOW " + operator.discard(shadow, WARRANT)
                            : "replay of SHADOW " + operator.replay(shadow, WARRANT);
                    scheduler.trace.add(scheduler.nanos(), "operator", outcome);
                });
            }
            sleep(Duration.ofMillis(random.nextInt(2_500)));
        }
    }

    /** Acts on a node: rejections by the store or the ledger are ignored, and the node may die meanwhile. */
    private void onNode(SimNode node, Consumer<Engine> deed) {
        Actor self = scheduler.current();
        NodeLifetime own = self.life;
        self.life = node.life();
        try {
            deed.accept(node.engine());
        } catch (SemelException refused) {
            scheduler.trace.add(scheduler.nanos(), self.name, refused.getClass().getSimpleName());
        } catch (Crash died) {
            scheduler.trace.add(scheduler.nanos(), self.name, "lost its node");
        } finally {
            self.life = own;
        }
    }

    private void sleep(Duration duration) {
        try {
            time.sleep(duration);
        } catch (InterruptedException e) {
            throw new IllegalStateException(
                    "The thread of a simulated worker was interrupted, which the simulator never does.", e);
        }
    }

    private static void await(TimeSource.Gate gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("Nobody interrupts the director.", e);
        }
    }
}
