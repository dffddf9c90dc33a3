package dev.semel.jdbc;

import dev.semel.SemelException;
import dev.semel.store.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

final class SqliteTransactions implements Transactions {
    private final SqliteAccess access;
    private final SqliteJoined.Marks marks;

    /** The innermost transaction on the writer; touched only by the thread that holds it. */
    private @Nullable SqliteTx current;

    SqliteTransactions(SqliteAccess access, SqliteJoined.Marks marks) {
        this.access = access;
        this.marks = marks;
    }

    @Override
    public <T> T run(Work<T> work) throws Exception {
        return access.writer().run(line -> {
            SqliteTx outer = current;
            SqliteTx tx = new OnWriter(line);
            current = tx;
            try {
                return work.run(tx);
            } finally {
                tx.end();
                current = outer;
            }
        });
    }

    /** A connection that an atomic handler was given leads back to its transaction. */
    @Override
    public Tx join(Connection connection) {
        SqliteTx mine = access.writer().isMine() ? current : null;
        return mine != null && mine.gave(connection) ? mine : new SqliteJoined(connection, access.file(), marks);
    }

    private final class OnWriter extends SqliteTx {
        OnWriter(SqliteLine line) {
            super(line.records(), line.session().connection(), line.shelf());
        }

        @Override
        SemelException translated(SQLException e) {
            return access.errors().unavailable(e);
        }

        @Override
        public <T> T part(Part<T> part) throws Exception {
            return access.writer().run(line -> part.run());
        }
    }
}
