package dev.semel.jdbc.sqlite;

import dev.semel.SemelException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Checks that an application's own connections to SQLite are fit to commit the ledger. */
final class SqliteConnections {
    private static final int FULL = 2;

    private SqliteConnections() {}

    /**
     * The file that they lead to.
     *
     * @throws SemelException.Misconfigured when a commit on them would not be durable, naming every fault
     */
    static String file(DataSource source) {
        List<String> faults = new ArrayList<>();
        String file;
        try (Connection connection = source.getConnection()) {
            SqliteSession session = new SqliteSession(connection);
            file = session.first("PRAGMA database_list", SqliteSession.NOTHING, row -> row.getString(3))
                    .orElse("");
            if (file.isEmpty()) {
                faults.add("the data source leads to a SQLite database in memory, which forgets everything: name a file"
                        + " in its URL, or give the ledger a store of its own");
            }
            int synchronous = session.first("PRAGMA synchronous", SqliteSession.NOTHING, row -> row.getInt(1))
                    .orElse(0);
            if (synchronous < FULL) {
                faults.add("the data source's connections run with synchronous=" + (synchronous == 0 ? "OFF" : "NORMAL")
                        + ", which loses acknowledged commits at a power cut: remove it from its URL or properties");
            }
            session.forget();
        } catch (SQLException e) {
            throw new SemelException.StoreUnavailable(
                    "The application's SQLite database cannot be read (" + e.getMessage() + "); nothing was run.", e);
        }
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("sqlite (data source of the application)", faults);
        }
        return file;
    }
}
