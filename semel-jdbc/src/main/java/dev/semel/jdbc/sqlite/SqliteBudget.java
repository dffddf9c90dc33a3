package dev.semel.jdbc.sqlite;

import dev.semel.store.Claim;
import java.sql.SQLException;

/** The retries that all processes on the file together may begin. Looked at only where there is a limit. */
final class SqliteBudget {
    private static final String READ = "SELECT retries, at FROM semel_budget WHERE operation = ?";
    private static final String WRITE = """
            INSERT INTO semel_budget (operation, retries, at) VALUES (?1, ?2, ?3)
            ON CONFLICT (operation) DO UPDATE SET retries = ?2, at = ?3""";

    private final SqliteSession session;
    private final String operation;
    private final int perSecond;

    SqliteBudget(SqliteSession session, Claim claim) {
        this.session = session;
        this.operation = claim.operation();
        this.perSecond = claim.amount().budget().perSecond();
    }

    /** How many retries may begin at this moment. */
    int left(long now) throws SQLException {
        return perSecond == 0 ? Integer.MAX_VALUE : (int) savedUp(now);
    }

    void spend(int retries, long now) throws SQLException {
        if (perSecond == 0 || retries == 0) {
            return;
        }
        double left = savedUp(now) - retries;
        session.update(WRITE, statement -> {
            statement.setString(1, operation);
            statement.setDouble(2, left);
            statement.setLong(3, now);
        });
    }

    private double savedUp(long now) throws SQLException {
        double found = session.first(
                        READ,
                        statement -> statement.setString(1, operation),
                        row -> row.getDouble(1) + Math.max(0, now - row.getLong(2)) / 1000.0 * perSecond)
                .orElse((double) perSecond);
        return Math.min(perSecond, found);
    }
}
