package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.store.CommitRefused;
import dev.semel.store.Transactions.Ended;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The connection that a handler is given: it cannot end its transaction, outlive it, or leave anything to the next handler. */
abstract class HandlerConnectionSuite extends TransactionFixture {
    private static final List<String> ENDING = List.of(
            "COMMIT",
            "commit;",
            "ROLLBACK",
            "END",
            "BEGIN",
            "  \t\n COMMIT",
            "/* x */ COMMIT",
            "/* ; ' */ ROLLBACK",
            "-- x\nCOMMIT",
            "-- COMMIT'\nEND",
            "; COMMIT",
            "select 1; COMMIT",
            "select 'it''s; '; rollback",
            "select 1 as \"a;b\"; COMMIT",
            "ROLLBACK; BEGIN",
            "COMMIT TRANSACTION",
            "SAVEPOINT semel_0",
            "RELEASE SAVEPOINT \"semel_0\"");

    private static final List<String> HARMLESS = List.of(
            "select 'COMMIT; ROLLBACK'",
            "select 1 as \"commit\"",
            "select 1 /* ; COMMIT */",
            "select 1 -- ; COMMIT",
            "select 1;",
            "select 'it''s; COMMIT'");

    HandlerConnectionSuite(StoreContract contract) {
        super(contract);
    }

    @BeforeEach
    void makeTable() throws SQLException {
        Assumptions.assumeTrue(contract.connect().isPresent(), () -> store.name() + " has no JDBC connection");
        try (Connection own = plain()) {
            execute(own, "CREATE TABLE IF NOT EXISTS written (name TEXT)");
            execute(own, "CREATE TABLE IF NOT EXISTS single (name TEXT PRIMARY KEY)");
        }
    }

    private Connection plain() throws SQLException {
        return contract.connect().orElseThrow();
    }

    private static Connection connection(dev.semel.store.Transactions.Tx tx) {
        return Objects.requireNonNull(tx.connection());
    }

    @Test
    void textThatEndsTheTransactionIsRejectedHoweverItIsSent() throws Exception {
        transactions.run(tx -> {
            Connection connection = connection(tx);
            write(connection, "before");
            for (String text : ENDING) {
                refuses(text, () -> execute(connection, text));
                refuses(text, () -> {
                    try (PreparedStatement statement = connection.prepareStatement(text)) {
                        statement.execute();
                    }
                });
                refuses(text, () -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.addBatch(text);
                        statement.executeBatch();
                    }
                });
                refuses(text, () -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.executeUpdate(text, Statement.NO_GENERATED_KEYS);
                    }
                });
            }
            assertThat(elsewhere(() -> count("before"))).isZero();
            complete(tx, "k");
            return Ended.keep(0);
        });
        assertThat(count("before")).isEqualTo(1);
        assertThat(exists("k")).isTrue();
    }

    @Test
    void everyPathToTheConnectionLeadsToTheGuardedOne() throws Exception {
        transactions.run(tx -> {
            Connection connection = connection(tx);
            write(connection, "before");
            try (Statement statement = connection.createStatement();
                    ResultSet found = statement.executeQuery("select 1")) {
                refuses("statement", () -> statement.getConnection().commit());
                refuses("result", () -> found.getStatement().getConnection().commit());
                refuses(
                        "metadata",
                        () -> connection.getMetaData().getConnection().rollback());
                refuses("autocommit", () -> connection.setAutoCommit(true));
                refuses("unwrap", () -> connection.unwrap(driver()));
                refuses("unwrap of a statement", () -> statement.unwrap(driver()));
            }
            return Ended.undo(0);
        });
        assertThat(count("before")).isZero();
    }

    /** The driver's own type, which could do anything. */
    private Class<?> driver() throws SQLException {
        try (Connection own = plain()) {
            return own.unwrap(Connection.class).getClass();
        }
    }

    @Test
    void wordsThatOnlyLookLikeTheEndOfATransactionAreNotRefused() throws Exception {
        transactions.run(tx -> {
            for (String text : HARMLESS) {
                execute(connection(tx), text);
            }
            return Ended.undo(0);
        });
    }

    @Test
    void handlersOwnSavepointsUndoAPart() throws Exception {
        transactions.run(tx -> {
            Connection connection = connection(tx);
            write(connection, "kept");
            Savepoint savepoint = connection.setSavepoint();
            write(connection, "undone");
            connection.rollback(savepoint);
            execute(connection, "SAVEPOINT mine");
            write(connection, "undone");
            execute(connection, "ROLLBACK TO SAVEPOINT mine");
            execute(connection, "RELEASE SAVEPOINT mine");
            complete(tx, "k");
            return Ended.keep(0);
        });
        assertThat(count("kept")).isEqualTo(1);
        assertThat(count("undone")).isZero();
        assertThat(exists("k")).isTrue();
    }

    @Test
    void temporaryTablesOfOneHandlerAreNotThereForTheNext() throws Exception {
        for (int i = 0; i < 3; i++) {
            transactions.run(tx -> {
                execute(connection(tx), "CREATE TEMPORARY TABLE scratch (name TEXT)");
                execute(connection(tx), "INSERT INTO scratch VALUES ('x')");
                return Ended.keep(0);
            });
        }
    }

    /** One engine rolls back as requested, another one fails the transaction because it does not know the statement. */
    @Test
    void nothingIsWrittenAfterAStatementThatRolledTheTransactionBack() {
        assertThatThrownBy(() -> transactions.run(tx -> {
                    Connection connection = connection(tx);
                    write(connection, "first");
                    for (int i = 0; i < 2; i++) {
                        ignoringErrors(() -> execute(connection, "INSERT OR ROLLBACK INTO single VALUES ('x')"));
                    }
                    ignoringErrors(() -> write(connection, "second"));
                    complete(tx, "k");
                    return Ended.keep(0);
                }))
                .isInstanceOfAny(SemelException.StoreUnavailable.class, CommitRefused.class);
        assertThat(List.of("first", "second"))
                .allSatisfy(name -> assertThat(count(name)).as(name).isZero());
        assertThat(exists("k")).isFalse();
    }

    private interface Sql {
        void run() throws SQLException;
    }

    /** Like a handler that ignores the exception. */
    private static void ignoringErrors(Sql sql) {
        try {
            sql.run();
        } catch (SQLException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }

    @Test
    void threadThatOutlivesItsHandlerWritesInNoOtherTransaction() throws Exception {
        AtomicReference<Throwable> raw = new AtomicReference<>();
        for (int round = 0; round < 150; round++) {
            CountDownLatch writing = new CountDownLatch(1);
            AtomicBoolean stop = new AtomicBoolean();
            AtomicReference<Thread> stray = new AtomicReference<>();
            assertThatThrownBy(() -> transactions.run(tx -> {
                        Connection connection = connection(tx);
                        Thread thread = new Thread(() -> stray(connection, writing, stop, raw));
                        stray.set(thread);
                        thread.start();
                        writing.await();
                        throw new IllegalStateException("rolled back");
                    }))
                    .hasMessage("rolled back");
            int current = round;
            transactions.run(tx -> {
                write(connection(tx), "innocent");
                complete(tx, "k" + current);
                return Ended.keep(0);
            });
            stop.set(true);
            stray.get().join();
        }
        assertThat(count("stray")).isZero();
        assertThat(count("innocent")).isEqualTo(150);
        assertThat(raw.get()).isNull();
    }

    private static void stray(
            Connection connection, CountDownLatch writing, AtomicBoolean stop, AtomicReference<Throwable> raw) {
        while (!stop.get()) {
            try {
                write(connection, "stray");
                writing.countDown();
            } catch (SQLException e) {
                if (writing.getCount() == 0) {
                    return;
                }
            } catch (RuntimeException e) {
                raw.set(e);
                return;
            }
        }
    }

    private static void refuses(String what, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .as(what)
                .isInstanceOfSatisfying(
                        SQLException.class,
                        refused -> assertThat(refused.getSQLState()).as(what).isEqualTo("2D000"));
    }

    private static void write(Connection connection, String name) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO written (name) VALUES (?)")) {
            insert.setString(1, name);
            insert.executeUpdate();
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long count(String name) throws SQLException {
        try (Connection own = plain();
                PreparedStatement select = own.prepareStatement("SELECT count(*) FROM written WHERE name = ?")) {
            select.setString(1, name);
            try (ResultSet found = select.executeQuery()) {
                found.next();
                return found.getLong(1);
            }
        }
    }
}
