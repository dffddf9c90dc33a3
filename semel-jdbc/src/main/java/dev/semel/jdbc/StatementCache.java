package dev.semel.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Keeps statements that handlers have prepared and closed, for the next handler that asks for the same text. */
interface StatementCache {
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

    /** A statement that is nobody's now and has no parameters set; nothing when there is none. */
    @Nullable
    PreparedStatement take(String sql);

    /** Keeps the statement, which has done nothing but to change rows, or closes it. */
    void giveBack(String sql, PreparedStatement statement) throws SQLException;
}
