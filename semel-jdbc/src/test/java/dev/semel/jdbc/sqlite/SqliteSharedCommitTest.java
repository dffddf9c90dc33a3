package dev.semel.jdbc.sqlite;

import static dev.semel.jdbc.shared.EffectFixture.call;
import static dev.semel.jdbc.shared.EffectFixture.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.jdbc.shared.UnguardedConnection;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.StoreProvider;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import dev.semel.time.ManualTime;
import dev.semel.time.TimeSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class SqliteSharedCommitTest {
    private static final int CALLERS = 64;

    @TempDir
    private Path directory;

    private final ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    private SqliteStore store;

    @BeforeEach
    void open() throws Exception {
        store = SqliteFixture.open(directory.resolve("semel.db"));
        EffectFixture.makeTable(store);
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        store.close();
    }

    /** The machine's time for those who wait, while nothing grows old: a transaction stays open for all who are there. */
    private static final class Ageless implements TimeSource {
        @Override
        public long millis() {
            return 1_800_000_000_000L;
        }

        @Override
        public long nanos() {
            return 0;
        }

        @Override
        public void sleep(Duration duration) throws InterruptedException {
            TimeSource.system().sleep(duration);
        }

        @Override
        public Gate gate() {
            return TimeSource.system().gate();
        }
    }

    @Test
    void manyCallersNeedFarFewerCommitsThanCalls() throws Exception {
        try (SqliteStore shared =
                SqliteFixture.open(directory.resolve("shared.db"), new StoreProvider.Options(new Ageless(), false))) {
            EffectFixture.makeTable(shared);
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            List<Future<Boolean>> answers = new ArrayList<>();
            answers.add(threads.submit(() -> shared.access().writer().run(db -> {
                inside.countDown();
                goOn.await();
                return Ended.keep(true);
            })));
            inside.await();
            for (int caller = 1; caller < CALLERS; caller++) {
                int me = caller;
                answers.add(threads.submit(() -> call(shared, "k" + me)));
            }
            while (shared.access().writer().queued() < CALLERS - 1) {
                Thread.onSpinWait();
            }
            long before = shared.commits();
            goOn.countDown();
            for (Future<Boolean> answer : answers) {
                assertThat(answer.get()).isTrue();
            }
            assertThat(number(shared, "SELECT count(*) FROM effect")).isEqualTo(CALLERS - 1);
            assertThat(shared.commits() - before).isLessThanOrEqualTo(2);
        }
    }

    @Test
    void a1_oneKeyCalledByAllIsRunOnce() throws Exception {
        List<Future<Boolean>> answers = new ArrayList<>();
        for (int caller = 0; caller < CALLERS; caller++) {
            answers.add(threads.submit(() -> call(store, "the one")));
        }
        int executed = 0;
        for (Future<Boolean> answer : answers) {
            executed += answer.get() ? 1 : 0;
        }
        assertThat(executed).isEqualTo(1);
        assertThat(number(store, "SELECT count(*) FROM effect")).isEqualTo(1);
    }

    @Test
    void handlerThatFailsAmongOthersLeavesNothingAndTheyAllCommit() throws Exception {
        List<Future<Boolean>> answers = new ArrayList<>();
        for (int caller = 0; caller < CALLERS; caller++) {
            int me = caller;
            answers.add(threads.submit(() -> me % 4 == 0 ? failing("k" + me) : call(store, "k" + me)));
        }
        for (int caller = 0; caller < CALLERS; caller++) {
            Future<Boolean> answer = answers.get(caller);
            if (caller % 4 == 0) {
                assertThatThrownBy(answer::get).cause().hasMessage("k" + caller);
            } else {
                assertThat(answer.get()).isTrue();
            }
        }
        assertThat(number(store, "SELECT count(*) FROM effect")).isEqualTo(CALLERS * 3 / 4);
        assertThat(number(store, "SELECT count(*) FROM semel_record")).isEqualTo(CALLERS * 3 / 4);
    }

    @Test
    void b5_fullDiskFailsWithAClearErrorAndWorksAgainWhenThereIsRoom() throws Exception {
        call(store, "before");
        EffectFixture.transactions(store).run(tx -> {
            Connection connection = UnguardedConnection.real(tx.unwrap(Connection.class));
            long pages = number(connection, "PRAGMA page_count");
            number(connection, "PRAGMA max_page_count = " + pages);
            return Ended.undo(true);
        });
        List<Future<Boolean>> answers = new ArrayList<>();
        for (int caller = 0; caller < 8; caller++) {
            int me = caller;
            answers.add(threads.submit(() -> bulky("full-" + me)));
        }
        for (Future<Boolean> answer : answers) {
            assertThatThrownBy(answer::get)
                    .cause()
                    .isInstanceOf(SemelException.StoreUnavailable.class)
                    .hasMessageContaining("the disk is full");
        }
        EffectFixture.transactions(store).run(tx -> {
            number(UnguardedConnection.real(tx.unwrap(Connection.class)), "PRAGMA max_page_count = 1000000");
            return Ended.undo(true);
        });
        assertThat(bulky("full-0")).isTrue();
        assertThat(call(store, "before")).isFalse();
        assertThat(number(store, "SELECT count(*) FROM effect")).isEqualTo(2);
    }

    @Test
    void a10_handlerThatCallsAgainJoinsItsOwnTransaction() throws Exception {
        EffectFixture.transactions(store).run(tx -> {
            assertThat(call(store, "inner")).isTrue();
            assertThat(call(store, "inner")).isFalse();
            assertThat(store.ledger().find(List.of(EffectFixture.id("inner"))).rows())
                    .hasSize(1);
            EffectFixture.insert(tx.unwrap(Connection.class), "outer");
            tx.write(List.of(EffectFixture.write("outer")));
            return Ended.keep(true);
        });
        assertThatThrownBy(() -> EffectFixture.transactions(store).run(tx -> {
                    call(store, "goes with the outer one");
                    throw new IllegalStateException("outer");
                }))
                .hasMessage("outer");
        assertThat(number(store, "SELECT count(*) FROM effect")).isEqualTo(2);
        assertThat(call(store, "goes with the outer one")).isTrue();
    }

    @Test
    void handlerThatWritesItsOwnKeyInANestedCallIsRejected() throws Exception {
        long modes = store.switchboard().modes().version();
        assertThatThrownBy(() -> EffectFixture.transactions(store).run(tx -> {
                    tx.lookUp(modes, List.of(EffectFixture.identity("same")));
                    call(store, "same");
                    tx.write(List.of(EffectFixture.write("same")));
                    return Ended.keep(true);
                }))
                .isInstanceOf(SemelException.LeaseLost.class);
        assertThat(number(store, "SELECT count(*) FROM effect")).isZero();
    }

    @Test
    void connectionThatAHandlerWasGivenLeadsBackToItsTransactionWhenJoined() throws Exception {
        boolean same = EffectFixture.transactions(store).run(tx -> {
            Tx joined = EffectFixture.transactions(store).join(tx.unwrap(Connection.class));
            return Ended.undo(joined == tx);
        });
        assertThat(same).isTrue();
    }

    @Test
    void cursorThatAHandlerLeftOpenAffectsNoOther() throws Exception {
        call(store, "a");
        call(store, "b");
        ResultSet left = EffectFixture.transactions(store).run(tx -> {
            Statement statement = tx.unwrap(Connection.class).createStatement();
            ResultSet cursor = statement.executeQuery("SELECT who FROM effect");
            cursor.next();
            return Ended.keep(cursor);
        });
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("semel.db"))) {
            EffectFixture.insert(other, "by another");
        }
        assertThat(call(store, "c")).isTrue();
        assertThatThrownBy(left::next).isInstanceOf(SQLException.class);
    }

    @Test
    void savepointOfTheHandlersOwnDoesNotDisturbTheNextCaller() throws Exception {
        EffectFixture.transactions(store).run(tx -> {
            Connection connection = tx.unwrap(Connection.class);
            var savepoint = connection.setSavepoint();
            EffectFixture.insert(connection, "undone");
            connection.rollback(savepoint);
            EffectFixture.insert(connection, "kept");
            return Ended.keep(true);
        });
        assertThat(call(store, "next")).isTrue();
        assertThat(number(store, "SELECT count(*) FROM effect")).isEqualTo(2);
    }

    @Test
    void modesThatWereSetAndUndoneAreForgottenByTheWriterToo() throws Exception {
        long before = store.switchboard().modes().version();
        EffectFixture.transactions(store).run(tx -> {
            store.switchboard()
                    .set(
                            new dev.semel.store.Switchboard.Setting(null, null, dev.semel.Mode.HALTED),
                            EffectFixture.event("mode"));
            return Ended.undo(true);
        });
        assertThat(store.switchboard().modes().version()).isEqualTo(before);
        assertThat(store.ledger()
                        .reserve(before, List.of(EffectFixture.reservation("k", 1)))
                        .get(0))
                .isInstanceOf(Reserved.Granted.class);
    }

    @Test
    void purgeRemovesExpiredRecordsInChunks() throws Exception {
        ManualTime time = new ManualTime(1_800_000_000_000L);
        try (SqliteStore aging =
                SqliteFixture.open(directory.resolve("aging.db"), new StoreProvider.Options(time, false))) {
            EffectFixture.makeTable(aging);
            for (int i = 0; i < 30; i++) {
                call(aging, "k" + i);
            }
            time.advance(Duration.ofDays(2));
            call(aging, "young");
            assertThat(aging.ledger().purge(20, removed -> List.of(EffectFixture.event("purge"))))
                    .isEqualTo(Map.of("acme", 20));
            assertThat(aging.ledger().purge(20, removed -> List.of())).isEqualTo(Map.of("acme", 10));
            assertThat(aging.ledger().purge(20, removed -> List.of())).isEmpty();
            Row young = aging.ledger().find(List.of(EffectFixture.id("young"))).get(EffectFixture.id("young"));
            assertThat(young.state()).isEqualTo(State.COMPLETED);
        }
    }

    private boolean failing(String key) throws Exception {
        return EffectFixture.transactions(store).run(tx -> {
            EffectFixture.insert(tx.unwrap(Connection.class), key);
            tx.write(List.of(EffectFixture.write(key)));
            throw new IllegalStateException(key);
        });
    }

    /** Its record is larger than a page, so that it needs room of its own. */
    private boolean bulky(String key) throws Exception {
        long modes = store.switchboard().modes().version();
        return EffectFixture.transactions(store).run(tx -> {
            tx.lookUp(modes, List.of(EffectFixture.identity(key)));
            EffectFixture.insert(tx.unwrap(Connection.class), key);
            var small = EffectFixture.write(key);
            tx.write(List.of(new dev.semel.store.RecordWrite(
                    small.id(),
                    small.header(),
                    small.state(),
                    small.times(),
                    new dev.semel.store.RecordWrite.WrittenOutcome(new byte[1 << 20], null),
                    small.event())));
            return Ended.keep(true);
        });
    }
}
