package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.AtomicHandler;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.Key;
import dev.semel.LeasedHandler;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.execution.Failures;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What a direct call passes before its handler: validation, rate limit, the record, retries, the breaker. */
abstract class PipelineSuite extends EngineSuite {
    private static final Duration PAUSE = Duration.ofMinutes(1);
    private static final int CALLS = 4;
    private static final Channel.Breaker BREAKER = new Channel.Breaker(50, CALLS, PAUSE);
    private static final Policy ONE_TRY = STEADY.toBuilder()
            .withName("one-try")
            .withMaxAttempts(1)
            .withBackoff(new Policy.Backoff.None())
            .build();
    private static final Operation.Atomic<Order, Receipt> BUY = Operation.atomic("buy", Order.class, Receipt.class)
            .withPolicy(ONE_TRY)
            .withBreaker(BREAKER);
    private static final Operation.Leased<Order, Receipt> SHIP = Operation.leased("ship", Order.class, Receipt.class)
            .withPolicy(ONE_TRY)
            .asRepeatable()
            .withBreaker(BREAKER);
    private static final Call.Validation<Order> POSITIVE =
            order -> order.amount() > 0 ? List.of() : List.of("the amount must be positive", "order something");

    private final List<String> ran = new ArrayList<>();
    private @Nullable Category failing;

    PipelineSuite(EngineContract contract) {
        super(contract);
    }

    private Receipt handle(String key) {
        ran.add(key);
        if (failing != null) {
            throw Failure.of(failing, "simulated").asException();
        }
        return new Receipt("r-" + key);
    }

    private AtomicHandler<Order, Receipt> buying(String key) {
        return (order, tx) -> handle(key);
    }

    private LeasedHandler<Order, Receipt> shipping(String key) {
        return (order, run) -> handle(key);
    }

    private Answer<Receipt> buy(String key) {
        return engine.run(BUY, call(key), buying(key));
    }

    private Answer<Receipt> ship(String key) {
        return engine.run(SHIP, call(key), shipping(key));
    }

    private static Call<Order> nothing(String key) {
        return Call.of(ACME, Key.of(key), new Order("book", 0));
    }

    private static Answer.RetryLater<Receipt> assertOpen(Answer<Receipt> answer) {
        assertThat(answer).isInstanceOf(Answer.RetryLater.class);
        Answer.RetryLater<Receipt> later = (Answer.RetryLater<Receipt>) answer;
        assertThat(Failures.isBreakerOpen(later.failure()))
                .as("%s", later.failure())
                .isTrue();
        assertThat(later.notice().reason()).contains("circuit breaker is open").contains("nothing was run");
        assertThat(later.in()).isPositive();
        return later;
    }

    private void open(Operation<Order, Receipt> operation) {
        failing = Category.UPSTREAM_ERROR;
        Answer<Receipt> answer = null;
        for (int i = 0; i <= CALLS && (answer == null || !Failures.isBreakerOpen(failure(answer))); i++) {
            answer = operation == BUY ? buy("broken" + i) : ship("broken" + i);
        }
        assertOpen(Objects.requireNonNull(answer));
        failing = null;
        ran.clear();
    }

    @Test
    void payloadWithFaultsIsRejectedWithAllOfThemAndNothingIsStored() {
        Operation.Atomic<Order, Receipt> atomic = BUY.withValidation(POSITIVE);
        Operation.Leased<Order, Receipt> leased = SHIP.withValidation(POSITIVE);
        for (Answer<Receipt> answer : List.of(
                engine.run(atomic, nothing("k"), buying("k")), engine.run(leased, nothing("k"), shipping("k")))) {
            assertThat(answer).isInstanceOf(Answer.Rejected.class);
            assertThat(((Answer.Rejected<Receipt>) answer).notice().reason())
                    .contains("was rejected: the amount must be positive; order something. Nothing was stored.");
        }
        assertThat(ran).isEmpty();
        assertThat(row(BUY, "k")).isNull();
        assertThat(row(SHIP, "k")).isNull();
        assertThat(story(BUY, "k")).isEmpty();
        assertExecuted(engine.run(atomic, call("k"), buying("k")), "r-k");
        assertExecuted(engine.run(leased, call("k"), shipping("k")), "r-k");
    }

    @Test
    void checkThatThrowsRejectsTheCall() {
        Operation.Atomic<Order, Receipt> broken = BUY.withValidation(order -> {
            throw new IllegalStateException("bug");
        });
        Operation.Atomic<Order, Receipt> strict = BUY.withValidation(order -> {
            throw new SemelException.Invalid("no books on Sundays");
        });
        assertThat(engine.run(broken, call("k"), buying("k")))
                .satisfies(answer -> assertThat(
                                ((Answer.Rejected<Receipt>) answer).notice().reason())
                        .contains("its check failed (IllegalStateException)"));
        assertThat(engine.run(strict, call("k"), buying("k")))
                .satisfies(answer -> assertThat(
                                ((Answer.Rejected<Receipt>) answer).notice().reason())
                        .isEqualTo("no books on Sundays"));
        Call<Order> empty = Call.of(ACME, Key.of("k"), null);
        assertThat(engine.run(BUY.withValidation(POSITIVE), empty, buying("k"))).isInstanceOf(Answer.Rejected.class);
        assertThat(ran).isEmpty();
        assertThat(row(BUY, "k")).isNull();
    }

    @Test
    void messageWithFaultsIsRejectedAndASendOfItFailsItsHandler() {
        Assumptions.assumeTrue(store.queue().isPresent(), "the store keeps no work for later");
        Channel.Leased<Order> parcels = Channel.leased("parcels", Order.class).withValidation(POSITIVE);
        Message<Order> bad = Message.of(ACME, Key.of("m"), new Order("book", 0));
        assertThat(engine.send(parcels, bad)).isInstanceOf(Sent.Rejected.class);
        assertThat(engine.sendAll(parcels, List.of(bad, Message.of(ACME, Key.of("n"), new Order("book", 1)))))
                .extracting(sent -> sent.getClass().getSimpleName())
                .containsExactly("Rejected", "Accepted");
        Answer<Receipt> answer = engine.run(BUY, call("k"), (order, tx) -> {
            tx.send(parcels, bad);
            return new Receipt("never");
        });
        assertThat(answer.isResult()).isFalse();
        assertThat(row(parcels.operation(), "m")).isNull();
        assertThat(row(parcels.operation(), "n")).isNotNull();
    }

    @Test
    void stepsOfThePipelineAreTakenInTheirOrder() {
        List<String> steps = new ArrayList<>();
        Operation.Atomic<Order, Receipt> guarded = BUY.withPolicy(STEADY)
                .withValidation(order -> {
                    steps.add("validate");
                    return POSITIVE.faults(order);
                })
                .withRateLimit(Channel.RateLimit.of(2, Duration.ofHours(1)));
        AtomicHandler<Order, Receipt> handler = (order, tx) -> {
            steps.add("attempt " + tx.attempt());
            if (tx.attempt() < 3) {
                throw Failure.of(Category.NETWORK, "simulated").asException();
            }
            return new Receipt("r");
        };
        assertThat(engine.run(guarded, nothing("a"), handler)).isInstanceOf(Answer.Rejected.class);
        assertExecuted(engine.run(guarded, call("a"), handler), "r");
        assertThat(steps).containsExactly("validate", "validate", "attempt 1", "attempt 2", "attempt 3");
        assertReplayed(engine.run(guarded, call("a"), handler), "r");
        // The rejected call cost no permit, the retries none, and the replay one.
        Answer<Receipt> limited = engine.run(guarded, call("a"), handler);
        assertThat(Failures.isRateLimit(failure(limited))).isTrue();
        assertThat(((Answer.RetryLater<Receipt>) limited).in())
                .isEqualTo(Duration.ofMinutes(30).minusSeconds(3));
        assertThat(engine.run(guarded, nothing("a"), handler)).isInstanceOf(Answer.Rejected.class);
    }

    @Test
    void openBreakerOfAnAtomicOperationRunsNothingAndStoresNothing() {
        assertExecuted(buy("done"), "r-done");
        open(BUY);
        assertOpen(buy("new"));
        assertThat(row(BUY, "new")).isNull();
        assertThat(ran).isEmpty();
        assertReplayed(buy("done"), "r-done");
        assertThat(engine.run(BUY, otherPayload("done"), buying("done"))).isInstanceOf(Answer.Conflict.class);
    }

    @Test
    void openBreakerOfALeasedOperationKeepsRecordsAsTheyAre() {
        assertExecuted(ship("done"), "r-done");
        open(SHIP);
        Row before = Objects.requireNonNull(row(SHIP, "broken0"));
        assertThat(before.state()).isEqualTo(State.FAILED_RETRYABLE);
        assertOpen(ship("new"));
        assertOpen(ship("broken0"));
        assertThat(row(SHIP, "new")).isNull();
        assertThat(Objects.requireNonNull(row(SHIP, "broken0")).status()).isEqualTo(before.status());
        assertThat(ran).isEmpty();
        assertReplayed(ship("done"), "r-done");
        assertThat(engine.run(SHIP, otherPayload("done"), shipping("done"))).isInstanceOf(Answer.Conflict.class);
        assertThat(engine.run(SHIP, otherPayload("broken0"), shipping("x"))).isInstanceOf(Answer.Conflict.class);
    }

    @Test
    void leasedCallInShadowNeedsNoHandlerAndSoNoBreaker() {
        open(SHIP);
        engine.operator()
                .setMode(new Switchboard.Setting(null, SHIP.name(), Mode.SHADOW), new Warrant("ann", "a test"));
        // An open breaker asks the store for no grant that would tell of the new mode: it is read within a second.
        time.advance(Duration.ofSeconds(2));
        assertThat(ship("rehearsed")).isInstanceOf(Answer.Shadowed.class);
        assertThat(ran).isEmpty();
    }

    @Test
    void openBreakerSaysWhenToComeBackAndClosesWhenItsProbesSucceed() {
        for (Operation<Order, Receipt> operation : List.of(BUY, SHIP)) {
            open(operation);
            time.advance(Duration.ofSeconds(20));
            String name = operation.name();
            Answer.RetryLater<Receipt> later =
                    assertOpen(operation == BUY ? buy(name + "early") : ship(name + "early"));
            assertThat(later.in()).isBetween(Duration.ofSeconds(40), Duration.ofMillis(40_001));
            time.advance(later.in());
            for (int i = 0; i < CALLS + 2; i++) {
                String key = name + "probe" + i;
                assertExecuted(operation == BUY ? buy(key) : ship(key), "r-" + key);
            }
        }
    }

    @Test
    void halfOpenBreakerLetsFewCallsThroughAndOpensAgainWhenTheyFail() {
        open(SHIP);
        time.advance(PAUSE.plusMillis(1));
        failing = Category.TIMEOUT;
        for (int i = 0; i < 20; i++) {
            ship("probe" + i);
        }
        assertThat(ran).hasSize(CALLS);
        assertThat(assertOpen(ship("later")).in()).isBetween(PAUSE, PAUSE.plusMillis(1));
    }

    @Test
    void replaysTakeNoProbesFromAHalfOpenBreaker() {
        assertExecuted(ship("done"), "r-done");
        open(SHIP);
        time.advance(PAUSE.plusMillis(1));
        for (int i = 0; i < 3 * CALLS; i++) {
            assertReplayed(ship("done"), "r-done");
        }
        assertExecuted(ship("new"), "r-new");
    }

    @Test
    void probeThatIsHeldUpLetsNoMoreThanTheOthersThrough() {
        open(SHIP);
        time.advance(PAUSE.plusMillis(1));
        assertNested(CALLS);
        assertExecuted(ship("afterwards"), "r-afterwards");
    }

    /** Probes inside each other: all but the innermost are under way at the same time. */
    private void assertNested(int left) {
        Answer<Receipt> answer = engine.run(SHIP, call("probe" + left), (order, run) -> {
            if (left > 1) {
                assertNested(left - 1);
            } else {
                assertThat(assertOpen(ship("too many")).in()).isLessThanOrEqualTo(Duration.ofSeconds(1));
            }
            return new Receipt("r");
        });
        assertExecuted(answer, "r");
    }

    @Test
    void failuresOfTheCallItselfDoNotOpenTheBreaker() {
        for (Category category : List.of(Category.VALIDATION, Category.BUSINESS_RULE, Category.NOT_FOUND)) {
            failing = category;
            for (int i = 0; i < CALLS; i++) {
                assertThat(failure(buy(category + "a" + i)).category()).isEqualTo(category);
                assertThat(failure(ship(category + "l" + i)).category()).isEqualTo(category);
            }
        }
    }

    @Test
    void retriesOfACallStopWhenTheBreakerOpens() {
        Operation.Leased<Order, Receipt> patient = SHIP.withPolicy(
                STEADY.toBuilder().withName("patient").withMaxAttempts(10).build());
        failing = Category.UPSTREAM_ERROR;
        assertOpened(engine.run(patient, call("k"), shipping("k")));
        assertThat(ran).hasSize(CALLS);
        Row kept = Objects.requireNonNull(row(SHIP, "k"));
        assertThat(kept.state()).isEqualTo(State.FAILED_RETRYABLE);
        assertThat(kept.status().attempt()).isEqualTo(CALLS);
        Operation.Atomic<Order, Receipt> atomic = BUY.withPolicy(
                STEADY.toBuilder().withName("patient").withMaxAttempts(10).build());
        ran.clear();
        assertOpened(engine.run(atomic, call("k"), buying("k")));
        assertThat(ran).hasSize(CALLS);
        assertOpen(engine.run(atomic, call("k"), buying("k")));
        assertOpen(engine.run(patient, call("k"), shipping("k")));
        assertThat(ran).hasSize(CALLS);
    }

    /** An attempt of the call ran before the breaker stopped the next one, and the answer does not deny it. */
    private static void assertOpened(Answer<Receipt> answer) {
        assertThat(answer).isInstanceOf(Answer.RetryLater.class);
        Answer.RetryLater<Receipt> later = (Answer.RetryLater<Receipt>) answer;
        assertThat(Failures.isBreakerOpen(later.failure()))
                .as("%s", later.failure())
                .isTrue();
        assertThat(later.in()).isPositive();
        assertThat(later.notice().reason())
                .contains("An attempt failed, and the next was not run", "circuit breaker is open")
                .doesNotContain("nothing was run");
    }

    @Test
    void callsOfAListAreLetThroughOneByOne() {
        failing = Category.UPSTREAM_ERROR;
        List<Call<Order>> calls = new ArrayList<>();
        for (int i = 0; i < CALLS + 2; i++) {
            calls.add(call("k" + i));
        }
        List<Answer<Receipt>> bought = engine.runAll(BUY, calls, (order, tx) -> handle("a"));
        List<Answer<Receipt>> shipped = engine.runAll(SHIP, calls, (order, run) -> handle("l"));
        assertThat(ran).hasSize(2 * CALLS);
        for (List<Answer<Receipt>> answers : List.of(bought, shipped)) {
            assertThat(failure(answers.get(CALLS - 1)).category()).isEqualTo(Category.UPSTREAM_ERROR);
            assertOpen(answers.get(CALLS));
            assertOpen(answers.get(CALLS + 1));
        }
        Operation.Atomic<Order, Receipt> limited =
                BUY.withBreaker(Channel.Breaker.NONE).withRateLimit(Channel.RateLimit.of(2, Duration.ofHours(1)));
        failing = null;
        List<Call<Order>> four = List.of(call("n0"), call("n1"), call("n2"), call("n3"));
        assertThat(engine.runAll(limited, four, (order, tx) -> handle("b")))
                .extracting(Answer::isResult)
                .containsExactly(true, true, false, false);
    }

    @Test
    void interruptedRunIsNotTakenOverWhileTheBreakerIsOpen() {
        engine.handle(SHIP.withPolicy("steady"), shipping("taken over"));
        open(SHIP);
        abandon(SHIP, "lost");
        Row before = Objects.requireNonNull(row(SHIP, "lost"));
        time.advance(LEASE);
        engine.duties().sweeper().sweep();
        assertThat(ran).isEmpty();
        assertThat(Objects.requireNonNull(row(SHIP, "lost")).status()).isEqualTo(before.status());
        time.advance(PAUSE);
        engine.duties().sweeper().sweep();
        assertThat(ran).containsExactly("taken over");
        assertThat(state(SHIP, "lost")).isEqualTo(State.COMPLETED);
    }

    @Test
    void callsInsideAnotherOperationPassTheSameGuards() {
        Operation.Atomic<Order, Receipt> limited =
                BUY.withValidation(POSITIVE).withRateLimit(Channel.RateLimit.of(2, Duration.ofHours(1)));
        assertExecuted(
                engine.run(CHARGE, call("outer"), (order, tx) -> {
                    assertThat(engine.run(limited, nothing("a"), buying("a"))).isInstanceOf(Answer.Rejected.class);
                    assertExecuted(engine.run(limited, call("a"), buying("a")), "r-a");
                    assertExecuted(engine.run(limited, call("b"), buying("b")), "r-b");
                    assertThat(Failures.isRateLimit(failure(engine.run(limited, call("c"), buying("c")))))
                            .isTrue();
                    return new Receipt("outer");
                }),
                "outer");
        open(BUY);
        assertExecuted(
                engine.run(CHARGE, call("second"), (order, tx) -> {
                    assertOpen(buy("d"));
                    assertReplayed(buy("a"), "r-a");
                    return new Receipt("outer");
                }),
                "outer");
    }

    @Test
    void callsInTheCallersTransactionPassTheSameGuards() throws Exception {
        Optional<Connection> found = connect();
        Assumptions.assumeTrue(found.isPresent(), () -> store.name() + " has no JDBC transactions to join");
        Operation.Atomic<Order, Receipt> limited = BUY.withRateLimit(Channel.RateLimit.of(1, Duration.ofHours(1)));
        open(BUY);
        try (Connection connection = found.orElseThrow()) {
            connection.setAutoCommit(false);
            try (Semel.Joined joined = engine.join(connection)) {
                assertOpen(joined.run(limited, call("a"), buying("a")));
                assertThat(Failures.isRateLimit(failure(joined.run(limited, call("b"), buying("b")))))
                        .isTrue();
            }
            connection.rollback();
        }
        assertThat(ran).isEmpty();
    }

    @Test
    void limitsAndBreakersThatCannotBeAreRefused() {
        assertThatThrownBy(() -> Channel.RateLimit.perSecond(0)).isInstanceOf(SemelException.Invalid.class);
        assertThatThrownBy(() -> Channel.RateLimit.perSecond(5).withPerTenant(6))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("no more of them for one tenant");
        assertThatThrownBy(() -> Channel.RateLimit.perSecond(5).withBurst(6))
                .isInstanceOf(SemelException.Invalid.class);
        assertThatThrownBy(() -> Channel.RateLimit.of(1, Duration.ofDays(2)))
                .isInstanceOf(SemelException.Invalid.class);
        assertThatThrownBy(
                        () -> Channel.Capacity.DEFAULT.withPerSecond(5).withRateLimit(Channel.RateLimit.perSecond(5)))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("choose one");
    }
}
