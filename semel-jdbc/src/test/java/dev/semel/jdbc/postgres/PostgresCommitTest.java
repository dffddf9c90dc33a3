package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.Sample;
import dev.semel.store.CommitRefused;
import dev.semel.store.LookupResult;
import dev.semel.store.Move;
import dev.semel.store.Reserved;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import dev.semel.testkit.fault.FaultProxy;
import dev.semel.testkit.fault.FaultProxy.Loss;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A5: the connection is lost exactly at COMMIT. */
@Timeout(300)
class PostgresCommitTest {
    private final FreshSchema schema = FreshSchema.make();
    private FaultProxy proxy;
    private Store store;

    @BeforeEach
    void open() throws IOException {
        proxy = FaultProxy.toPostgres(schema.server().port());
        schema.execute("CREATE TABLE effect (n int)");
        String url = schema.url().replace(":" + schema.server().port() + "/", ":" + proxy.port() + "/");
        store = new PostgresProvider().open(url, StoreProvider.Options.DEFAULT);
        // The pool has its connection now: the next COMMIT is the test's.
        store.switchboard().modes();
    }

    @AfterEach
    void close() throws IOException {
        store.close();
        proxy.close();
    }

    @Test
    void a5_commitWhoseReplyIsLostIsFoundToBeCommitted() throws Exception {
        proxy.atCommit(Loss.REPLY);
        assertThat(write(new Sample("k"))).isEqualTo("done");
        assertThat(effects()).isEqualTo(1);
        assertThat(found("k")).isTrue();
    }

    @Test
    void a5_commitThatNeverArrivedIsFoundToBeRolledBack() throws Exception {
        proxy.atCommit(Loss.REQUEST);
        assertThatThrownBy(() -> write(new Sample("k")))
                .isInstanceOf(SemelException.StoreUnavailable.class)
                .hasMessageContaining("nothing was committed");
        assertThat(effects()).isZero();
        assertThat(found("k")).isFalse();
        assertThat(write(new Sample("k"))).isEqualTo("done");
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void a5_transactionThatIsStillInFlightIsEndedBeforeItIsJudged() throws Exception {
        FaultProxy.Trap trap = proxy.atCommit(Loss.REQUEST_HELD);
        assertThatThrownBy(() -> write(new Sample("k")))
                .isInstanceOf(SemelException.StoreUnavailable.class)
                .hasMessageContaining("nothing was committed");
        trap.release();
        assertThat(write(new Sample("k"))).isEqualTo("done");
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void a5_claimedRunIsDecidedByItsMove() throws Exception {
        Sample sample = new Sample("k");
        long version = store.switchboard().modes().version();
        long fence = ((Reserved.Granted) store.ledger()
                        .reserve(version, List.of(sample.reservation()))
                        .get(0))
                .fence();
        Move move = new Move(
                sample.id(), fence, Set.of(State.IN_PROGRESS), State.COMPLETED, Move.Change.NONE, sample.event());
        proxy.atCommit(Loss.REPLY);
        String answer = store.transactions().orElseThrow().run(tx -> {
            effect(tx);
            tx.move(List.of(move));
            return Ended.keep("done");
        });
        assertThat(answer).isEqualTo("done");
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void a16_lostCommitIsDecidedAlthoughItsThreadIsInterrupted() throws Exception {
        proxy.atCommit(Loss.REPLY);
        assertThat(write(new Sample("k"), Thread.currentThread()::interrupt)).isEqualTo("done");
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void a16_commitThatNeverArrivedIsReportedAsRolledBackOnAnInterruptedThread() throws Exception {
        proxy.atCommit(Loss.REQUEST_HELD);
        assertThatThrownBy(() -> write(new Sample("k"), Thread.currentThread()::interrupt))
                .isInstanceOf(SemelException.StoreUnavailable.class)
                .hasMessageContaining("the server rolled back");
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
        assertThat(effects()).isZero();
    }

    @Test
    void handlerThatIgnoresAServerErrorHasFailed() {
        assertThatThrownBy(() -> write(new Sample("k"), () -> {}, "no such statement"))
                .isInstanceOfSatisfying(
                        CommitRefused.class,
                        refused -> assertThat(refused.why())
                                .isInstanceOfSatisfying(
                                        SQLException.class,
                                        e -> assertThat(e.getSQLState()).isEqualTo("25P02")));
    }

    @Test
    void committedGrantsAreReturnedAlthoughTheRestOfTheirBatchFails() throws Exception {
        long version = store.switchboard().modes().version();
        Sample due = new Sample("due");
        Reserved.Granted first = (Reserved.Granted)
                store.ledger().reserve(version, List.of(due.reservation())).get(0);
        store.ledger()
                .move(List.of(new Move(
                        due.id(),
                        first.fence(),
                        Set.of(State.IN_PROGRESS),
                        State.FAILED_RETRYABLE,
                        new Move.Change(0, 60_000, -1, false, null, null),
                        List.of())));
        schema.execute("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN RAISE EXCEPTION ''simulated''; END'");
        schema.execute("CREATE TRIGGER refuse BEFORE UPDATE ON semel_record FOR EACH ROW EXECUTE FUNCTION refuse()");
        List<Reserved> answers =
                store.ledger().reserve(version, List.of(new Sample("new").reservation(), due.reservation()));
        assertThat(answers.get(0)).isInstanceOf(Reserved.Granted.class);
        assertThat(answers.get(1))
                .isInstanceOfSatisfying(
                        Reserved.ReserveFailed.class,
                        failed -> assertThat(failed.why()).isInstanceOf(SemelException.StoreUnavailable.class));
    }

    @Test
    void commitWithNothingOfTheLedgerInItStaysUnknown() {
        proxy.atCommit(Loss.REPLY);
        assertThatThrownBy(() -> store.transactions().orElseThrow().run(tx -> {
                    effect(tx);
                    return Ended.keep("done");
                }))
                .isInstanceOf(SemelException.OutcomeUnknown.class);
    }

    @Test
    void deferredConstraintThatFailsAtTheCommitIsTheHandlersOwnFailure() throws Exception {
        schema.execute("ALTER TABLE effect ADD CONSTRAINT one UNIQUE (n) DEFERRABLE INITIALLY DEFERRED");
        assertThat(write(new Sample("k1"))).isEqualTo("done");
        assertThatThrownBy(() -> write(new Sample("k2")))
                .isInstanceOfSatisfying(
                        CommitRefused.class,
                        refused -> assertThat(refused.why())
                                .isInstanceOfSatisfying(
                                        SQLException.class,
                                        e -> assertThat(e.getSQLState()).isEqualTo("23505")));
        assertThat(found("k2")).isFalse();
    }

    @Test
    void errorOfARecordWriteWithTheCommitIsTheLedgersAndLeavesNothing() throws Exception {
        schema.execute("ALTER TABLE semel_record ADD CONSTRAINT never CHECK (operation = '')");
        assertThatThrownBy(() -> write(new Sample("k")))
                .isInstanceOf(SemelException.DataRefused.class)
                .hasMessageContaining("writing a result")
                .hasMessageContaining("nothing was written");
        assertThat(effects()).isZero();
        schema.execute("ALTER TABLE semel_record DROP CONSTRAINT never");
        assertThat(write(new Sample("k"))).isEqualTo("done");
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void lostReplyToABatchIsUnknownAndTheRepeatedCallGetsItsOwnGrant() {
        var reservation = new Sample("k").reservation();
        long version = store.switchboard().modes().version();
        proxy.at(sql -> sql.contains("INSERT INTO semel_record"), Loss.REPLY);
        assertThatThrownBy(() -> store.ledger().reserve(version, List.of(reservation)))
                .isInstanceOf(SemelException.OutcomeUnknown.class);
        assertThat(store.ledger().reserve(version, List.of(reservation)))
                .singleElement()
                .isInstanceOf(Reserved.Granted.class);
    }

    private String write(Sample sample) throws Exception {
        return write(sample, () -> {});
    }

    private String write(Sample sample, Runnable last) throws Exception {
        return write(sample, last, "SELECT 1");
    }

    private String write(Sample sample, Runnable last, String swallowing) throws Exception {
        long version = store.switchboard().modes().version();
        return store.transactions().orElseThrow().run(tx -> {
            assertThat(tx.lookUp(version, List.of(sample.identity()))).containsExactly(new LookupResult.Free());
            effect(tx);
            try (Statement statement = tx.connection().createStatement()) {
                statement.execute(swallowing);
            } catch (SQLException e) {
                assertThat(e.getSQLState()).isEqualTo("42601");
            }
            last.run();
            tx.write(List.of(sample.write()));
            return Ended.keep("done");
        });
    }

    private static void effect(Tx tx) throws SQLException {
        try (Statement statement = tx.connection().createStatement()) {
            statement.execute("INSERT INTO effect VALUES (1)");
        }
    }

    private boolean found(String key) {
        Sample sample = new Sample(key);
        return store.ledger().find(List.of(sample.id())).rows().containsKey(sample.id());
    }

    private int effects() throws SQLException {
        try (Connection connection = schema.connect();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT count(*) FROM effect")) {
            found.next();
            return found.getInt(1);
        }
    }
}
