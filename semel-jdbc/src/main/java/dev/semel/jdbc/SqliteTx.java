package dev.semel.jdbc;

import dev.semel.SemelException;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.Landing;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Opening;
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

/** A transaction in which records are written: on the writer, or on a connection of the caller's own. */
abstract class SqliteTx implements Transactions.Tx {
    private final SqliteRecords records;
    private final Connection real;
    private final StatementShelf shelf;
    private final Set<RecordId> absent = new HashSet<>();
    private @Nullable GuardedConnection guarded;

    SqliteTx(SqliteRecords records, Connection real, StatementShelf shelf) {
        this.records = records;
        this.real = real;
        this.shelf = shelf;
    }

    /** What an error of the database means here. */
    abstract SemelException translated(SQLException e);

    /** Called before records are looked at or written. */
    void enter() throws SQLException {}

    @Override
    public Switchboard.Modes modes() {
        try {
            return SqliteSwitchboard.read(real, 0);
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    /** Nobody can write beside this transaction, so a record is never found locked. */
    @Override
    public List<Opening> open(long modesVersion, List<Identity> identities) {
        try {
            enter();
            List<Opening> answers = new ArrayList<>(identities.size());
            for (Identity identity : identities) {
                answers.add(records.open(modesVersion, identity, absent::add));
            }
            return answers;
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    @Override
    public void land(List<Landing> landings) {
        try {
            enter();
            for (Landing landing : landings) {
                records.land(landing, absent.remove(landing.id()));
            }
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    @Override
    public List<Moved> move(List<Move> moves) {
        try {
            enter();
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
            enter();
            return records.arrivals().enqueue(batch);
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    @Override
    public Connection connection() {
        GuardedConnection known = guarded;
        if (known == null) {
            known = new GuardedConnection(real, shelf);
            guarded = known;
        }
        return known.seen();
    }

    boolean gave(Connection connection) {
        return guarded != null && guarded.seen() == connection;
    }

    /** The handler has returned: its connection does nothing any more. */
    void end() {
        if (guarded != null) {
            guarded.end();
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
