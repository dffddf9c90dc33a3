package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.store.LookupResult;
import dev.semel.store.State;
import dev.semel.store.Transactions.Ended;
import dev.semel.store.Transactions.Tx;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Parts of a transaction, the application's own writes, joined transactions, and many transactions at once. */
abstract class TransactionPartsSuite extends TransactionFixture {
    TransactionPartsSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void aPartThatIsNotKeptUndoesOnlyItself() throws Exception {
        transactions.run(tx -> {
            complete(tx, "before");
            assertThat(tx.<String>part(() -> {
                        complete(tx, "part");
                        return Ended.undo("undone");
                    }))
                    .isEqualTo("undone");
            tx.part(() -> {
                complete(tx, "kept part");
                return Ended.keep("kept");
            });
            complete(tx, "after");
            return Ended.keep(0);
        });
        assertThat(exists("before")).isTrue();
        assertThat(exists("part")).isFalse();
        assertThat(events("part")).isEmpty();
        assertThat(exists("kept part")).isTrue();
        assertThat(exists("after")).isTrue();
    }

    @Test
    void exceptionOfAPartUndoesOnlyThatPartAndIsPassedOn() throws Exception {
        var reason = new IllegalStateException("the part's own");
        transactions.run(tx -> {
            complete(tx, "before");
            assertThatThrownBy(() -> tx.part(() -> {
                        complete(tx, "part");
                        throw reason;
                    }))
                    .isSameAs(reason);
            return Ended.keep(0);
        });
        assertThat(exists("before")).isTrue();
        assertThat(exists("part")).isFalse();
    }

    @Test
    void partWithinAPartIsUndoneWithIt() throws Exception {
        transactions.run(tx -> {
            tx.part(() -> {
                tx.part(() -> {
                    complete(tx, "inner");
                    return Ended.keep(0);
                });
                return Ended.undo(0);
            });
            complete(tx, "outer");
            return Ended.keep(0);
        });
        assertThat(exists("inner")).isFalse();
        assertThat(exists("outer")).isTrue();
    }

    @Test
    void applicationsWritesStayAndGoWithTheRecord() throws Exception {
        transactions.run(tx -> {
            complete(tx, "kept");
            write(tx, 1);
            return Ended.keep(0);
        });
        transactions.run(tx -> {
            complete(tx, "undone");
            write(tx, 2);
            return Ended.undo(0);
        });
        transactions.run(tx -> {
            complete(tx, "parted");
            tx.part(() -> {
                write(tx, 3);
                return Ended.undo(0);
            });
            return Ended.keep(0);
        });
        transactions.run(tx -> {
            assertThat(count(sql(tx))).isEqualTo(1);
            return Ended.undo(0);
        });
        assertThat(exists("kept")).isTrue();
        assertThat(exists("undone")).isFalse();
        assertThat(exists("parted")).isTrue();
    }

    @Test
    void connectionOfAHandlerCannotEndTheTransaction() throws Exception {
        transactions.run(tx -> {
            complete(tx, "k");
            Connection connection = sql(tx);
            for (ConnectionCall ending : List.<ConnectionCall>of(
                    Connection::commit, Connection::rollback, c -> c.setAutoCommit(true), Connection::close)) {
                try {
                    ending.run(connection);
                } catch (SQLException | RuntimeException e) {
                    // rejected, or without effect: the remaining rows decide
                }
            }
            write(tx, 1);
            complete(tx, "still there");
            return Ended.undo(0);
        });
        assertThat(exists("k")).isFalse();
        assertThat(exists("still there")).isFalse();
        completeAndKeep("k");
    }

    @Test
    void a14_joinedTransactionStaysOrGoesWithTheCallersOwn() throws Exception {
        try (Connection connection = connection()) {
            connection.setAutoCommit(false);
            Tx joined = transactions.join(connection);
            complete(joined, "rolled back");
            connection.rollback();
            assertThat(exists("rolled back")).isFalse();

            Tx again = transactions.join(connection);
            complete(again, "committed");
            again.part(() -> {
                complete(again, "part");
                return Ended.undo(0);
            });
            assertThat(elsewhere(() -> exists("committed"))).isFalse();
            connection.commit();
        }
        assertThat(row("committed").state()).isEqualTo(State.COMPLETED);
        assertThat(events("committed")).containsExactly(2);
        assertThat(exists("part")).isFalse();
    }

    @Test
    void a1_recordOfManyConcurrentTransactionsIsWrittenOnce() throws Exception {
        for (int round = 0; round < 5; round++) {
            String key = "k" + round;
            List<Boolean> written = atOnce(THREADS, n -> writeOrFind(key));
            assertThat(Collections.frequency(written, true)).isEqualTo(1);
            assertThat(events(key)).containsExactly(2);
        }
    }

    @Test
    void oneThatFailsAmongManyTakesNoOtherWithIt() throws Exception {
        List<Boolean> kept = atOnce(THREADS, n -> {
            try {
                transactions.run(tx -> {
                    complete(tx, "k" + n);
                    if (n % 4 == 0) {
                        throw new IllegalStateException("fails");
                    }
                    return n % 4 == 1 ? Ended.undo(n) : Ended.keep(n);
                });
                return n % 4 != 1;
            } catch (IllegalStateException e) {
                return false;
            }
        });
        for (int n = 0; n < THREADS; n++) {
            assertThat(exists("k" + n)).as("record %s", n).isEqualTo(kept.get(n));
            assertThat(events("k" + n)).hasSize(kept.get(n) ? 1 : 0);
        }
    }

    private boolean writeOrFind(String key) throws Exception {
        while (true) {
            Optional<Boolean> written = transactions.run(tx -> {
                LookupResult lookup = open(tx, key);
                if (lookup instanceof LookupResult.Free) {
                    tx.write(List.of(completed(key)));
                    return Ended.keep(Optional.of(true));
                }
                return Ended.undo(lookup instanceof LookupResult.Found ? Optional.of(false) : Optional.empty());
            });
            if (written.isPresent()) {
                return written.get();
            }
            Thread.onSpinWait();
        }
    }

    private static Connection sql(Tx tx) {
        Connection connection = tx.connection();
        Assumptions.assumeTrue(connection != null, "this store has no JDBC connection");
        return connection;
    }

    private Connection connection() throws SQLException {
        Optional<Connection> connection = contract.connect();
        Assumptions.assumeTrue(connection.isPresent(), "this store cannot join a transaction of JDBC");
        return connection.get();
    }

    private static void write(Tx tx, int number) throws SQLException {
        try (Statement statement = sql(tx).createStatement()) {
            statement.executeUpdate("create table if not exists semel_contract_effect (n integer)");
            statement.executeUpdate("insert into semel_contract_effect values (" + number + ")");
        }
    }

    private static int count(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("select count(*) from semel_contract_effect")) {
            result.next();
            return result.getInt(1);
        }
    }

    @FunctionalInterface
    private interface ConnectionCall {
        void run(Connection connection) throws SQLException;
    }
}
