package dev.semel.jdbc.shared;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Keeps statements that handlers have prepared and closed, for the next handler that asks for the same text. */
public interface StatementCache {
    StatementCache NONE = new StatementCache() {
        @Override
        public @Nullable PreparedStatement take(String sql) {
            return null;
        }

        @Override
        public void giveBack(String sql, PreparedStatement statement) throws SQLException {
            statement.close();
        }
    };

    /** A statement that nobody uses and that has no parameters set; null when there is none. */
    @Nullable
    PreparedStatement take(String sql);

    /** Keeps the statement, which has only changed rows, or closes it. */
    void giveBack(String sql, PreparedStatement statement) throws SQLException;
}
