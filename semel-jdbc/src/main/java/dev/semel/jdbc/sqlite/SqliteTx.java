package dev.semel.jdbc.sqlite;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.GuardedConnection;
import dev.semel.jdbc.shared.SqlRules;
import dev.semel.jdbc.shared.StatementCache;
import dev.semel.jdbc.shared.TransactionWatch;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.LookupResult;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.RecordWrite;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConnection;

/** A transaction in which records are written: on the writer, or on a connection of the caller's own. */
abstract class SqliteTx implements Transactions.Tx {
    private final SqliteRecords records;
    private final Connection real;
    private final StatementCache cache;
    private final SqliteErrors errors;
    private final Set<RecordId> absent = new HashSet<>();
    private @Nullable GuardedConnection guarded;

    SqliteTx(SqliteRecords records, Connection real, StatementCache cache, SqliteErrors errors) {
        this.records = records;
        this.errors = errors;
        this.real = real;
        this.cache = cache;
    }

    /** Translates an error of the database. */
    abstract SemelException translated(SQLException e);

    /** Called before records are looked at or written. */
    void enter() throws SQLException {}

    /** A handler leaves something on the connection that outlives its transaction. */
    abstract void sessionChanges(String by) throws SQLException;

    /** SQLite has rolled the transaction back after an error of the handler's. */
    void rolledBack() {}

    private void ready() throws SQLException {
        GuardedConnection.TransactionState fate =
                guarded == null ? GuardedConnection.TransactionState.OPEN : guarded.fate();
        if (fate == GuardedConnection.TransactionState.ROLLED_BACK) {
            throw errors.rolledBackByItself();
        }
        enter();
    }

    @Override
    public Switchboard.Modes modes() {
        try {
            return SqliteSwitchboard.read(real, 0);
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    /** Nothing else can write during this transaction, so no record is ever locked. */
    @Override
    public List<LookupResult> lookUp(long modesVersion, List<Identity> identities) {
        try {
            ready();
            List<LookupResult> answers = new ArrayList<>(identities.size());
            for (Identity identity : identities) {
                answers.add(records.lookUp(modesVersion, identity, absent::add));
            }
            return answers;
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    @Override
    public void write(List<RecordWrite> writes) {
        try {
            ready();
            for (RecordWrite write : writes) {
                records.write(write, absent.remove(write.id()));
            }
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    @Override
    public List<Moved> move(List<Move> moves) {
        try {
            ready();
            return records.move(moves);
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    /** Asked before {@link #enter}, which writes. Rows that a savepoint has undone count, too; changes of the schema do not. */
    @Override
    public Optional<Moved> moveIfChanged(Move move, long changesBefore) {
        try {
            return changes(real) == changesBefore
                    ? Optional.empty()
                    : Optional.of(move(List.of(move)).get(0));
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    /** Rows that were inserted, updated or deleted on the connection since it was opened. */
    static long changes(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT total_changes()")) {
            found.next();
            return found.getLong(1);
        }
    }

    @Override
    public List<Enqueued> enqueue(List<Arrival> batch) {
        try {
            ready();
            return records.arrivals().enqueue(batch);
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    @Override
    public Connection connection() {
        GuardedConnection known = guarded;
        if (known == null) {
            known = new GuardedConnection(real, cache, new Watch());
            guarded = known;
        }
        return known.seen();
    }

    boolean gave(Connection connection) {
        return guarded != null && guarded.seen() == connection;
    }

    /**
     * The handler has returned: its connection does nothing any more.
     *
     * @throws SemelException.StoreUnavailable when another thread is inside the driver and cannot be got out
     */
    void end() {
        if (guarded != null && !guarded.end()) {
            abandon();
            throw errors.stillInUse();
        }
    }

    /** SQLite says only by refusing a second one whether there is a transaction, and the driver may begin one unasked. */
    static boolean isInTransaction(Connection connection) throws SQLException {
        SQLiteConnection driver = connection.unwrap(SQLiteConnection.class);
        boolean autoCommit = driver.getConnectionConfig().isAutoCommit();
        driver.getConnectionConfig().setAutoCommit(true);
        try (Statement statement = driver.createStatement()) {
            statement.execute("BEGIN");
            statement.execute("ROLLBACK");
            return false;
        } catch (SQLException e) {
            if (SqliteErrors.code(e) == SqliteErrors.ERROR) {
                return true;
            }
            throw e;
        } finally {
            driver.getConnectionConfig().setAutoCommit(autoCommit);
        }
    }

    private final class Watch implements TransactionWatch {
        @Override
        public SqlRules rules() {
            return SqliteSqlRules.RULES;
        }

        @Override
        public void sessionChanges(String by) throws SQLException {
            SqliteTx.this.sessionChanges(by);
        }

        /** After a statement that went well the savepoint tells, when the work ends. */
        @Override
        public boolean isOpen(boolean failed, boolean batch) throws SQLException {
            if (!failed || isInTransaction(real)) {
                return true;
            }
            rolledBack();
            return false;
        }
    }

    @Override
    public <T> T unwrap(Class<T> type) {
        if (type != Connection.class) {
            throw new SemelException.Invalid(
                    "A transaction on SQLite is a java.sql.Connection, not a " + type.getName() + ".");
        }
        return type.cast(connection());
    }
}
