package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.execution.GatewayRun;
import dev.semel.execution.GatewayRuns.GatewayEnd;
import dev.semel.execution.Settled;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Runs that a gateway ends: the result of each end, and of a mark in the caller's transaction. */
abstract class ExchangeSuite extends EngineSuite {
    private static final Operation.Leased<byte[], byte[]> ONCE =
            Operation.leased("once", byte[].class, byte[].class).withPolicy("steady");
    private static final Operation.Leased<byte[], byte[]> MARKED = Operation.leased(
                    "marked", byte[].class, byte[].class)
            .withPolicy("steady")
            .asRepeatable();
    private static final Operation.Atomic<byte[], byte[]> WITHIN =
            Operation.atomic("within", byte[].class, byte[].class).withPolicy("steady");
    private static final Failure BROKEN = Failure.of(Failure.Category.UPSTREAM_ERROR, "broken");

    ExchangeSuite(EngineContract contract) {
        super(contract);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Call<byte[]> asked(String key) {
        return Call.of(ACME, Key.of(key), bytes("payload"));
    }

    private static Settled.Begun begin(Engine on, Operation.Leased<byte[], byte[]> operation, String key) {
        return on.gatewayRuns().begin(operation, asked(key));
    }

    private GatewayRun open(Operation.Leased<byte[], byte[]> operation, String key) {
        return (GatewayRun) begin(engine, operation, key);
    }

    private Answer<byte[]> told(Operation.Leased<byte[], byte[]> operation, String key) {
        return told(engine, operation, key);
    }

    private static Answer<byte[]> told(Engine on, Operation.Leased<byte[], byte[]> operation, String key) {
        return ((Settled.Answered) begin(on, operation, key)).answer();
    }

    private static void assertReplays(Answer<byte[]> answer, @Nullable String text) {
        assertThat(answer).isInstanceOf(Answer.Replayed.class);
        assertThat(answer.orThrow()).isEqualTo(text == null ? null : bytes(text));
    }

    @Test
    void keptAnswerIsReplayedForTheRetentionOfSuccesses() {
        GatewayRun run = open(ONCE, "k");
        assertThat(told(ONCE, "k")).isInstanceOf(Answer.InProgress.class);
        assertThat(run.tenant()).isEqualTo(ACME);
        assertThat(run.attempt()).isEqualTo(1);
        run.enter();
        run.leave();
        assertThat(run.keep(bytes("answer"))).isEqualTo(new Settled.Recorded(null));
        assertReplays(told(ONCE, "k"), "answer");
        assertThat(story(ONCE, "k")).containsExactly("operation.executed", "operation.replayed");
        assertThatThrownBy(run::drop).isInstanceOf(SemelException.Invalid.class);
        time.advance(Duration.ofHours(25));
        assertThat(begin(engine, ONCE, "k")).isInstanceOf(GatewayRun.class);
    }

    @Test
    void rejectedAnswerIsReplayedForTheRetentionOfFailures() {
        open(ONCE, "k").refuse(bytes("no"));
        assertReplays(told(ONCE, "k"), "no");
        time.advance(Duration.ofMinutes(61));
        assertThat(begin(engine, ONCE, "k")).isInstanceOf(GatewayRun.class);
    }

    @Test
    void droppedRunLeavesNothing() {
        assertThat(open(ONCE, "k").drop()).isEqualTo(new Settled.Recorded(null));
        assertThat(row(ONCE, "k")).isNull();
        assertThat(story(ONCE, "k")).isEmpty();
    }

    @Test
    void failedRunMayBeRetriedAfterAGrowingPause() {
        assertThat(open(ONCE, "k").fail(BROKEN)).isEqualTo(new Settled.Recorded(Duration.ofSeconds(1)));
        assertThat(told(ONCE, "k")).isInstanceOf(Answer.RetryLater.class);
        time.advance(Duration.ofSeconds(1));
        assertThat(open(ONCE, "k").fail(BROKEN)).isEqualTo(new Settled.Recorded(Duration.ofSeconds(2)));
        time.advance(Duration.ofSeconds(2));
        GatewayRun third = open(ONCE, "k");
        assertThat(third.attempt()).isEqualTo(3);
        assertThat(third.fail(BROKEN.withRetryAfter(Duration.ofMinutes(2))))
                .isEqualTo(new Settled.Recorded(Duration.ofMinutes(2)));
        time.advance(Duration.ofMinutes(2));
        assertThat(open(ONCE, "k").attempt()).as("a new budget").isEqualTo(1);
        assertThat(story(ONCE, "k")).containsExactly("retry.attempt", "retry.attempt", "retry.exhausted");
    }

    @Test
    void runThatIsHandedBackSpendsNoAttempt() {
        GatewayRun run = open(ONCE, "k");
        assertThat(run.handBack(Duration.ofSeconds(5), BROKEN)).isEqualTo(new Settled.Recorded(Duration.ofSeconds(5)));
        assertThat(told(ONCE, "k")).isInstanceOf(Answer.RetryLater.class);
        time.advance(Duration.ofSeconds(5));
        assertThat(open(ONCE, "k").attempt()).isEqualTo(1);
    }

    @Test
    void parkedRunIsUnknown() {
        assertThat(open(ONCE, "k").park(BROKEN)).isEqualTo(new Settled.Recorded(null));
        assertThat(told(ONCE, "k")).isInstanceOf(Answer.Unknown.class);
        assertThat(story(ONCE, "k")).containsExactly("operation.unknown");
    }

    @Test
    void runWithAnExpiredLeaseIsTakenOverOrParkedByTheNextCall() {
        GatewayRun once = open(ONCE, "k");
        GatewayRun repeatable = open(MARKED, "k");
        time.advance(LEASE);
        Engine other = otherNode();
        assertThat(told(other, ONCE, "k")).isInstanceOf(Answer.Unknown.class);
        GatewayRun second = (GatewayRun) begin(other, MARKED, "k");
        assertThat(second.fence()).isGreaterThan(repeatable.fence());
        assertThat(second.downstreamKey()).isEqualTo(repeatable.downstreamKey());
        second.keep(bytes("second"));
        Settled.Answered late = (Settled.Answered) repeatable.keep(bytes("first"));
        assertReplays(late.answer(), "second");
        assertThat(once.keep(bytes("late"))).as("nobody else was granted it").isEqualTo(new Settled.Recorded(null));
        assertReplays(told(ONCE, "k"), "late");
    }

    @Test
    void leaseIsRenewedUntilTheRunEnds() {
        GatewayRun run = open(MARKED, "k");
        for (int i = 0; i < 10; i++) {
            time.advance(LEASE.dividedBy(2));
            engine.duties().keeper().tick();
        }
        assertThat(told(otherNode(), MARKED, "k")).isInstanceOf(Answer.InProgress.class);
        assertThat(run.keep(bytes("answer"))).isEqualTo(new Settled.Recorded(null));
    }

    @Test
    void modesHoldForExchangesToo() {
        engine.operator().setMode(new Switchboard.Setting(null, "once", Mode.HALTED), new Warrant("ops", "test"));
        assertThat(told(ONCE, "k")).isInstanceOf(Answer.Halted.class);
        engine.operator().setMode(new Switchboard.Setting(null, "once", Mode.SHADOW), new Warrant("ops", "test"));
        assertThat(told(ONCE, "k")).isInstanceOf(Answer.Shadowed.class);
        assertThat(state(ONCE, "k")).isEqualTo(State.SHADOWED);
    }

    @Test
    void markCommitsWithTheCallersTransactionAndTakesItsAnswerLater() throws Exception {
        try (Connection connection = connection()) {
            GatewayRun run = open(MARKED, "k");
            run.mark(connection);
            run.mark(connection);
            assertThat(run.marked()).isTrue();
            connection.commit();
            assertThat(state(MARKED, "k")).isEqualTo(State.COMPLETED);
            Engine other = otherNode();
            assertThat(told(other, MARKED, "k")).isInstanceOf(Answer.InProgress.class);
            time.advance(LEASE);
            assertReplays(told(other, MARKED, "k"), null);
            assertThat(run.keep(bytes("answer"))).isEqualTo(new Settled.Recorded(null));
            assertReplays(told(other, MARKED, "k"), "answer");
            assertThat(story(MARKED, "k")).contains("operation.executed");
        }
    }

    @Test
    void failureAfterACommittedMarkIsUnknownAndNotDone() throws Exception {
        try (Connection connection = connection()) {
            for (String key : new String[] {"fail", "park", "drop"}) {
                GatewayRun run = open(MARKED, key);
                run.mark(connection);
                connection.commit();
                Settled settled = switch (key) {
                    case "fail" -> run.fail(BROKEN);
                    case "park" -> run.park(BROKEN);
                    default -> run.drop();
                };
                assertThat(settled).as(key).isEqualTo(new Settled.EffectCommitted(false));
                assertThat(told(MARKED, key)).as(key).isInstanceOf(Answer.Unknown.class);
                assertThat(story(MARKED, key)).as(key).containsExactly("operation.executed", "operation.unknown");
            }
        }
    }

    @Test
    void refusalAfterACommittedMarkIsReplayedBecauseTheEffectMustNotBeRepeated() throws Exception {
        try (Connection connection = connection()) {
            GatewayRun run = open(MARKED, "k");
            run.mark(connection);
            connection.commit();
            assertThat(run.drop(bytes("no"))).isEqualTo(new Settled.EffectCommitted(true));
            assertReplays(told(MARKED, "k"), "no");
            assertThat(open(MARKED, "unmarked").drop(bytes("no"))).isEqualTo(new Settled.Recorded(null));
            assertThat(row(MARKED, "unmarked")).isNull();
        }
    }

    @Test
    void transactionThatWroteNothingIsNotMarked() throws Exception {
        try (Connection connection = connection()) {
            GatewayRun run = open(MARKED, "k");
            long before = run.changes(connection);
            assertThat(run.markIfChanged(connection, before)).isFalse();
            connection.commit();
            assertThat(run.marked()).isFalse();
            assertThat(state(MARKED, "k")).isEqualTo(State.IN_PROGRESS);
            time.advance(LEASE.dividedBy(2));
            engine.duties().keeper().tick();
            time.advance(LEASE.dividedBy(2));
            assertThat(told(otherNode(), MARKED, "k"))
                    .as("its lease is renewed as before")
                    .isInstanceOf(Answer.InProgress.class);
            assertThat(run.fail(BROKEN)).isEqualTo(new Settled.Recorded(Duration.ofSeconds(1)));
        }
    }

    @Test
    void b13_leaseIsRenewedAfterAMarkOrAHoldThatFailed() throws Exception {
        for (String way : new String[] {"mark", "mark if changed", "hold", "hold if changed"}) {
            GatewayRun run = open(MARKED, way);
            Connection connection = connection();
            long before = run.changes(connection);
            connection.close();
            assertThatThrownBy(() -> {
                        switch (way) {
                            case "mark" -> run.mark(connection);
                            case "mark if changed" -> run.markIfChanged(connection, before);
                            case "hold" -> run.hold(connection);
                            default -> run.holdIfChanged(connection, before);
                        }
                    })
                    .as(way)
                    .isInstanceOf(SemelException.class);
            time.advance(LEASE.dividedBy(2));
            engine.duties().keeper().tick();
            time.advance(LEASE.dividedBy(2));
            assertThat(told(otherNode(), MARKED, way)).as(way).isInstanceOf(Answer.InProgress.class);
            assertThat(run.keep(bytes("answer"))).as(way).isEqualTo(new Settled.Recorded(null));
        }
    }

    @Test
    void transactionThatWroteIsMarkedAlsoASecondOne() throws Exception {
        try (Connection connection = connection()) {
            GatewayRun run = open(MARKED, "k");
            for (String effect : new String[] {"first", "second"}) {
                long before = run.changes(connection);
                write(connection, effect);
                assertThat(run.markIfChanged(connection, before)).as(effect).isTrue();
                connection.commit();
                assertThat(state(MARKED, "k")).isEqualTo(State.COMPLETED);
            }
            assertThat(run.fail(BROKEN)).isEqualTo(new Settled.EffectCommitted(false));
            GatewayRun undone = open(MARKED, "undone");
            long before = undone.changes(connection);
            write(connection, "third");
            assertThat(undone.markIfChanged(connection, before)).isTrue();
            connection.rollback();
            undone.rolledBack();
            assertThat(undone.fail(BROKEN)).isEqualTo(new Settled.Recorded(Duration.ofSeconds(1)));
        }
    }

    /** One that may commit although the effect does not: it must neither be run again nor count as done. */
    @Test
    void runThatIsInterruptedAfterAPartOfItWasCommittedIsUnknown() throws Exception {
        try (Connection connection = connection()) {
            for (String key : new String[] {"counted", "uncounted"}) {
                GatewayRun run = open(MARKED, key);
                long before = run.changes(connection);
                assertThat(run.holdIfChanged(connection, before)).as(key).isFalse();
                write(connection, key);
                if (key.equals("counted")) {
                    assertThat(run.holdIfChanged(connection, before)).isTrue();
                } else {
                    run.hold(connection);
                }
                connection.commit();
                run.rolledBack();
                assertThat(told(otherNode(), MARKED, key)).as(key).isInstanceOf(Answer.InProgress.class);
            }
            GatewayRun undone = open(MARKED, "undone");
            long before = undone.changes(connection);
            write(connection, "undone");
            assertThat(undone.holdIfChanged(connection, before)).isTrue();
            connection.rollback();
            time.advance(LEASE);
            Engine next = otherNode();
            for (String key : new String[] {"counted", "uncounted"}) {
                assertThat(told(next, MARKED, key)).as(key).isInstanceOf(Answer.Unknown.class);
                assertThat(story(MARKED, key)).as(key).containsExactly("operation.unknown");
                assertThat(row(MARKED, key).status().attempt()).as(key).isEqualTo(1);
            }
            assertThat(begin(next, MARKED, "undone")).isInstanceOf(GatewayRun.class);
        }
    }

    @Test
    void runWithACommittedPartIsRenewedAndMayEndInAnyWay() throws Exception {
        try (Connection connection = connection()) {
            for (String key : new String[] {"kept", "marked", "failed", "parked"}) {
                GatewayRun run = open(MARKED, key);
                long before = run.changes(connection);
                write(connection, key);
                assertThat(run.holdIfChanged(connection, before)).as(key).isTrue();
                connection.commit();
                run.rolledBack();
                time.advance(LEASE.dividedBy(2));
                engine.duties().keeper().tick();
                time.advance(LEASE.dividedBy(2));
                assertThat(told(otherNode(), MARKED, key)).as(key).isInstanceOf(Answer.InProgress.class);
                if (key.equals("marked")) {
                    run.mark(connection);
                    connection.commit();
                }
                Settled settled = switch (key) {
                    case "failed" -> run.fail(BROKEN);
                    case "parked" -> run.park(BROKEN);
                    default -> run.keep(bytes("answer"));
                };
                assertThat(settled).as(key).isInstanceOf(Settled.Recorded.class);
                assertThat(row(MARKED, key).status().attempt()).as(key).isEqualTo(1);
            }
            assertThat(state(MARKED, "kept")).isEqualTo(State.COMPLETED);
            assertThat(state(MARKED, "marked")).isEqualTo(State.COMPLETED);
            assertThat(state(MARKED, "failed")).isEqualTo(State.FAILED_RETRYABLE);
            assertThat(state(MARKED, "parked")).isEqualTo(State.UNKNOWN);
        }
    }

    @Test
    void runWhoseSecondTransactionRollsBackAfterTheFirstWasMarkedIsNotInterrupted() throws Exception {
        try (Connection connection = connection()) {
            GatewayRun run = open(MARKED, "k");
            run.enter();
            run.mark(connection);
            connection.commit();
            run.committed();
            long before = run.changes(connection);
            write(connection, "second");
            assertThat(run.holdIfChanged(connection, before))
                    .as("what is done need not be held")
                    .isFalse();
            assertThat(run.markIfChanged(connection, before)).isTrue();
            connection.rollback();
            run.rolledBack();
            time.advance(LEASE.dividedBy(2));
            engine.duties().keeper().tick();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            run.leave();
            assertThat(run.keep(bytes("answer"))).isEqualTo(new Settled.Recorded(null));
            assertReplays(told(MARKED, "k"), "answer");
        }
    }

    private void write(Connection connection, String key) {
        try (Semel.Joined joined = engine.join(connection)) {
            joined.run(WITHIN, asked(key), (payload, tx) -> payload).orThrow();
        }
    }

    @Test
    void refusalAfterAMarkThatWasRolledBackIsKeptForTheRetentionOfFailures() throws Exception {
        try (Connection connection = connection()) {
            GatewayRun run = open(MARKED, "k");
            run.mark(connection);
            connection.rollback();
            assertThat(run.refuse(bytes("no"))).isEqualTo(new Settled.Recorded(null));
            assertReplays(told(MARKED, "k"), "no");
            time.advance(Duration.ofMinutes(61));
            assertThat(begin(engine, MARKED, "k")).isInstanceOf(GatewayRun.class);
        }
    }

    @Test
    void markThatIsRolledBackIsNone() throws Exception {
        try (Connection connection = connection()) {
            GatewayRun kept = open(MARKED, "kept");
            kept.mark(connection);
            connection.rollback();
            assertThat(kept.keep(bytes("answer"))).isEqualTo(new Settled.Recorded(null));
            assertReplays(told(MARKED, "kept"), "answer");
            GatewayRun failed = open(MARKED, "failed");
            failed.mark(connection);
            connection.rollback();
            assertThat(failed.fail(BROKEN)).isEqualTo(new Settled.Recorded(Duration.ofSeconds(1)));
        }
    }

    @Test
    void markUnderAnOldFenceIsRejected() throws Exception {
        try (Connection connection = connection()) {
            GatewayRun first = open(MARKED, "k");
            time.advance(LEASE);
            GatewayRun second = (GatewayRun) begin(otherNode(), MARKED, "k");
            assertThatThrownBy(() -> first.mark(connection))
                    .isInstanceOfSatisfying(
                            SemelException.LeaseLost.class,
                            lost -> assertThat(lost.fence()).isEqualTo(first.fence()));
            connection.rollback();
            assertThat(second.keep(bytes("second"))).isEqualTo(new Settled.Recorded(null));
            assertThat(first.fail(BROKEN)).isInstanceOf(Settled.Answered.class);
        }
    }

    private Connection connection() throws Exception {
        var found = connect();
        Assumptions.assumeTrue(found.isPresent(), () -> store.name() + " has no JDBC transactions to mark in");
        Connection connection = found.orElseThrow();
        connection.setAutoCommit(false);
        return connection;
    }

    private Settled within(String key, GatewayEnd end) {
        return engine.gatewayRuns().within(WITHIN, asked(key), tx -> {
            effects.apply(tx, key);
            return end;
        });
    }

    private Answer<byte[]> toldWithin(String key) {
        return ((Settled.Answered) within(key, new GatewayEnd.AnswerAndEffect(bytes("not run")))).answer();
    }

    @Test
    void inOneTransactionEffectAndAnswerAreKeptTogetherOrTheEffectIsNot() throws Exception {
        assertThat(within("kept", new GatewayEnd.AnswerAndEffect(bytes("answer"))))
                .isEqualTo(new Settled.Recorded(null));
        assertReplays(toldWithin("kept"), "answer");
        assertThat(effects.count("kept")).isEqualTo(1);
        assertThat(within("refused", new GatewayEnd.AnswerOnly(bytes("no")))).isEqualTo(new Settled.Recorded(null));
        assertReplays(toldWithin("refused"), "no");
        assertThat(within("dropped", new GatewayEnd.Nothing())).isEqualTo(new Settled.Recorded(null));
        assertThat(row(WITHIN, "dropped")).isNull();
        assertThat(within("failed", new GatewayEnd.RetryableFailure(BROKEN)))
                .isEqualTo(new Settled.Recorded(Duration.ofSeconds(1)));
        assertThat(toldWithin("failed")).isInstanceOf(Answer.RetryLater.class);
        for (String key : new String[] {"refused", "dropped", "failed"}) {
            assertThat(effects.count(key)).as(key).isZero();
        }
        time.advance(Duration.ofSeconds(1));
        assertThat(within("failed", new GatewayEnd.RetryableFailure(BROKEN)))
                .isEqualTo(new Settled.Recorded(Duration.ofSeconds(2)));
        assertThat(story(WITHIN, "failed")).containsExactly("retry.attempt", "retry.attempt");
        time.advance(Duration.ofMinutes(61));
        assertThat(within("refused", new GatewayEnd.AnswerAndEffect(bytes("yes"))))
                .isEqualTo(new Settled.Recorded(null));
    }

    @Test
    void inOneTransactionAnExceptionIsAFailure() throws Exception {
        assertThat(engine.gatewayRuns().within(WITHIN, asked("k"), tx -> {
                    effects.apply(tx, "k");
                    throw new IllegalStateException("broken");
                }))
                .isEqualTo(new Settled.Recorded(Duration.ofSeconds(1)));
        assertThat(effects.count("k")).isZero();
        assertThat(state(WITHIN, "k")).isEqualTo(State.FAILED_RETRYABLE);
    }

    @Test
    void answerThatIsTooLargeForTheLedgerIsKnownBefore() {
        assertThat(engine.gatewayRuns().canKeep(new byte[1 << 20])).isTrue();
        assertThat(engine.gatewayRuns().canKeep(new byte[(1 << 20) + 1])).isFalse();
    }
}
