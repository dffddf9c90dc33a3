package dev.semel.jdbc.fault;

import dev.semel.jdbc.sqlite.SqliteTap;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** The faults in the statements of a ledger on SQLite. */
final class SqliteFaults {
    private SqliteFaults() {}

    /** A planted bug: a handler's effect is committed by itself, and its record in a transaction that follows. */
    static SqliteTap commitTheEffectFirst() {
        return step -> {
            Object answer = step.run();
            if (step.sql().startsWith("INSERT INTO applied")) {
                execute(step.connection(), "COMMIT");
                execute(step.connection(), "BEGIN IMMEDIATE");
                execute(step.connection(), "SAVEPOINT semel_0");
            }
            return answer;
        };
    }

    /** Ends the process in place of the n-th statement. */
    static SqliteTap haltAt(int n) {
        AtomicInteger count = new AtomicInteger();
        return step -> {
            if (count.incrementAndGet() == n) {
                Runtime.getRuntime().halt(HaltingProcess.HALTED);
            }
            return step.run();
        };
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
