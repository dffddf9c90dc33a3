package dev.semel.engine;

import dev.semel.Answer;
import dev.semel.AtomicHandler;
import dev.semel.Call;
import dev.semel.CallStatus;
import dev.semel.CallStatus.CallStory;
import dev.semel.Cancellation;
import dev.semel.Cancellation.Cancelled;
import dev.semel.Channel;
import dev.semel.Death;
import dev.semel.DeliverySource;
import dev.semel.Key;
import dev.semel.LeasedHandler;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Reconciler;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.audit.AuditPurge;
import dev.semel.audit.Events;
import dev.semel.audit.ReplayBuffer;
import dev.semel.audit.Sealer;
import dev.semel.execution.AtomicBatch;
import dev.semel.execution.AtomicCalls;
import dev.semel.execution.AuditWriter;
import dev.semel.execution.CurrentModes;
import dev.semel.execution.DeathHandlers;
import dev.semel.execution.DuplicateShares;
import dev.semel.execution.EngineServices;
import dev.semel.execution.ExternalRuns;
import dev.semel.execution.GatewayRuns;
import dev.semel.execution.InFlightCalls;
import dev.semel.execution.JoinedRun;
import dev.semel.execution.KeylessRetries;
import dev.semel.execution.LeaseKeeper;
import dev.semel.execution.LeasedBatch;
import dev.semel.execution.LeasedCalls;
import dev.semel.execution.LocalWakeUps;
import dev.semel.execution.MessageSender;
import dev.semel.execution.OutboxTransactions;
import dev.semel.execution.ResultCache;
import dev.semel.execution.StackCheck;
import dev.semel.operator.DeliveryCheck;
import dev.semel.operator.DeliveryRounds;
import dev.semel.operator.MissingDeliveries;
import dev.semel.operator.Operator;
import dev.semel.operator.Overviews;
import dev.semel.operator.Replays;
import dev.semel.policy.Catalogue;
import dev.semel.store.Store;
import dev.semel.store.WatchedStore;
import dev.semel.time.TimeSource;
import dev.semel.watch.Watch;
import dev.semel.watch.WatchPair;
import dev.semel.worker.AbandonedDeliveries;
import dev.semel.worker.ActivityRecorder;
import dev.semel.worker.Backlogs;
import dev.semel.worker.ExternalClaims;
import dev.semel.worker.Housekeeper;
import dev.semel.worker.Housekeeper.Duty;
import dev.semel.worker.Purger;
import dev.semel.worker.Reconciliation;
import dev.semel.worker.Registry;
import dev.semel.worker.Sweeper;
import dev.semel.worker.Takeovers;
import dev.semel.worker.VerdictMoves;
import dev.semel.worker.WaitingSampler;
import dev.semel.worker.Worker;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The engine behind the front door. */
public final class Engine implements Semel {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

    private final EngineServices services;
    private final Registry registry = new Registry();
    private final AtomicCalls atomic;
    private final LeasedCalls leased;
    private final Duties duties;
    private final Operator operator;
    private final Takeovers takeovers;
    private final MessageSender sending;
    private final KeylessRetries retries;
    private final Worker worker;
    private final Overviews overviews;
    private final List<Housekeeper> housekeepers = new ArrayList<>();

    Engine(EngineSettings settings, Store opened) {
        Store store = WatchedStore.of(opened, settings.watch(), settings.time());
        Optional<ActivityRecorder> recorder = recorder(settings, opened);
        Watch watch = WatchPair.of(recorder.<Watch>map(each -> each).orElse(Watch.NONE), settings.watch());
        this.services = services(settings, store, watch);
        this.atomic = new AtomicCalls(services);
        this.leased = new LeasedCalls(services);
        this.takeovers = new Takeovers(settings.background());
        this.sending = services.sender();
        this.retries = new KeylessRetries(services);
        this.worker = new Worker(services, settings.staff());
        Events events = services.audits().events();
        AuditPurge auditPurge = new AuditPurge(store.audit(), events, settings.auditRetention());
        this.duties = new Duties(
                services.memory().keeper(),
                worker,
                new Sweeper(
                        store.ledger(),
                        registry,
                        leased,
                        takeovers,
                        new AbandonedDeliveries(
                                services.preparation(),
                                services.ledger(),
                                events,
                                watch,
                                services.memory().deaths())),
                new Duties.QueryDuties(
                        new Reconciliation(
                                store,
                                registry,
                                settings.reconcilerCalls(),
                                services.preparation(),
                                new VerdictMoves(
                                        store.ledger(),
                                        settings.codec(),
                                        events,
                                        services.memory().deaths()),
                                settings.time()),
                        new DeliveryRounds(
                                store,
                                new DeliveryCheck(store.ledger(), registry::definition),
                                new MissingDeliveries(store, settings.catalogue(), settings.codec()),
                                new DeliveryRounds.Clocks(settings.time(), settings.windowsMadeUpFor()),
                                sending::send)),
                new Duties.MaintenanceDuties(
                        new Purger(store, events, settings.watch()),
                        auditPurge,
                        new Sealer(store.audit()),
                        services.audits().buffer(),
                        recorder),
                new Backlogs(store, settings.watch(), settings.time(), worker, auditPurge));
        this.operator = new Operator(
                store,
                settings.time(),
                operation -> registry.policy(operation, services.tools().catalogue()),
                registry::definition,
                operation -> store.queue().isPresent() && registry.handles(operation),
                services.memory().results()::forget);
        this.overviews = new Overviews(store, settings.time(), new ReadingEngine(services.breakers(), recorder));
        if (settings.background()) {
            startBackground(settings.time());
            if (store.queue().isPresent()) {
                handle(Replays.CHANNEL, operator.replays()::handle);
            }
        }
    }

    /**
     * An engine on a store that is open already, for containers and tools that opened it themselves. The engine closes the store,
     * except when it cannot be opened.
     *
     * @param settings sets what the front door offers
     * @throws SemelException.Misconfigured naming every fault of the settings
     */
    public static Engine on(Store store, Consumer<Settings> settings) {
        EngineSettings own = EngineSettings.on(store);
        settings.accept(own);
        return own.open();
    }

    /** An engine without threads of its own, for a tool that sends something and ends. The engine closes the store. */
    public static Engine withoutBackground(Store store) {
        return EngineSettings.on(store).withoutBackground().open();
    }

    private static Optional<ActivityRecorder> recorder(EngineSettings settings, Store store) {
        return settings.activity()
                ? store.activity().map(log -> new ActivityRecorder(log, settings.time(), settings.random()::nextLong))
                : Optional.empty();
    }

    private static EngineServices services(EngineSettings settings, Store store, Watch watch) {
        TimeSource time = settings.time();
        Events events = new Events(settings.audit());
        return new EngineServices(
                store,
                new EngineServices.Tools(time, settings.random(), settings.codec(), settings.catalogue(), watch),
                new AuditWriter(
                        events,
                        new ReplayBuffer(store.audit(), events, time, settings.audit()),
                        store.audit(),
                        settings.auditEach()),
                new CurrentModes(store.switchboard(), settings.mode(), time),
                new EngineServices.Memory(
                        new InFlightCalls(time),
                        new ResultCache(settings.cached(), time),
                        new DuplicateShares(),
                        new LeaseKeeper(store.ledger(), time),
                        new LocalWakeUps(),
                        new DeathHandlers()));
    }

    private void startBackground(TimeSource time) {
        LeaseKeeper keeper = duties.keeper();
        Housekeeper leases = new Housekeeper("semel-leases", time, List.of(new Duty("renew leases", keeper::tick)));
        keeper.onEarlier(leases::wake);
        housekeepers.add(leases);
        housekeepers.add(new Housekeeper("semel-housekeeper", time, duties.slow()));
        duties.activity()
                .ifPresent(
                        recorder -> housekeepers.add(new Housekeeper("semel-activity", time, historyDuties(recorder))));
        for (Duty inquiry : duties.inquiring()) {
            housekeepers.add(new Housekeeper("semel-inquiry", time, List.of(inquiry)));
        }
        housekeepers.forEach(Housekeeper::start);
    }

    private List<Duty> historyDuties(ActivityRecorder recorder) {
        WaitingSampler sampler = new WaitingSampler(services.store().ledger(), recorder);
        return List.of(
                Duty.every(ActivityRecorder.PACE, "look how much waits, for the history", sampler::look),
                Duty.every(
                        ActivityRecorder.PACE,
                        "write the history of activity",
                        () -> recorder.round(
                                () -> services.store().switchboard().modes().now())));
    }

    /** A {@link Semel} of a framework in front of an engine. */
    public interface Backed {
        /** The engine behind it. What it sends is never part of a transaction of the framework. */
        Engine engine();
    }

    /** The engine that this is, or that is behind it; empty for anything else. */
    public static Optional<Engine> behind(Semel semel) {
        if (semel instanceof Engine engine) {
            return Optional.of(engine);
        }
        return semel instanceof Backed backed ? Optional.of(backed.engine()) : Optional.empty();
    }

    /** The background duties of this engine, for callers who opened it without a background. */
    public Duties duties() {
        return duties;
    }

    /** For gateways that decide themselves how a run ends, such as an HTTP filter. */
    public GatewayRuns gatewayRuns() {
        return new GatewayRuns(services, registry::seen);
    }

    /** For runs whose handlers are outside this process, such as those of an HTTP API. */
    public ExternalRuns externalRuns() {
        return new ExternalRuns(services);
    }

    /**
     * For messages that are handled outside this process, such as by clients of an HTTP API.
     *
     * @throws SemelException.Invalid when the store keeps no work for later
     */
    public ExternalClaims externalClaims() {
        worker.demandQueue();
        return worker.externalClaims(registry::seen);
    }

    /** An operator's actions on the ledger of this engine. */
    public Operator operator() {
        return operator;
    }

    /** What happened lately on all nodes, how things stand, and what needs a person. */
    public Overviews overviews() {
        return overviews;
    }

    /** Where this engine keeps its records, for tools that show them to operators. The engine closes it. */
    public Store store() {
        return services.store();
    }

    /** The policies of this engine: those that ship, as its settings change them. */
    public Catalogue catalogue() {
        return services.tools().catalogue();
    }

    @Override
    public <P, R> Answer<R> run(Operation.Atomic<P, R> operation, Call<P> call, AtomicHandler<P, R> handler) {
        return atomic.run(operation, call, handler);
    }

    @Override
    public <P, R> Answer<R> run(Operation.Leased<P, R> operation, Call<P> call, LeasedHandler<P, R> handler) {
        StackCheck.demand();
        registry.seen(operation);
        return leased.run(operation, call, handler);
    }

    @Override
    public <P, R> Answer<R> run(Operation<P, R> operation, Call<P> call) {
        Registry.RegisteredOperation<P, R> known = registry.find(operation);
        if (known != null && known.atomic() != null) {
            return atomic.run((Operation.Atomic<P, R>) operation, call, known.atomic());
        }
        if (known != null && known.leased() != null) {
            return leased.run((Operation.Leased<P, R>) operation, call, known.leased());
        }
        throw new SemelException.Invalid("Operation " + operation.name()
                + " has no handler on this node. Register one with handle(...), or give it to run(...).");
    }

    @Override
    public <P, R> List<Answer<R>> runAll(
            Operation.Atomic<P, R> operation, List<Call<P>> calls, AtomicHandler<P, R> handler) {
        return new AtomicBatch(services, atomic).run(operation, calls, handler);
    }

    @Override
    public <P, R> List<Answer<R>> runAll(
            Operation.Leased<P, R> operation, List<Call<P>> calls, LeasedHandler<P, R> handler) {
        StackCheck.demand();
        registry.seen(operation);
        return new LeasedBatch(services, leased).run(operation, calls, handler);
    }

    @Override
    public <P, R> void handle(Operation.Atomic<P, R> operation, AtomicHandler<P, R> handler) {
        serve(registry.handle(operation, Channel.Capacity.DEFAULT, handler));
    }

    @Override
    public <P, R> void handle(Operation.Leased<P, R> operation, LeasedHandler<P, R> handler) {
        serve(registry.handle(operation, Channel.Capacity.DEFAULT, handler));
    }

    /** An operation that is called directly is served too: its records are queued when an operator replays them. */
    private void serve(Registry.RegisteredOperation<?, ?> known) {
        if (services.store().queue().isPresent()) {
            worker.serve(known);
        }
    }

    @Override
    public <P> void handle(Channel.Atomic<P> channel, Channel.Capacity capacity, Channel.AtomicDelivery<P> handler) {
        worker.demandQueue();
        serve(registry.handle(channel.operation(), capacity, (payload, tx) -> {
            handler.handle(payload, tx);
            return null;
        }));
    }

    @Override
    public <P> void handle(Channel.Leased<P> channel, Channel.Capacity capacity, Channel.LeasedDelivery<P> handler) {
        worker.demandQueue();
        serve(registry.handle(channel.operation(), capacity, (payload, run) -> {
            handler.handle(payload, run);
            return null;
        }));
    }

    @Override
    public <P> Sent send(Channel<P> channel, Message<P> message) {
        StackCheck.demand();
        return sending.send(channel, message);
    }

    @Override
    public <P> List<Sent> sendAll(Channel<P> channel, List<Message<P>> messages) {
        StackCheck.demand();
        return sending.sendAll(channel, messages);
    }

    @Override
    public Optional<CallStatus> status(Operation<?, ?> operation, Tenant tenant, Key key) {
        return operator.calls().find(tenant, operation.name(), key);
    }

    @Override
    public Optional<CallStatus> status(Tenant tenant, String recordId) {
        return operator.calls().find(tenant, recordId);
    }

    @Override
    public CallStory story(Tenant tenant, String correlationId) {
        return operator.calls().story(tenant, correlationId);
    }

    @Override
    public Cancelled cancel(Operation<?, ?> operation, Tenant tenant, Key key, Cancellation by) {
        return operator.calls().cancel(tenant, operation.name(), key, by);
    }

    @Override
    public Cancelled cancel(Tenant tenant, String recordId, Cancellation by) {
        return operator.calls().cancel(tenant, recordId, by);
    }

    @Override
    public boolean drain(Duration bound) {
        return worker.drain(bound);
    }

    /** Handles channels again after a drain. */
    public void resume() {
        worker.resume();
    }

    @Override
    public <P, R> void reconcile(Operation.Leased<P, R> operation, Reconciler<P, R> reconciler) {
        registry.reconcile(operation, reconciler);
    }

    @Override
    public <P> void onDead(Operation<P, ?> operation, Death.Handler<P> handler) {
        if (services.store().transactions().isEmpty()) {
            throw new SemelException.Misconfigured(
                    "onDead of " + operation.name(),
                    List.of("store " + services.store().name()
                            + " cannot commit the handler's writes together with the dead letter: use a SQL store"));
        }
        registry.demandSame(operation);
        services.memory().deaths().register(operation, handler);
    }

    @Override
    public void checkDeliveries(
            DeliverySource source,
            DeliverySource.Schedule schedule,
            DeliverySource.Resend resend,
            DeliverySource.Listener listener) {
        worker.demandQueue();
        Channel.Leased<DeliveryRounds.Round> looks = duties.deliveries().register(source, schedule, resend, listener);
        handle(
                looks,
                Channel.Capacity.of(1),
                (round, run) -> duties.deliveries().handle(source.name(), round, run));
    }

    @Override
    public <T, X extends Exception> T inTransaction(TransactionWork<T, X> work) throws X {
        StackCheck.demand();
        return new OutboxTransactions(services.transactions(), services.sender()).run(work);
    }

    @Override
    public <T> T retry(Call.Keyless work, Callable<T> attempt) {
        return retries.run(work, attempt);
    }

    @Override
    public Joined join(Connection connection) {
        return new JoinedRun(services, atomic, connection);
    }

    @Override
    public void close() {
        worker.close();
        housekeepers.forEach(Housekeeper::close);
        takeovers.close();
        duties.reconciliation().close();
        try {
            services.audits().buffer().flush(true);
        } catch (RuntimeException e) {
            LOG.warn("Counts of replays could not be written while closing; the records themselves are safe.", e);
        }
        try {
            duties.activity().ifPresent(recorder -> recorder.flush(true));
        } catch (RuntimeException e) {
            LOG.warn("The last counts of the history of activity could not be written while closing.", e);
        }
        services.store().close();
    }

    /** Found by the front door. */
    public static final class Opener implements Provider {
        @Override
        public Settings settings(String storeUrl) {
            return EngineSettings.at(storeUrl);
        }

        @Override
        public Settings settings(DataSource source) {
            return EngineSettings.at(source);
        }
    }
}
