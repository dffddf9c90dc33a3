package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.Sample;
import dev.semel.key.Fingerprint;
import dev.semel.store.Arrival;
import dev.semel.store.CommitRefused;
import dev.semel.store.Enqueued;
import dev.semel.store.Header;
import dev.semel.store.LookupResult;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Transactions.Ended;
import dev.semel.testkit.fault.FaultProxy;
import dev.semel.testkit.fault.FaultProxy.Loss;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that travel with the record and COMMIT: what becomes of them when that round trip fails. */
@Timeout(300)
class PostgresHeldMessagesTest {
    private final FreshSchema schema = FreshSchema.make();
    private final List<Optional<List<Enqueued>>> answers = new ArrayList<>();
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

    private static Arrival message(String key) {
        Sample sample = new Sample(key);
        return new Arrival(
                sample.id(), sample.header(), new byte[] {1}, null, Arrival.ArrivalTimes.NOW, sample.event());
    }

    private static Arrival withOtherPayload(Arrival message) {
        byte[] fingerprint = message.header().fingerprint().bytes().clone();
        fingerprint[34] = 1;
        Header header = message.header();
        return new Arrival(
                message.id(),
                new Header(
                        header.tenant(),
                        header.operation(),
                        header.key(),
                        Fingerprint.of(fingerprint),
                        header.correlationId(),
                        null),
                new byte[] {2},
                null,
                Arrival.ArrivalTimes.NOW,
                null);
    }

    /** An effect, messages and a record in one transaction. */
    private String run(String key, Arrival... messages) throws Exception {
        Sample sample = new Sample(key);
        long version = store.switchboard().modes().version();
        return store.transactions().orElseThrow().run(tx -> {
            assertThat(tx.lookUp(version, List.of(sample.identity()))).containsExactly(new LookupResult.Free());
            try (Statement statement = tx.connection().createStatement()) {
                statement.execute("INSERT INTO effect VALUES (1)");
            }
            Optional<List<Enqueued>> answer = tx.enqueueWithCommit(List.of(messages));
            answers.add(answer);
            if (answer.stream().flatMap(List::stream).anyMatch(Enqueued.Existing.class::isInstance)) {
                return Ended.undo("conflict");
            }
            tx.write(List.of(sample.write()));
            return Ended.keep("done");
        });
    }

    @Test
    void messagesAreHeldBackAndStoredWithTheCommit() throws Exception {
        assertThat(run("k", message("m1"), message("m2"))).isEqualTo("done");
        assertThat(answers).containsExactly(Optional.empty());
        assertThat(isQueued("m1")).isTrue();
        assertThat(isQueued("m2")).isTrue();
    }

    @Test
    void a5_lostReplyToTheCommitIsFoundToBeCommittedWithItsMessages() throws Exception {
        proxy.atCommit(Loss.REPLY);
        assertThat(run("k", message("m"))).isEqualTo("done");
        assertThat(effects()).isEqualTo(1);
        assertThat(isQueued("m")).isTrue();
    }

    @Test
    void a5_commitThatNeverArrivedLeavesNeitherEffectNorMessage() throws Exception {
        proxy.atCommit(Loss.REQUEST);
        assertThatThrownBy(() -> run("k", message("m")))
                .isInstanceOf(SemelException.StoreUnavailable.class)
                .hasMessageContaining("nothing was committed");
        assertThat(effects()).isZero();
        assertThat(isQueued("m")).isFalse();
        assertThat(run("k", message("m"))).isEqualTo("done");
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void messageThatIsThereWithAnotherPayloadRunsTheWorkAgainAndIsToldAtOnce() throws Exception {
        store.queue().orElseThrow().enqueue(List.of(message("m")));
        assertThat(run("k", withOtherPayload(message("m")))).isEqualTo("conflict");
        assertThat(answers).hasSize(2);
        assertThat(answers.get(0)).isEmpty();
        assertThat(answers.get(1).orElseThrow()).singleElement().isInstanceOf(Enqueued.Existing.class);
        assertThat(effects()).isZero();
    }

    @Test
    void equalMessageThatIsThereIsLeftAloneAndTheWorkIsRunOnce() throws Exception {
        store.queue().orElseThrow().enqueue(List.of(message("m")));
        assertThat(run("k", message("m"), message("n"))).isEqualTo("done");
        assertThat(answers).hasSize(1);
        assertThat(effects()).isEqualTo(1);
        assertThat(isQueued("n")).isTrue();
        assertThat(queuedEvents("m")).isEqualTo(1);
    }

    @Test
    void messageUnderTheRecordsOwnKeyIsNeitherADuplicateNorStored() throws Exception {
        Arrival own = message("k");
        assertThatThrownBy(() -> run("k", own)).isInstanceOf(SemelException.class);
        assertThat(effects()).isZero();
        assertThat(isQueued("k")).isFalse();
    }

    @Test
    void expiredMessageUnderTheSameIdIsReplaced() throws Exception {
        store.queue().orElseThrow().enqueue(List.of(message("m")));
        schema.execute("UPDATE semel_record SET state = 2, at = 1, turn = 0");
        assertThat(run("k", message("m"), message("n"))).isEqualTo("done");
        assertThat(isQueued("m")).isTrue();
        assertThat(isQueued("n")).isTrue();
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void a5_lostReplyToACommitThatADuplicateHadStoppedIsFoundNotToBeCommitted() throws Exception {
        store.queue().orElseThrow().enqueue(List.of(message("m")));
        proxy.atCommit(Loss.REPLY);
        assertThatThrownBy(() -> run("k", message("m"), message("n")))
                .isInstanceOf(SemelException.StoreUnavailable.class);
        assertThat(effects()).isZero();
        assertThat(isQueued("n")).isFalse();
        assertThat(run("k", message("m"), message("n"))).isEqualTo("done");
        assertThat(effects()).isEqualTo(1);
        assertThat(queuedEvents("n")).isEqualTo(1);
    }

    @Test
    void a5_lostReplyToTheCommitBehindADuplicateIsFoundToBeCommitted() throws Exception {
        store.queue().orElseThrow().enqueue(List.of(message("m")));
        AtomicInteger commits = new AtomicInteger();
        proxy.at(sql -> sql.equalsIgnoreCase("commit") && commits.incrementAndGet() == 2, Loss.REPLY);
        assertThat(run("k", message("m"), message("n"))).isEqualTo("done");
        assertThat(commits).hasValueGreaterThanOrEqualTo(2);
        assertThat(answers).hasSize(1);
        assertThat(effects()).isEqualTo(1);
        assertThat(queuedEvents("n")).isEqualTo(1);
    }

    @Test
    void duplicateOnAConnectionWithAutosaveIsLeftAlone() throws Exception {
        store.close();
        store = new PostgresProvider().open(schema.url() + "&autosave=always", StoreProvider.Options.DEFAULT);
        store.queue().orElseThrow().enqueue(List.of(message("m")));
        run("k", message("m"), message("n"));
        assertThat(queuedEvents("m")).isEqualTo(1);
        assertThat(answers.get(answers.size() - 1).orElseThrow()).hasSize(2);
    }

    @Test
    void deferredConstraintThatFailsAtTheCommitIsTheHandlersFailureAndNoLostRun() throws Exception {
        schema.execute("ALTER TABLE effect ADD CONSTRAINT one UNIQUE (n) DEFERRABLE INITIALLY DEFERRED");
        assertThat(run("k1", message("m1"))).isEqualTo("done");
        assertThatThrownBy(() -> run("k2", message("m2")))
                .isInstanceOfSatisfying(
                        CommitRefused.class,
                        refused -> assertThat(refused.why())
                                .isInstanceOfSatisfying(
                                        SQLException.class,
                                        e -> assertThat(e.getSQLState()).isEqualTo("23505")));
        assertThat(isQueued("m2")).isFalse();
    }

    @Test
    void messagesOfATransactionWithoutARecordTravelWithItsCommit() throws Exception {
        String value = store.transactions().orElseThrow().run(tx -> {
            answers.add(tx.enqueueWithCommit(List.of(message("m"))));
            return Ended.keep("done");
        });
        assertThat(value).isEqualTo("done");
        assertThat(answers).containsExactly(Optional.empty());
        assertThat(isQueued("m")).isTrue();
        assertThat(queuedEvents("m")).isEqualTo(1);
    }

    @Test
    void rolledBackTransactionLeavesNoMessage() throws Exception {
        store.transactions().orElseThrow().run(tx -> {
            tx.enqueueWithCommit(List.of(message("m")));
            return Ended.undo("undone");
        });
        assertThat(isQueued("m")).isFalse();
    }

    private boolean isQueued(String key) {
        Sample sample = new Sample(key);
        var row = store.ledger().find(List.of(sample.id())).rows().get(sample.id());
        return row != null && row.state() == State.QUEUED;
    }

    private int queuedEvents(String key) throws SQLException {
        return count("SELECT count(*) FROM semel_audit WHERE record = decode('"
                + HexFormat.of().formatHex(new Sample(key).id().bytes()) + "', 'hex')");
    }

    private int effects() throws SQLException {
        return count("SELECT count(*) FROM effect");
    }

    private int count(String sql) throws SQLException {
        try (Connection connection = schema.connect();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            found.next();
            return found.getInt(1);
        }
    }
}
