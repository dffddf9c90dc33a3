package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.LeasedHandler;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Reconciler.Verdict;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.engine.Engine;
import dev.semel.execution.Failures;
import dev.semel.execution.GatewayRun;
import dev.semel.execution.Settled;
import dev.semel.key.RecordId;
import dev.semel.operator.Operator.Warrant;
import dev.semel.operator.Replays;
import dev.semel.operator.UnresolvedMessages;
import dev.semel.operator.UnresolvedMessages.MessageFilter;
import dev.semel.operator.UnresolvedMessages.Scope;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.StoreCall;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * D16: a leased handler, or a step of it, has acted, and what it returned cannot be stored. That is no failure without an effect:
 * the key is not free again when the retention of failures is over, nor is it run again with the dead letters.
 */
abstract class UnstorableResultSuite extends ChannelFixture {
    private static final Warrant WARRANT = new Warrant("ann", "looked at the receiver");
    private static final Operation.Leased<Order, Object> MAKE =
            Operation.leased("make", Order.class, Object.class).withPolicy("steady");
    private static final Operation.Leased<Order, Object> REMAKE = Operation.leased("remake", Order.class, Object.class)
            .withPolicy("steady")
            .asRepeatable();
    private static final Operation.Leased<byte[], byte[]> ASK =
            Operation.leased("ask", byte[].class, byte[].class).withPolicy("steady");
    private static final Channel.Leased<Note> HOOK =
            Channel.leased("hook", Note.class).withPolicy("dropping");
    private static final Policy DROPPING = Policy.named("dropping")
            .withMaxAttempts(1)
            .withJitter(new Policy.Jitter.None())
            .withLease(LEASE)
            .withAttemptTimeout(Duration.ofMinutes(10))
            .withDeadLetters(false)
            .build();

    UnstorableResultSuite(EngineContract contract) {
        super(contract);
    }

    /** A value that Jackson cannot write. */
    record Broken(String text) {
        @Override
        public String text() {
            throw new IllegalStateException("simulated");
        }
    }

    /** Why a result cannot be stored. */
    enum Why {
        TOO_LARGE("at most 1048576 are kept") {
            @Override
            Object result() {
                return "x".repeat(2 << 20);
            }
        },
        NOT_WRITABLE("cannot be written as JSON") {
            @Override
            Object result() {
                return new Broken("text");
            }
        },
        REFUSED("the store rejected its data") {
            @Override
            Object result() {
                return "result";
            }
        };

        private final String said;

        Why(String said) {
            this.said = said;
        }

        abstract Object result();
    }

    /** A node whose store refuses the results of these records, where that is the reason. */
    private Engine node(Why why, RecordId... ids) {
        Faults faults = new Faults() {
            @Override
            public Fault at(StoreCall call) {
                return Fault.NONE;
            }

            @Override
            public boolean refuses(StoreCall call, RecordId record) {
                return why == Why.REFUSED
                        && call == StoreCall.MOVE
                        && Stream.of(ids).anyMatch(record::equals);
            }
        };
        return start(new FaultyStore(reopened(), faults), settings -> settings.withPolicy(DROPPING));
    }

    private LeasedHandler<Order, Object> making(Object result) {
        return (order, run) -> {
            handled.add(order.item());
            return result;
        };
    }

    private static Call<Order> order(String key) {
        return Call.of(ACME, Key.of(key), new Order(key, 1));
    }

    private static String reason(Answer<?> answer) {
        assertThat(answer).isInstanceOf(Answer.Unknown.class);
        return ((Answer.Unknown<?>) answer).notice().reason();
    }

    /** Longer than any failure is kept, and the purge has run. */
    private void failuresAreForgotten() {
        time.advance(STEADY.retention().deadLetters().plusHours(1));
        engine.duties().sweeper().sweep();
        engine.duties().purger().purge();
    }

    @Test
    void d16_leasedCallWhoseResultCannotBeStoredHasTakenEffectAndIsNeverRunAgainByItself() {
        for (Operation.Leased<Order, Object> operation : List.of(MAKE, REMAKE)) {
            for (Why why : Why.values()) {
                handled.clear();
                String key = why.name();
                Engine node = node(why, id(operation, key));
                assertThat(reason(node.run(operation, order(key), making(why.result()))))
                        .as("%s %s", operation.name(), why)
                        .startsWith("It ran, but its result cannot be stored: ")
                        .contains(why.said);
                assertThat(story(operation, key)).containsExactly("operation.unknown");
                failuresAreForgotten();
                reason(engine.run(operation, order(key), making("result")));
                assertThat(handled).containsExactly(key);
                assertThat(state(operation, key)).isEqualTo(State.UNKNOWN);
            }
        }
    }

    @Test
    void d16_reconcilerOfSuchACallGivesItsResult() {
        node(Why.TOO_LARGE).run(MAKE, order("k"), making(Why.TOO_LARGE.result()));
        engine.reconcile(MAKE, (order, what) -> Verdict.tookEffect("a reference"));
        engine.duties().reconciliation().reconcile();
        assertThat(engine.run(MAKE, order("k"), making("again")).orThrow()).isEqualTo("a reference");
        assertThat(handled).containsExactly("k");
    }

    @Test
    void d16_inABatchOnlyTheLeasedCallWhoseResultCannotBeStoredIsUnknown() {
        for (Why why : Why.values()) {
            handled.clear();
            String bad = why + "-bad";
            Engine node = node(why, id(MAKE, bad));
            List<Call<Order>> calls = List.of(order(why + "-a"), order(bad), order(why + "-b"));
            LeasedHandler<Order, Object> handler = (order, run) -> {
                handled.add(order.item());
                return order.item().equals(bad) ? why.result() : "result";
            };
            List<Answer<Object>> answers = node.runAll(MAKE, calls, handler);
            assertThat(answers.get(0)).isInstanceOf(Answer.Executed.class);
            assertThat(reason(answers.get(1))).as("%s", why).contains(why.said);
            assertThat(answers.get(2)).isInstanceOf(Answer.Executed.class);
            failuresAreForgotten();
            reason(engine.runAll(MAKE, List.of(order(bad)), making("result")).get(0));
            assertThat(handled).containsExactly(why + "-a", bad, why + "-b");
        }
    }

    @Test
    void d16_leasedDeliveryWhoseEndTheStoreRefusesIsUnknownAlsoWhereNoDeadLettersAreKept() {
        for (Channel.Leased<Note> channel : List.of(MAIL, HOOK)) {
            handled.clear();
            Engine node = node(Why.REFUSED, id(channel.operation(), "bad"));
            node.handle(channel, listing());
            node.sendAll(channel, List.of(note("a", "lane"), note("bad", "lane"), note("b", "lane")));
            work(node);
            assertThat(row(channel, "a").state()).isEqualTo(State.COMPLETED);
            assertThat(row(channel, "b").state()).isEqualTo(State.COMPLETED);
            assertNotRunAgainWithTheDead(node, channel.operation(), "bad", "a", "bad", "b");
            assertThat(node.send(channel, note("bad", "lane"))).isInstanceOf(Sent.Accepted.class);
            work(node);
            assertThat(handled).containsOnlyOnce("bad");
        }
    }

    @Test
    void d16_replayedOperationWhoseResultCannotBeStoredIsUnknown() {
        for (Why why : Why.values()) {
            handled.clear();
            String key = why.name();
            engine.operator().setMode(new Switchboard.Setting(null, "make", Mode.SHADOW), WARRANT);
            assertThat(engine.run(MAKE, order(key), making("never"))).isInstanceOf(Answer.Shadowed.class);
            engine.operator().setMode(new Switchboard.Setting(null, "make", Mode.LIVE), WARRANT);
            Engine node = node(why, id(MAKE, key));
            node.handle(MAKE, making(why.result()));
            node.operator().replay(id(MAKE, key), WARRANT);
            work(node);
            assertNotRunAgainWithTheDead(node, MAKE, key, key);
        }
    }

    private void assertNotRunAgainWithTheDead(Engine node, Operation<?, ?> operation, String key, String... ran) {
        assertThat(handled).containsExactlyInAnyOrder(ran);
        assertThat(state(operation, key)).isEqualTo(State.UNKNOWN);
        assertThat(story(operation, key)).endsWith("operation.unknown");
        node.handle(Replays.CHANNEL, node.operator().replays()::handle);
        UnresolvedMessages.Preview dead = node.operator().letters().preview(MessageFilter.ALL.with(Scope.DEAD));
        node.send(Replays.CHANNEL, Replays.begin(operation.name() + key, dead, 0, WARRANT));
        for (int passes = 0; passes < 4; passes++) {
            work(node);
            time.advance(Duration.ofSeconds(2));
        }
        failuresAreForgotten();
        work(node);
        assertThat(handled).containsExactlyInAnyOrder(ran);
        assertThat(state(operation, key)).isEqualTo(State.UNKNOWN);
    }

    private LeasedHandler<Order, Object> inAStep(boolean repeatable, Object result) {
        return (order, run) -> Objects.requireNonNull(run.step("pay", Object.class, repeatable, key -> {
            handled.add(order.item());
            return result;
        }));
    }

    @Test
    void d16_stepWhoseResultCannotBeStoredMakesItsRecordUnknownAndIsNamedToTheReconciler() {
        for (Operation.Leased<Order, Object> operation : List.of(MAKE, REMAKE)) {
            for (boolean repeatable : List.of(false, true)) {
                for (Why why : Why.values()) {
                    stepOf(operation, repeatable, why);
                }
            }
        }
    }

    private void stepOf(Operation.Leased<Order, Object> operation, boolean repeatable, Why why) {
        handled.clear();
        String key = why + "-" + repeatable;
        RecordId step = id(operation, key).step("pay");
        Engine node = node(why, step);
        assertThat(reason(node.run(operation, order(key), inAStep(repeatable, why.result()))))
                .as("%s %s", operation.name(), key)
                .contains("step \"pay\" ran, but its result cannot be stored")
                .contains(why.said);
        failuresAreForgotten();
        reason(engine.run(operation, order(key), inAStep(repeatable, "result")));
        assertThat(handled).containsExactly(key);
        assertThat(store.ledger().steps(id(operation, key)))
                .extracting(Row::id, Row::state)
                .containsExactly(tuple(step, State.IN_PROGRESS));
        Engine asking = otherNode();
        asking.reconcile(operation, (order, what) -> what.bySteps(each -> Verdict.tookEffect("found")));
        asking.duties().reconciliation().reconcile();
        assertThat(asking.run(operation, order(key), inAStep(repeatable, "again"))
                        .orThrow())
                .isEqualTo("found");
        assertThat(handled).containsExactly(key);
    }

    @Test
    void d16_handlerThatHidesThatItsStepCouldNotBeStoredDoesNotEndAsAFailureWithoutEffect() {
        LeasedHandler<Order, Object> hiding = (order, run) -> {
            try {
                return inAStep(false, Why.TOO_LARGE.result()).run(order, run);
            } catch (RuntimeException e) {
                throw Failure.of(Failure.Category.VALIDATION, "something is wrong")
                        .asException();
            }
        };
        assertThat(reason(engine.run(MAKE, order("hidden"), hiding))).contains("step \"pay\"");
        assertThat(reason(engine.run(MAKE, order("swallowed"), (order, run) -> {
                    try {
                        return inAStep(false, Why.TOO_LARGE.result()).run(order, run);
                    } catch (RuntimeException e) {
                        return "fine";
                    }
                })))
                .contains("step \"pay\"");
        assertThat(state(MAKE, "hidden")).isEqualTo(State.UNKNOWN);
        assertThat(state(MAKE, "swallowed")).isEqualTo(State.UNKNOWN);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Settled.Begun begin(Engine on, String key) {
        return on.gatewayRuns().begin(ASK, Call.of(ACME, Key.of(key), bytes("payload")));
    }

    private void assertTold(Class<?> answer, String key) {
        // Past the retention of failures, and within that of successes.
        time.advance(STEADY.retention().failure().plusMinutes(1));
        engine.duties().purger().purge();
        Settled.Begun again = begin(engine, key);
        assertThat(again).as("it is not run again").isInstanceOf(Settled.Answered.class);
        assertThat(((Settled.Answered) again).answer()).isInstanceOf(answer);
    }

    @Test
    void d16_exchangeOfWhichTheStoreKeepsNoAnswerAtAllIsUnknown() {
        GatewayRun run = (GatewayRun) begin(node(Why.REFUSED, id(ASK, "k")), "k");
        Settled settled = run.keep(bytes("answer"));
        assertThat(settled).isInstanceOf(Settled.Answered.class);
        assertThat(reason(((Settled.Answered) settled).answer())).contains(Why.REFUSED.said);
        assertThat(story(ASK, "k")).containsExactly("operation.unknown");
        assertTold(Answer.Unknown.class, "k");
    }

    @Test
    void d16_exchangeWhoseAnswerIsRejectedIsDoneWithoutIt() {
        GatewayRun run = (GatewayRun) begin(start(refusingTheAnswer("answer"), settings -> settings), "k");
        assertThat(run.keep(bytes("answer"))).as("its answer may leave").isEqualTo(new Settled.Recorded(null));
        assertThat(state(ASK, "k")).isEqualTo(State.COMPLETED);
        assertThat(story(ASK, "k")).containsExactly("operation.executed");
        assertTold(Answer.Replayed.class, "k");
        assertThat(((Settled.Answered) begin(engine, "k")).answer().orThrow())
                .as("an effect whose answer was lost")
                .isNull();
    }

    @Test
    void d16_handBackWhoseReasonTheStoreRefusesIsKeptWithoutTheReasonAndMayRunLater() {
        GatewayRun run = (GatewayRun) begin(start(refusingTheReason("simulated"), settings -> settings), "k");
        Failure why = Failure.of(Failure.Category.DISABLED, "simulated");
        Duration pause = Duration.ofSeconds(5);
        assertThat(run.handBack(pause, why)).isEqualTo(new Settled.Recorded(pause));
        assertThat(state(ASK, "k")).isEqualTo(State.FAILED_RETRYABLE);
        Answer<byte[]> meanwhile = ((Settled.Answered) begin(engine, "k")).answer();
        assertThat(meanwhile).isInstanceOf(Answer.RetryLater.class);
        assertThat(((Answer.RetryLater<byte[]>) meanwhile).failure().category()).isEqualTo(Failure.Category.DISABLED);
        time.advance(pause);
        assertThat(((GatewayRun) begin(engine, "k")).attempt())
                .as("it never ran")
                .isEqualTo(1);
    }

    @Test
    void d16_handBackOfWhichTheStoreKeepsNothingIsNotReportedAsARun() {
        GatewayRun run = (GatewayRun) begin(start(refusingTheReason(""), settings -> settings), "k");
        Settled settled = run.handBack(Duration.ofSeconds(5), Failure.of(Failure.Category.DISABLED, "simulated"));
        assertThat(reason(((Settled.Answered) settled).answer())).startsWith("It did not run, and ");
    }

    @Test
    void d16_failureWithoutEffectWhoseReasonTheStoreRefusesMayBeRunAgain() {
        GatewayRun run = (GatewayRun) begin(start(refusingTheReason("simulated"), settings -> settings), "k");
        Settled settled = run.fail(Failure.of(Failure.Category.NETWORK, "simulated"));
        assertThat(settled).isInstanceOf(Settled.Recorded.class);
        assertThat(state(ASK, "k")).isEqualTo(State.FAILED_RETRYABLE);
        assertThat(story(ASK, "k")).containsExactly("retry.attempt");
        time.advance(((Settled.Recorded) settled).again());
        assertThat(((GatewayRun) begin(engine, "k")).attempt()).isEqualTo(2);
    }

    @Test
    void d16_exchangeThatIsParkedForAReasonThatTheStoreRefusesIsUnknownWithItsCategory() {
        GatewayRun run = (GatewayRun) begin(start(refusingTheReason("simulated"), settings -> settings), "k");
        assertThat(run.park(Failure.of(Failure.Category.NETWORK, "simulated"))).isEqualTo(new Settled.Recorded(null));
        assertThat(Failures.decode(row(ASK, "k").failure()).category()).isEqualTo(Failure.Category.NETWORK);
        assertThat(story(ASK, "k")).containsExactly("operation.unknown");
        assertTold(Answer.Unknown.class, "k");
    }

    /** A store that would keep the record, but not this answer. */
    private Store refusingTheAnswer(String answer) {
        return refusing(move -> {
            byte[] result = move.change().result();
            return result != null && new String(result, StandardCharsets.UTF_8).equals(answer);
        });
    }

    /** A store that would keep the record, but not a failure with this text. */
    private Store refusingTheReason(String text) {
        return refusing(move -> {
            byte[] failure = move.change().failure();
            return failure != null && new String(failure, StandardCharsets.UTF_8).contains(text);
        });
    }

    private Store refusing(Predicate<Move> data) {
        return new ForwardingStore(reopened()) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(delegate().ledger()) {
                    @Override
                    public List<Moved> move(List<Move> batch) {
                        return batch.stream().map(this::moved).toList();
                    }

                    private Moved moved(Move move) {
                        return data.test(move)
                                ? new Moved.NotStored(new SemelException.DataRefused(
                                        "record " + move.id() + ": the store rejected its data.",
                                        new SQLException("simulated", "22021")))
                                : super.move(List.of(move)).get(0);
                    }
                };
            }
        };
    }
}
