package dev.semel.jdbc.sqlite;

import static dev.semel.jdbc.shared.EffectFixture.call;
import static dev.semel.jdbc.shared.EffectFixture.execute;
import static dev.semel.jdbc.shared.EffectFixture.insert;
import static dev.semel.jdbc.shared.EffectFixture.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.jdbc.shared.UnguardedConnection;
import dev.semel.store.Transactions.Ended;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * SQL that ends the transaction and got past the guard: it is detected, and other callers of the batch get the right
 * answer.
 */
@Timeout(300)
class SqliteEndedTransactionTest {
    private static final int NEIGHBOURS = 8;

    @TempDir
    private Path directory;

    private final ExecutorService threads = Executors.newFixedThreadPool(NEIGHBOURS + 1);
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

    @ParameterizedTest
    @ValueSource(strings = {"COMMIT", "ROLLBACK", "COMMIT; BEGIN", "COMMIT; BEGIN; SAVEPOINT semel_0"})
    void plantedHoleInTheGuardIsNoticedAndNeighboursAreNeitherDoubledNorLost(String text) throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        List<Future<Boolean>> neighbours = new ArrayList<>();
        Future<Boolean> first =
                threads.submit(() -> EffectFixture.transactions(store).run(tx -> {
                    inside.countDown();
                    go.await();
                    return Ended.undo(true);
                }));
        inside.await();
        for (int i = 0; i < NEIGHBOURS / 2; i++) {
            String key = "n" + i;
            neighbours.add(threads.submit(() -> call(store, key)));
        }
        Future<Boolean> guilty =
                threads.submit(() -> EffectFixture.transactions(store).run(tx -> {
                    runs.incrementAndGet();
                    Connection real = UnguardedConnection.real(tx.unwrap(Connection.class));
                    insert(real, "guilty");
                    for (String each : text.split(";")) {
                        execute(real, each);
                    }
                    return Ended.keep(true);
                }));
        for (int i = NEIGHBOURS / 2; i < NEIGHBOURS; i++) {
            String key = "n" + i;
            neighbours.add(threads.submit(() -> call(store, key)));
        }
        go.countDown();
        first.get();
        assertThatThrownBy(guilty::get)
                .cause()
                .isInstanceOf(SemelException.TransactionEnded.class)
                .hasMessageContaining("may be committed without its record");
        for (Future<Boolean> neighbour : neighbours) {
            neighbour.get();
        }
        assertThat(runs.get()).isEqualTo(1);
        assertThat(number(store, "SELECT count(*) FROM effect WHERE who LIKE 'n%'"))
                .isEqualTo(NEIGHBOURS);
        assertThat(number(store, "SELECT count(DISTINCT who) FROM effect WHERE who LIKE 'n%'"))
                .isEqualTo(NEIGHBOURS);
        assertThat(number(store, "SELECT count(*) FROM semel_record")).isEqualTo(NEIGHBOURS);
        for (int i = 0; i < NEIGHBOURS; i++) {
            assertThat(call(store, "n" + i)).isFalse();
        }
    }

    @Test
    void settingsAreRejectedAndTheNextCallerFindsTheConnectionAsItWas() throws Exception {
        assertThatThrownBy(() -> EffectFixture.transactions(store).run(tx -> {
                    execute(tx.unwrap(Connection.class), "PRAGMA recursive_triggers = ON");
                    return Ended.keep(true);
                }))
                .hasMessageContaining("the next caller uses");
        assertThat(number(store, "PRAGMA recursive_triggers")).isZero();
        assertThat(call(store, "k")).isTrue();
    }
}
