package dev.semel.jdbc.sqlite;

import dev.semel.jdbc.shared.StatementCache;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The handlers' statements on the write connection. Only statements that change rows are kept: they have no columns that a
 * change of the schema could alter, no cursor that could stay open, and, unlike some pragmas, do nothing while they are
 * prepared. Used by the holder of the writer only; closed with the connection.
 */
final class SqliteStatementCache implements StatementCache {
    static final int CAPACITY = 64;

    private static final List<String> CHANGES = List.of("INSERT", "UPDATE", "DELETE", "REPLACE");

    private final Map<String, PreparedStatement> kept = new LinkedHashMap<>();

    @Override
    public @Nullable PreparedStatement take(String sql) {
        return kept.remove(sql);
    }

    @Override
    public void giveBack(String sql, PreparedStatement statement) throws SQLException {
        if (!changesRows(sql) || kept.containsKey(sql)) {
            statement.close();
            return;
        }
        statement.clearParameters();
        kept.put(sql, statement);
        if (kept.size() > CAPACITY) {
            String eldest = kept.keySet().iterator().next();
            kept.remove(eldest).close();
        }
    }

    int size() {
        return kept.size();
    }

    private static boolean changesRows(String sql) {
        return CHANGES.stream().anyMatch(verb -> sql.regionMatches(true, 0, verb, 0, verb.length()));
    }
}
