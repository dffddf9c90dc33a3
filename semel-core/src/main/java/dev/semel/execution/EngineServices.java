package dev.semel.execution;

import dev.semel.key.ValueCodec;
import dev.semel.policy.Catalogue;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import dev.semel.watch.Watch;
import java.util.random.RandomGenerator;

/**
 * Assembles the parts of one engine, each once. Only the classes that put a kind of work together from these parts are given it;
 * all others get the parts that they use.
 */
public final class EngineServices {
    private final Store store;
    private final Tools tools;
    private final CurrentModes modes;
    private final Memory memory;
    private final CallWatch watch;
    private final CallPreparation preparation;
    private final AnswerSources answers;
    private final ApplicationTransactions transactions;
    private final MessageSender sender;
    private final LeaseGrants grants;
    private final SettlementTools settling;
    private final AtomicTools atomic;
    private final LeasedTools leased;
    private final DeliveryTools deliveries;
    private final ReceiverBreakers breakers;
    private final RateLimits limits;

    /** Clock, random numbers, encoding, policies, and the watch, as the settings have them. */
    public record Tools(TimeSource time, RandomGenerator random, ValueCodec codec, Catalogue catalogue, Watch watch) {}

    /**
     * The state of this process: running calls, results, leases, the channels to wake when there is work, and the onDead handlers.
     */
    public record Memory(
            InFlightCalls inFlight,
            ResultCache results,
            DuplicateShares duplicates,
            LeaseKeeper keeper,
            LocalWakeUps wakeUps,
            DeathHandlers deaths) {}

    public EngineServices(Store store, Tools tools, AuditWriter audits, CurrentModes modes, Memory memory) {
        this.store = store;
        this.tools = tools;
        this.modes = modes;
        this.memory = memory;
        GroupedLedger ledger = new GroupedLedger(store, tools.time(), tools.watch());
        this.watch = new CallWatch(tools.watch(), tools.time());
        this.breakers = new ReceiverBreakers(tools.time());
        this.limits = new RateLimits(store, tools.time(), tools.watch());
        this.preparation =
                new CallPreparation(tools.catalogue(), tools.codec(), tools.random(), tools.time(), breakers);
        this.answers = new AnswerSources(ledger, memory.results(), tools.codec(), audits, tools.watch());
        this.transactions = new ApplicationTransactions(store);
        this.sender = new MessageSender(
                new MessagePreparation(store, preparation, modes, audits.events()),
                ledger,
                transactions,
                memory.wakeUps(),
                watch,
                audits.buffer());
        this.grants = new LeaseGrants(answers, modes, memory.duplicates(), tools.random(), preparation, watch);
        this.atomic = new AtomicTools(transactions, sender, modes, memory.keeper(), tools.codec(), audits.events());
        this.settling = new SettlementTools(
                answers,
                new AttemptJudge(modes, tools.random()),
                new DeathTools(memory.deaths(), atomic, tools.random()),
                watch);
        this.leased = new LeasedTools(
                new StepTools(ledger, modes, tools.codec(), tools.random(), sender), settling, memory.keeper());
        this.deliveries = new DeliveryTools(preparation, settling, memory.keeper(), modes);
    }

    public Store store() {
        return store;
    }

    public Tools tools() {
        return tools;
    }

    public CurrentModes modes() {
        return modes;
    }

    public Memory memory() {
        return memory;
    }

    public GroupedLedger ledger() {
        return answers.ledger();
    }

    public AuditWriter audits() {
        return answers.audits();
    }

    CallWatch watch() {
        return watch;
    }

    public CallPreparation preparation() {
        return preparation;
    }

    AnswerSources answers() {
        return answers;
    }

    public ApplicationTransactions transactions() {
        return transactions;
    }

    public MessageSender sender() {
        return sender;
    }

    LeaseGrants grants() {
        return grants;
    }

    SettlementTools settling() {
        return settling;
    }

    /** For atomic handlers. */
    public AtomicTools atomic() {
        return atomic;
    }

    /** For onDead handlers. */
    public DeathTools deaths() {
        return settling.deaths();
    }

    LeasedTools leased() {
        return leased;
    }

    /** For leased handlers and their steps. */
    public StepTools steps() {
        return leased.steps();
    }

    /** For claimed records. */
    public DeliveryTools deliveries() {
        return deliveries;
    }

    /** One for each operation: for its calls and its deliveries. */
    public ReceiverBreakers breakers() {
        return breakers;
    }

    /** For calls and deliveries. */
    public RateLimits limits() {
        return limits;
    }

    /** The first two steps of every direct call. */
    CallPipeline pipeline() {
        return new CallPipeline(preparation, limits, answers, memory.inFlight(), tools.time());
    }

    /** The transactions of a direct atomic call. */
    AtomicAttempts atomicAttempts() {
        return new AtomicAttempts(memory.duplicates(), modes, memory.results());
    }
}
