package dev.semel.testkit.sim;

import dev.semel.AtomicContext;
import dev.semel.AtomicHandler;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.LeasedContext;
import dev.semel.LeasedHandler;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Reconciler;
import dev.semel.engine.Engine;
import dev.semel.store.Row;
import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.History;
import dev.semel.testkit.memory.MemoryTable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The operations of the nodes: an atomic one, repeatable and unrepeatable leased ones, with steps and without. A
 * payload names its record and is part of every result, so that nobody can be given another's.
 */
final class SimOperations implements RecordJournal.Rules {
    static final Operation.Atomic<String, String> CHARGE =
            Operation.atomic("charge", String.class, String.class).withPolicy("sim");
    static final Operation.Leased<String, String> WIRE =
            Operation.leased("wire", String.class, String.class).withPolicy("sim");
    static final Operation.Leased<String, String> MAIL = Operation.leased("mail", String.class, String.class)
            .withPolicy("sim")
            .asRepeatable();
    static final Operation.Leased<String, String> ORDER = Operation.leased("order", String.class, String.class)
            .withPolicy("sim")
            .asRepeatable();
    /** May be repeated, but for its payment, whose receiver does not recognise a second one. */
    static final Operation.Leased<String, String> TRANSFER = Operation.leased("transfer", String.class, String.class)
            .withPolicy("sim")
            .asRepeatable();

    static final List<Operation.Leased<String, String>> LEASED = List.of(WIRE, MAIL, ORDER, TRANSFER);

    private static final Channel.RateLimit LIMIT =
            Channel.RateLimit.of(3, Duration.ofSeconds(4)).withBurst(2);
    private static final Channel.RateLimit LIMIT_OF_TENANT = Channel.RateLimit.ofTenant(4, Duration.ofSeconds(4));
    private static final Channel.Breaker BREAKER = new Channel.Breaker(50, 2, Duration.ofSeconds(3));

    final Duration lease;
    final Policy policy;
    private final Scheduler scheduler;
    private final Random random;
    private final History history;
    final ExternalService outside;
    private final boolean reconciles;
    private final @Nullable PermitJournal permits;
    private final Map<Integer, ClientCall> executions = new LinkedHashMap<>();
    private final Map<String, String> first = new LinkedHashMap<>();
    private @Nullable BiConsumer<String, AtomicContext> enclosing;
    private Consumer<Row> whenCommitted = row -> {};
    private boolean calm;

    /** @param permits of the guarded operations; absent when none is guarded in this run */
    SimOperations(
            Scheduler scheduler, History history, Duration lease, boolean shortLived, @Nullable PermitJournal permits) {
        this.scheduler = scheduler;
        this.random = scheduler.random;
        this.history = history;
        this.lease = lease;
        this.outside = new ExternalService(history);
        this.reconciles = random.nextInt(4) > 0;
        this.permits = permits;
        this.policy = Policy.named("sim")
                .withMaxAttempts(3)
                .withExponentialBackoff(Duration.ofMillis(200), 2, Duration.ofSeconds(2))
                .withLease(lease)
                .withAttemptTimeout(lease.multipliedBy(3))
                .withDeadHead(random.nextBoolean() ? Policy.DeadHead.CONTINUE : Policy.DeadHead.PARK_LANE)
                .withRetention(
                        shortLived
                                ? new Policy.Retention(
                                        Duration.ofSeconds(12), Duration.ofSeconds(8), Duration.ofSeconds(15))
                                : Policy.Retention.PAYMENTS)
                .build();
    }

    /** Charges, which in a guarded run have a limit for each tenant and a breaker. */
    Operation.Atomic<String, String> charge() {
        return permits == null ? CHARGE : CHARGE.withRateLimit(LIMIT_OF_TENANT).withBreaker(BREAKER);
    }

    /** The leased operation of this name; mail has a limit and a breaker in a guarded run. */
    Operation.Leased<String, String> leased(String name) {
        Operation.Leased<String, String> operation = LEASED.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
        boolean guarded = permits != null && operation == MAIL;
        return guarded ? operation.withRateLimit(LIMIT).withBreaker(BREAKER) : operation;
    }

    /** How the messages of a channel are handled; in a guarded run under a limit and a breaker. */
    Channel.Capacity capacity() {
        return permits == null
                ? Channel.Capacity.DEFAULT
                : Channel.Capacity.DEFAULT.withRateLimit(LIMIT).withBreaker(BREAKER);
    }

    /** A call was answered that was not stopped. */
    void admitted(String operation, ClientCall asking) {
        boolean limited = operation.equals(MAIL.name()) || operation.equals(CHARGE.name());
        if (permits != null && limited) {
            permits.admitted(operation, asking.entered);
        }
    }

    /** Remembers the first payload of each record. */
    void asked(String payload) {
        first.putIfAbsent(ClientCall.record(payload), payload);
    }

    /** The first payload of each record that was asked for. */
    List<String> records() {
        return List.copyOf(first.values());
    }

    /** Charges send something too, from now on, and messages are handled. */
    void enclosing(BiConsumer<String, AtomicContext> sends, Consumer<Row> committed) {
        enclosing = sends;
        whenCommitted = committed;
    }

    /** Handlers succeed from now on. */
    void clear() {
        calm = true;
    }

    @Override
    public boolean repeatable(String operation) {
        return !operation.equals(WIRE.name()) && !operation.equals(ChannelTraffic.PARCEL.name());
    }

    @Override
    public int maxAttempts() {
        return policy.retry().maxAttempts();
    }

    @Override
    public void committed(String record, Row row) {
        whenCommitted.accept(row);
    }

    @Override
    public void forgotten(String record, long fence) {
        outside.forget(record, fence);
    }

    /** Executions of atomic handlers, by number, with the call that each was made for. */
    Map<Integer, ClientCall> executions() {
        return executions;
    }

    void register(SimNode node, Engine engine) {
        for (Operation.Leased<String, String> operation : LEASED) {
            Operation.Leased<String, String> declared = leased(operation.name());
            engine.handle(declared, leased(node, operation, nobody -> null));
            if (reconciles) {
                engine.reconcile(declared, operation == TRANSFER ? byKey(node) : reconciler(node));
            }
        }
    }

    /** @param askings whose call it is, by correlation id */
    AtomicHandler<String, String> charge(SimNode node, Function<String, ClientCall> askings) {
        return (payload, tx) -> {
            ClientCall asking = askings.apply(tx.correlationId());
            asking.entered = true;
            int number = executions.size() + 1;
            scheduler.trace.add(scheduler.nanos(), scheduler.current().name, payload + " is execution " + number);
            executions.put(number, asking);
            node.entered();
            try {
                node.disturb();
                fail(15, true);
                take(node, 4);
                tx.unwrap(MemoryTable.class).put("effect/" + number, payload);
                if (enclosing != null) {
                    enclosing.accept("effect/" + number, tx);
                }
                node.disturb();
                fail(8, true);
                return payload + "#" + number;
            } finally {
                node.left();
            }
        };
    }

    /** @param askings whose call it is, by correlation id; nobody's when the record is taken over */
    LeasedHandler<String, String> leased(
            SimNode node, Operation.Leased<String, String> operation, Function<String, @Nullable ClientCall> askings) {
        return (payload, run) -> {
            ClientCall asking = askings.apply(run.correlationId());
            scheduler.trace.add(scheduler.nanos(), scheduler.current().name, payload + " runs under " + run.fence());
            if (asking == null) {
                worked(String.valueOf(payload));
            } else {
                asking.entered = true;
                history.start(asking.record, asking.call, run.fence(), run.attempt());
            }
            node.entered();
            try {
                if (operation == TRANSFER) {
                    return transfer(node, payload, run);
                }
                return operation == ORDER ? order(node, payload, run) : deliver(node, payload, run);
            } finally {
                node.left();
            }
        };
    }

    /** A run without a caller is a call that is never answered. */
    private void worked(String payload) {
        history.invoke(ClientCall.record(payload), payload.getBytes(StandardCharsets.UTF_8));
    }

    private String deliver(SimNode node, String payload, LeasedContext run) throws Exception {
        return deliver(node, payload, run, null);
    }

    String deliver(SimNode node, String payload, LeasedContext run, Event.@Nullable Place place) throws Exception {
        long began = scheduler.nanos();
        node.disturb();
        String record = ClientCall.record(payload);
        boolean surely = outside.receipt(record) == null;
        fail(15, surely);
        takenBack(surely && scheduler.nanos() - began > lease.toNanos());
        take(node, 6);
        if (random.nextInt(4) == 0) {
            run.ensureHeld();
        }
        node.disturb();
        String receipt = outside.deliver(record, new Event.Grant(run.fence(), run.attempt()), payload, place);
        if (receipt == null) {
            run.ensureHeld();
            throw Failure.of(Failure.Category.NETWORK, "came too late").asException();
        }
        node.disturb();
        fail(8, false);
        return receipt;
    }

    private String order(SimNode node, String payload, LeasedContext run) throws Exception {
        run.step("check", String.class, key -> {
            fail(8, outside.receipt(ClientCall.record(payload)) == null);
            return "checked";
        });
        String receipt = run.step("pay", String.class, key -> deliver(node, payload, run));
        run.step("note", String.class, true, key -> {
            take(node, 8);
            return "noted";
        });
        return String.valueOf(receipt);
    }

    private String transfer(SimNode node, String payload, LeasedContext run) throws Exception {
        String receipt = run.step("pay", String.class, false, key -> {
            outside.given(key, ClientCall.record(payload));
            return deliver(node, payload, run);
        });
        run.step("note", String.class, true, key -> {
            take(node, 8);
            return "noted";
        });
        return String.valueOf(receipt);
    }

    @Override
    public boolean parksLanes() {
        return policy.options().deadHead() == Policy.DeadHead.PARK_LANE;
    }

    boolean reconciles() {
        return reconciles;
    }

    Reconciler<String, String> reconciler(SimNode node) {
        return (payload, about) -> {
            node.disturb();
            String record = ClientCall.record(String.valueOf(payload));
            int roll = calm ? 9 : random.nextInt(10);
            if (roll == 0) {
                throw new IllegalStateException("the reconciler cannot look");
            }
            if (roll == 1) {
                return new Reconciler.Verdict.StillUnknown<>("not yet");
            }
            String receipt = outside.receipt(record);
            if (receipt != null) {
                worked(String.valueOf(payload));
                return new Reconciler.Verdict.TookEffect<>(receipt + " (reconciled)");
            }
            outside.bar(record, about.fence());
            return new Reconciler.Verdict.NoEffect<>();
        };
    }

    /** Nothing was performed outside of steps, and no step is open: later deliveries are rejected. */
    private Reconciler.Verdict<String> outsideItsSteps(String payload, Reconciler.Case about) {
        outside.bar(ClientCall.record(payload), about.fence());
        return Reconciler.Verdict.noEffect();
    }

    /** Knows nothing but the keys that the interrupted steps handed over. */
    private Reconciler<String, String> byKey(SimNode node) {
        return (payload, about) -> {
            node.disturb();
            if (about.steps().isEmpty()) {
                return outsideItsSteps(String.valueOf(payload), about);
            }
            return about.bySteps(step -> {
                int roll = calm ? 9 : random.nextInt(10);
                if (roll == 0) {
                    return Reconciler.Verdict.stillUnknown("not yet");
                }
                String record = outside.givenWith(step.downstreamKey());
                String receipt = record == null ? null : outside.receipt(record);
                if (receipt != null) {
                    return Reconciler.Verdict.tookEffect(receipt);
                }
                outside.bar(ClientCall.record(String.valueOf(payload)), about.fence());
                return Reconciler.Verdict.noEffect();
            });
        };
    }

    /** The handler takes its time: seldom longer than a lease, and very seldom longer than an attempt may. */
    void take(SimNode node, int seldom) throws InterruptedException {
        if (calm || random.nextInt(seldom) > 0) {
            return;
        }
        long millis = lease.toMillis();
        long taken = random.nextInt(4) > 0 ? random.nextLong(millis / 4) : random.nextLong(millis * 4);
        node.time.sleep(Duration.ofMillis(taken));
    }

    /** The receiver does not accept our credentials: very seldom, as it stops the whole channel. */
    void refuse() {
        if (!calm && random.nextInt(40) == 0) {
            scheduler.trace.add(scheduler.nanos(), scheduler.current().name, "is refused");
            throw Failure.of(Failure.Category.AUTH, "who are you").asException();
        }
    }

    /** What had no effect must not be tried again: seldom. */
    boolean givesUp() {
        return !calm && random.nextInt(4) == 0;
    }

    /** An actor that was paused for longer than its lease often finds its record released. */
    private void takenBack(boolean late) {
        if (!calm && late && random.nextBoolean()) {
            throw Failure.of(Failure.Category.CONFLICT, "changed meanwhile").asException();
        }
    }

    /** @param surely whether nothing can have happened yet, so that the handler may say so */
    void fail(int percent, boolean surely) {
        if (calm || random.nextInt(100) >= percent) {
            return;
        }
        int kind = surely ? random.nextInt(5) : 3 + random.nextInt(2);
        scheduler.trace.add(scheduler.nanos(), scheduler.current().name, "fails, kind " + kind);
        throw switch (kind) {
            case 0 -> Failure.of(Failure.Category.VALIDATION, "not valid").asException();
            case 1 -> Failure.of(Failure.Category.CONFLICT, "not now").asException();
            case 2 ->
                Failure.of(Failure.Category.RATE_LIMITED, "too many")
                        .withRetryAfter(Duration.ofSeconds(random.nextInt(10) == 0 ? 7_200 : 1))
                        .asException();
            case 3 -> Failure.of(Failure.Category.NETWORK, "cut off").asException();
            default -> new IllegalStateException("something else");
        };
    }
}
