package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.AtomicHandler;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.audit.AuditEvent;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.key.Fingerprints;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.key.ValueCodec;
import dev.semel.operator.DecisionReplay;
import dev.semel.operator.DecisionReplay.DecisionReport;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.Header;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.time.ManualTime;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import tools.jackson.databind.json.JsonMapper;

/** The shared base of the suites: an engine on an empty store, a manual clock, two operations and their policies. */
abstract class EngineSuite {
    static final Tenant ACME = Tenant.of("acme");
    static final Duration LEASE = Duration.ofSeconds(30);

    /** Three attempts, 1 s and 2 s apart, without jitter. */
    static final Policy STEADY = Policy.named("steady")
            .withJitter(new Policy.Jitter.None())
            .withLease(LEASE)
            .withAttemptTimeout(Duration.ofMinutes(10))
            .build();

    record Order(String item, int amount) {}

    record Receipt(String number) {}

    static final Operation.Atomic<Order, Receipt> CHARGE =
            Operation.atomic("charge", Order.class, Receipt.class).withPolicy("steady");
    static final Operation.Leased<Order, Receipt> REFUND =
            Operation.leased("refund", Order.class, Receipt.class).withPolicy("steady");
    static final Operation.Leased<Order, Receipt> NOTIFY = Operation.leased("notify", Order.class, Receipt.class)
            .withPolicy("steady")
            .asRepeatable();

    private final EngineContract contract;
    private final List<Engine> opened = new ArrayList<>();
    ManualTime time;
    Store store;
    Engine engine;
    Effects effects;

    @SuppressWarnings("NullAway.Init")
    EngineSuite(EngineContract contract) {
        this.contract = contract;
    }

    @BeforeEach
    void openEngine() throws Exception {
        time = new ManualTime(1_800_000_000_000L);
        store = contract.open(time);
        effects = contract.effects(store);
        engine = start(store, settings -> settings);
    }

    @AfterEach
    void closeEngines() {
        everyDecisionIsRecomputedFromItsEvent();
        Collections.reverse(opened);
        opened.forEach(Engine::close);
        Thread.interrupted();
    }

    /** Whatever a test does, its audit must be enough to decide the same again. */
    private void everyDecisionIsRecomputedFromItsEvent() {
        Thread.interrupted();
        DecisionReport report = recomputed();
        assertThat(report.differences()).isEmpty();
        assertThat(report.withoutInputs()).isZero();
    }

    /** The retry decisions of the audit, recomputed from an export of it. */
    DecisionReport recomputed() {
        DecisionReplay replay = DecisionReplay.bySettingsOfEvents();
        exported().forEach(replay::read);
        return replay.report();
    }

    /** All events in the order of the audit, through JSON and back. */
    List<Map<String, Object>> exported() {
        List<AuditRow> newestFirst = new ArrayList<>(
                store.audit().older(new AuditFilter(null, null, null, null), AuditRow.Position.END, 100_000));
        Collections.reverse(newestFirst);
        return newestFirst.stream()
                .map(row -> JsonMapper.shared().writeValueAsString(new AuditEvent(row).fields()))
                .map(EngineSuite::fields)
                .toList();
    }

    private static Map<String, Object> fields(String json) {
        Map<String, Object> fields = new LinkedHashMap<>();
        JsonMapper.shared()
                .readTree(json)
                .properties()
                .forEach(each -> fields.put(each.getKey(), each.getValue().asString("")));
        return fields;
    }

    Engine start(Store on, UnaryOperator<EngineSettings> more) {
        EngineSettings settings = EngineSettings.on(on)
                .withTime(time)
                .withRandom(new Random(opened.size()))
                .withPolicy(STEADY)
                .withoutBackground();
        Engine started = more.apply(settings).open();
        opened.add(started);
        return started;
    }

    /** Closes a node of {@link #start} before the end of the test. */
    void stop(Engine node) {
        opened.remove(node);
        node.close();
    }

    /** Another node on the same ledger, whose clock may be its own. */
    Engine otherNode(TimeSource clock) {
        return start(reopened(), settings -> settings.withTime(clock));
    }

    Store reopened() {
        return contract.reopen(store, time);
    }

    Engine otherNode() {
        return otherNode(time);
    }

    Optional<java.sql.Connection> connect() throws java.sql.SQLException {
        return contract.connect();
    }

    boolean strikesEverywhere() {
        return contract.strikesEverywhere();
    }

    static Call<Order> call(String key) {
        return Call.of(ACME, Key.of(key), new Order("book", 42)).withCorrelationId("c-" + key.length());
    }

    static Call<Order> otherPayload(String key) {
        return Call.of(ACME, Key.of(key), new Order("book", 43));
    }

    /** Counts an effect named after the key and answers a receipt for it. */
    AtomicHandler<Order, Receipt> charging(String key) {
        return (order, tx) -> {
            effects.apply(tx, key);
            return new Receipt("r-" + key);
        };
    }

    Answer<Receipt> charge(String key) {
        return engine.run(CHARGE, call(key), charging(key));
    }

    static RecordId id(Operation<?, ?> operation, String key) {
        return Identity.of(ACME, operation.name(), Key.of(key)).id();
    }

    @Nullable
    Row row(Operation<?, ?> operation, String key) {
        RecordId id = id(operation, key);
        return store.ledger().find(List.of(id)).get(id);
    }

    @Nullable
    State state(Operation<?, ?> operation, String key) {
        Row row = row(operation, key);
        return row == null ? null : row.state();
    }

    /** The types of the record's events, oldest first, with what was only counted so far written down. */
    List<String> story(Operation<?, ?> operation, String key) {
        engine.duties().replays().flush(true);
        List<String> types = new ArrayList<>(store.audit().newest(AuditFilter.of(id(operation, key)), 100).stream()
                .map(event -> new AuditEvent(event).type())
                .toList());
        Collections.reverse(types);
        return types;
    }

    /** A run whose process died: granted, or taken over, and never heard of again. */
    void abandon(Operation.Leased<Order, Receipt> operation, String key) {
        byte[] payload = new ValueCodec(1 << 20).encode(call(key).payload(), Order.class);
        Header header = new Header(
                ACME.name(),
                operation.name(),
                key,
                Fingerprints.of(operation.definition(), payload),
                "c-" + key.length(),
                null);
        Reservation reservation = new Reservation(
                Identity.of(ACME, operation.name(), Key.of(key)),
                header,
                payload,
                new Reservation.Grant(time.nanos() + 1, LEASE.toMillis(), operation.isRepeatable(STEADY), 3),
                null,
                null);
        long version = store.switchboard().modes().version();
        assertThat(store.ledger().reserve(version, List.of(reservation)).get(0)).isInstanceOf(Reserved.Granted.class);
    }

    /** A run whose process died inside a step: both are granted, and nobody hears of them again. */
    void dieInside(Operation.Leased<Order, Receipt> operation, String key, String step) {
        abandon(operation, key);
        interruptInside(Objects.requireNonNull(row(operation, key)), step, 2);
    }

    /** The run of a record begins a step that nobody ends. */
    void interruptInside(Row parent, String step, long owner) {
        Header header = parent.header();
        RecordId id = parent.id().step(step);
        Reservation reservation = new Reservation(
                Identity.of(id),
                new Header(
                        header.tenant(),
                        header.operation(),
                        step,
                        header.fingerprint(),
                        header.correlationId(),
                        parent.id()),
                null,
                new Reservation.Grant(time.nanos() + owner, 0, false, Integer.MAX_VALUE),
                new Reservation.Parent(parent.id(), parent.status().fence()),
                null);
        long version = store.switchboard().modes().version();
        assertThat(store.ledger().reserve(version, List.of(reservation)).get(0)).isInstanceOf(Reserved.Granted.class);
    }

    static Failure failure(Answer<?> answer) {
        if (answer instanceof Answer.RetryLater<?> later) {
            return later.failure();
        }
        assertThat(answer).isInstanceOf(Answer.Failed.class);
        return ((Answer.Failed<?>) answer).failure();
    }

    static void assertExecuted(Answer<Receipt> answer, String number) {
        assertThat(answer).isInstanceOf(Answer.Executed.class);
        assertThat(answer.orThrow()).isEqualTo(new Receipt(number));
    }

    static void assertReplayed(Answer<Receipt> answer, String number) {
        assertThat(answer).isInstanceOf(Answer.Replayed.class);
        assertThat(answer.orThrow()).isEqualTo(new Receipt(number));
    }

    /** The store as it is while other transactions hold these records. */
    Store locking(Set<RecordId> locked) {
        return new ForwardingStore(store) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(delegate().ledger()) {
                    @Override
                    public List<Moved> move(List<Move> batch) {
                        return batch.stream()
                                .map(move -> locked.contains(move.id())
                                        ? new Moved.Locked()
                                        : super.move(List.of(move)).get(0))
                                .toList();
                    }

                    @Override
                    public Moved moveTogether(List<Move> batch) {
                        return batch.stream().anyMatch(move -> locked.contains(move.id()))
                                ? new Moved.Locked()
                                : super.moveTogether(batch);
                    }
                };
            }

            @Override
            public void close() {}
        };
    }
}
