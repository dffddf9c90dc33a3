package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Failure;
import dev.semel.Mode;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A14: operations inside a transaction that the caller already has. */
abstract class JoinedSuite extends EngineSuite {
    private Connection connection;

    @SuppressWarnings("NullAway.Init")
    JoinedSuite(EngineContract contract) {
        super(contract);
    }

    @BeforeEach
    void needAConnection() throws SQLException {
        var found = connect();
        Assumptions.assumeTrue(found.isPresent(), () -> store.name() + " has no JDBC transactions to join");
        connection = found.orElseThrow();
        connection.setAutoCommit(false);
    }

    @AfterEach
    void closeConnection() throws SQLException {
        if (connection != null) {
            connection.rollback();
            connection.close();
        }
    }

    @Test
    void a14_operationCommitsWithTheCallersTransaction() throws Exception {
        try (Semel.Joined joined = engine.join(connection)) {
            assertExecuted(joined.run(CHARGE, call("k"), charging("k")), "r-k");
            connection.commit();
            joined.committed();
        }
        assertThat(state(CHARGE, "k")).isEqualTo(State.COMPLETED);
        assertThat(effects.count("k")).isEqualTo(1);
        assertReplayed(charge("k"), "r-k");
    }

    @Test
    void a14_handlerThatLosesAgainstAnotherTransactionMustBeRetriedByItsOwner() throws Exception {
        try (Semel.Joined joined = engine.join(connection)) {
            for (String state : List.of("40001", "40P01")) {
                assertThatThrownBy(() -> joined.run(CHARGE, call("k"), (order, tx) -> {
                            effects.apply(tx, "k");
                            throw new IllegalStateException(
                                    "as an application wraps it", new SQLException("raw", state));
                        }))
                        .isInstanceOf(SemelException.TransactionMustBeRetried.class)
                        .hasMessageContaining(state)
                        .hasMessageNotContaining("raw");
            }
            assertExecuted(joined.run(CHARGE, call("k"), charging("k")), "r-k");
            connection.rollback();
        }
        assertThat(effects.count("k")).isZero();
        assertThat(row(CHARGE, "k")).isNull();
    }

    @Test
    void a14_operationRollsBackWithTheCallersTransaction() throws Exception {
        try (Semel.Joined joined = engine.join(connection)) {
            assertExecuted(joined.run(CHARGE, call("k"), charging("k")), "r-k");
            connection.rollback();
        }
        assertThat(row(CHARGE, "k")).isNull();
        assertThat(effects.count("k")).isZero();
        assertExecuted(charge("k"), "r-k");
    }

    @Test
    void a14_resultOfARolledBackTransactionIsNeverReplayedFromTheLocalCache() throws Exception {
        var cached = start(store, settings -> settings.withLocalCache(10));
        try (Semel.Joined joined = cached.join(connection)) {
            assertExecuted(joined.run(CHARGE, call("k"), charging("k")), "r-k");
            assertReplayed(joined.run(CHARGE, call("k"), charging("k")), "r-k");
            connection.rollback();
        }
        assertExecuted(cached.run(CHARGE, call("k"), charging("k")), "r-k");
        assertThat(effects.count("k")).isEqualTo(1);
    }

    @Test
    void modesThatChangedAreReadInTheCallersTransaction() throws Exception {
        var setting = new Switchboard.Setting(null, "charge", Mode.HALTED);
        otherNode().operator().setMode(setting, new Warrant("ann", "drill"));
        try (Semel.Joined joined = engine.join(connection)) {
            assertThat(joined.run(CHARGE, call("k"), charging("k"))).isInstanceOf(Answer.Halted.class);
            connection.rollback();
        }
        otherNode().operator().setMode(new Switchboard.Setting(null, "charge", Mode.LIVE), new Warrant("ann", "go"));
        try (Semel.Joined joined = engine.join(connection)) {
            assertExecuted(joined.run(CHARGE, call("k"), charging("k")), "r-k");
            connection.commit();
            joined.committed();
        }
    }

    @Test
    void failureUndoesOnlyTheOperationAndLeavesNoRecord() throws Exception {
        try (Semel.Joined joined = engine.join(connection)) {
            Answer<Receipt> failed = joined.run(CHARGE, call("bad"), (order, tx) -> {
                effects.apply(tx, "bad");
                throw Failure.of(Failure.Category.VALIDATION, "no").asException();
            });
            assertThat(failed).isInstanceOf(Answer.Failed.class);
            assertExecuted(joined.run(CHARGE, call("good"), charging("good")), "r-good");
            connection.commit();
            joined.committed();
        }
        assertThat(row(CHARGE, "bad")).isNull();
        assertThat(effects.count("bad")).isZero();
        assertThat(effects.count("good")).isEqualTo(1);
    }

    @Test
    void duplicateInsideTheSameTransactionReplays() throws Exception {
        try (Semel.Joined joined = engine.join(connection)) {
            assertExecuted(joined.run(CHARGE, call("k"), charging("k")), "r-k");
            assertReplayed(joined.run(CHARGE, call("k"), charging("k")), "r-k");
            connection.commit();
            joined.committed();
        }
        assertThat(effects.count("k")).isEqualTo(1);
    }

    @Test
    void callInTheSameProcessGetsInProgress() throws Exception {
        try (Semel.Joined joined = engine.join(connection)) {
            joined.run(CHARGE, call("k"), charging("k"));
            assertThat(charge("k")).isInstanceOf(Answer.InProgress.class);
        }
    }
}
