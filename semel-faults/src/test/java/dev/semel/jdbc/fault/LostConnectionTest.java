package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.EngineSettings;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.fault.FaultProxy;
import dev.semel.testkit.fault.FaultProxy.Loss;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingTransactions;
import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Judgement.Violation;
import dev.semel.testkit.history.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A5, A6 and C1 on PostgreSQL: connections lost at every statement, and bad networks. */
@Timeout(600)
class LostConnectionTest {
    private static final int MOST_STATEMENTS = 40;

    @TempDir
    private Path directory;

    private final RunDatabases direct = RunDatabases.postgres();
    private final List<Thread> callers = new ArrayList<>();
    private FaultProxy proxy;
    private RunDatabases place;
    private InProcessService node;

    @BeforeEach
    void open() throws Exception {
        direct.prepare();
        proxy = FaultProxy.toPostgres(PrivatePostgres.shared().port());
        place = direct.withParameters("socketTimeout=2&connectTimeout=2&poolWaitMillis=2000&poolSize=2")
                .through(proxy.port());
        start(new InProcessService(place, directory, "node"));
    }

    private void start(InProcessService next) {
        node = next;
        node.ask(WorkKind.PAY, "first");
    }

    /** In place of the one without a flaw. */
    private void restart(InProcessService flawed) throws Exception {
        node.close();
        start(flawed);
    }

    @AfterEach
    void close() throws Exception {
        proxy.heal();
        for (Thread caller : callers) {
            caller.join(60_000);
        }
        node.close();
        proxy.close();
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void a5_commitWhoseReplyIsLostIsAnsweredAsExecuted() throws Exception {
        proxy.atCommit(Loss.REPLY);
        assertThat(node.ask(WorkKind.PAY, "k")).isInstanceOf(Answer.Executed.class);
        finishAndJudge(List.of(new WorkKind.Item(WorkKind.PAY, "k")));
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void a5_lostReplyThatIsTakenForARollbackIsCaught() throws Exception {
        AtomicReference<FaultProxy.Trap> set = new AtomicReference<>();
        Semel believing = EngineSettings.on(new BelievesInRollback(place.open(), set))
                .withPolicy(WorkKind.POLICY)
                .open();
        restart(new InProcessService(place, directory, "flawed", ServiceBug.NONE, believing));
        set.set(proxy.atCommit(Loss.REPLY));
        assertThat(node.ask(WorkKind.PAY, "k")).isNull();
        assertThat(finished(List.of(new WorkKind.Item(WorkKind.PAY, "k"))).violations())
                .extracting(Violation::rule)
                .contains(Rule.R9);
    }

    /** A planted bug: when a trap has taken the reply of its commit away, it says that nothing was committed. */
    private static final class BelievesInRollback extends ForwardingStore {
        private final AtomicReference<FaultProxy.Trap> set;

        BelievesInRollback(Store delegate, AtomicReference<FaultProxy.Trap> set) {
            super(delegate);
            this.set = set;
        }

        @Override
        public Optional<Transactions> transactions() {
            return super.transactions().map(each -> new ForwardingTransactions(each) {
                @Override
                public <T> T run(Work<T> work) throws Exception {
                    T value = super.run(work);
                    FaultProxy.Trap trap = set.get();
                    if (trap != null && trap.awaitAnswered(Duration.ZERO) && set.compareAndSet(trap, null)) {
                        throw new SemelException.StoreUnavailable("Nothing was committed, it is believed.");
                    }
                    return value;
                }
            });
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void a5_commitThatIsStillInFlightIsNeverDoubled() throws Exception {
        FaultProxy.Trap trap = proxy.atCommit(Loss.REQUEST_HELD);
        node.ask(WorkKind.PAY, "k");
        trap.release();
        finishAndJudge(List.of(new WorkKind.Item(WorkKind.PAY, "k")));
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @EnumSource(names = {"REQUEST", "REPLY"})
    void a6_aConnectionLostAtAnyStatementLeavesAllOrNothing(Loss loss) throws Exception {
        int reached = 0;
        for (int n = 1; n <= MOST_STATEMENTS; n++) {
            int at = n;
            AtomicInteger seen = new AtomicInteger();
            proxy.at(sql -> seen.incrementAndGet() == at, loss);
            node.ask(WorkKind.PAY, "k" + n);
            if (seen.get() < at) {
                proxy.at(sql -> false, loss);
                break;
            }
            reached = n;
            node.askUntilFinal(new WorkKind.Item(WorkKind.PAY, "k" + n));
        }
        assertThat(reached).as("statements of an atomic call").isBetween(4, MOST_STATEMENTS - 1);
        finishAndJudge(List.of());
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void a6_effectThatIsCommittedBeforeItsRecordIsCaughtOnPostgres() throws Exception {
        restart(new InProcessService(place, directory, "flawed", ServiceBug.COMMITS_THE_EFFECT_FIRST));
        List<WorkKind.Item> asked = new ArrayList<>();
        // The engine commits for itself as well, when it opens a connection or keeps house: that may spend a trap.
        for (int i = 1; i <= 5; i++) {
            proxy.atCommit(Loss.REQUEST);
            node.ask(WorkKind.PAY, "k" + i);
            asked.add(new WorkKind.Item(WorkKind.PAY, "k" + i));
        }
        proxy.at(sql -> false, Loss.REQUEST);
        assertThat(finished(asked).violations()).extracting(Violation::rule).contains(Rule.R2);
    }

    /** The lease is far longer than the test: who waited for its end would be late. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @ValueSource(booleans = {false, true})
    void c1_whatAClaimWasGrantedWhoseReplyIsLostIsHandledLongBeforeItsLeaseIsOver(boolean lanes) throws Exception {
        Policy patient = Policy.named("patient").withLease(Duration.ofHours(1)).build();
        Channel.Leased<String> plain =
                Channel.leased("lost-claims", String.class).withPolicy("patient");
        Channel.Leased<String> channel = lanes ? plain.withLane(text -> "lane") : plain;
        BlockingQueue<String> handled = new LinkedBlockingQueue<>();
        try (Semel worker = EngineSettings.on(place.open()).withPolicy(patient).open()) {
            FaultProxy.Trap trap = proxy.at(lanes ? endOfAGrantInLanes() : LostConnectionTest::grants, Loss.REPLY);
            worker.handle(
                    channel,
                    (text, run) -> handled.add(text + " by attempt " + run.attempt() + " under " + run.fence()));
            try (Semel sender = EngineSettings.on(direct.open())
                    .withPolicy(patient)
                    .withoutBackground()
                    .open()) {
                sender.sendAll(
                        channel,
                        Stream.of("a", "b", "c")
                                .map(key -> Message.of(Tenant.of("acme"), Key.of(key), key))
                                .toList());
            }
            assertThat(trap.awaitAnswered(Duration.ofSeconds(60))).isTrue();
            List<String> expected = new ArrayList<>();
            try (Store store = direct.open()) {
                for (String key : List.of("a", "b", "c")) {
                    RecordId id = Identity.of(Tenant.of("acme"), channel.name(), Key.of(key))
                            .id();
                    long fence =
                            store.ledger().find(List.of(id)).get(id).status().fence();
                    expected.add(key + " by attempt 1 under " + fence);
                }
            }
            List<String> seen = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                seen.add(handled.poll(60, TimeUnit.SECONDS));
            }
            assertThat(seen).containsExactlyInAnyOrderElementsOf(expected);
            if (lanes) {
                assertThat(seen).containsExactlyElementsOf(expected);
            }
            assertThat(worker.drain(Duration.ofSeconds(60))).isTrue();
            assertThat(handled).isEmpty();
        }
    }

    private static boolean grants(String sql) {
        return sql.contains("LIMIT (SELECT each FROM e) FOR UPDATE SKIP LOCKED");
    }

    /** The commit after the statement that grants records in lanes. */
    private static Predicate<String> endOfAGrantInLanes() {
        AtomicBoolean granted = new AtomicBoolean();
        return sql -> {
            granted.compareAndSet(false, sql.contains("i(n, id, turn, granted"));
            return granted.get() && sql.equalsIgnoreCase("commit");
        };
    }

    private enum Weather {
        REQUESTS_LOST(FaultProxy::dropRequests),
        REPLIES_LOST(FaultProxy::dropReplies),
        HALF_OPEN(FaultProxy::stall),
        RESET(FaultProxy::partition),
        ONE_BYTE_A_SECOND(FaultProxy::trickle),
        /** Whole, sooner or later. */
        REPLIES_BYTE_BY_BYTE(proxy -> proxy.trickleReplies(Duration.ofMillis(1))),
        /** Never silent for long, and never whole within reason. */
        REPLIES_THAT_TRICKLE(proxy -> proxy.trickleReplies(Duration.ofMillis(100))),
        /** Half a message, and then nothing for longer than the socket is waited for. */
        REPLIES_BROKEN_OFF(proxy -> proxy.trickleReplies(Duration.ofSeconds(20)));

        private final java.util.function.Consumer<FaultProxy> change;

        Weather(java.util.function.Consumer<FaultProxy> change) {
            this.change = change;
        }
    }

    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @EnumSource
    void c1_everyCallIsBoundedOnABadNetworkAndUnknownIsNotFailed(Weather weather) throws Exception {
        weather.change.accept(proxy);
        for (WorkKind work : WorkKind.values()) {
            assertThat(comesBack(work, Duration.ofSeconds(120))).as(work.name()).isTrue();
        }
        proxy.heal();
        finishAndJudge(List.of(
                new WorkKind.Item(WorkKind.PAY, "k"),
                new WorkKind.Item(WorkKind.NOTIFY, "k"),
                new WorkKind.Item(WorkKind.PRINT, "k")));
    }

    /** The bound is short, but what waits for ever is late for any. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void c1_callThatWaitsForEverIsCaught() throws Exception {
        RunDatabases unbounded =
                direct.withParameters("socketTimeout=0&poolSize=2").through(proxy.port());
        restart(new InProcessService(unbounded, directory, "flawed"));
        proxy.stall();
        assertThat(comesBack(WorkKind.PAY, Duration.ofSeconds(1))).isFalse();
    }

    private boolean comesBack(WorkKind work, Duration bound) throws Exception {
        CompletableFuture<Void> call = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                node.ask(work, "k");
                call.complete(null);
            } catch (Throwable e) {
                call.completeExceptionally(e);
            }
        });
        caller.setDaemon(true);
        callers.add(caller);
        caller.start();
        try {
            call.get(bound.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    private void finishAndJudge(List<WorkKind.Item> items) throws Exception {
        finished(items).assertHolds(Rule.R1, Rule.R2, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9);
    }

    private Judgement finished(List<WorkKind.Item> items) throws Exception {
        items.forEach(node::askUntilFinal);
        try (Stream<Path> files = Files.list(directory)) {
            return RunVerdict.judge(
                    direct,
                    files.filter(file -> file.toString().endsWith(".history")).toList());
        }
    }
}
