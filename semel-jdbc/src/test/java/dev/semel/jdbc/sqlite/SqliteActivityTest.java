package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an overview reads from SQLite: through indexes, however much there is. */
class SqliteActivityTest {
    @TempDir
    private Path directory;

    private List<String> plan(String sql) throws SQLException {
        Path file = directory.resolve("semel.db");
        SqliteFixture.open(file).close();
        List<String> steps = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("EXPLAIN QUERY PLAN " + sql)) {
            while (found.next()) {
                steps.add(found.getString("detail"));
            }
        }
        return steps;
    }

    @Test
    void recordsAreCountedThroughTheIndexOfStates() throws Exception {
        assertThat(plan(SqliteLedger.CENSUS))
                .contains("SEARCH semel_record USING INDEX semel_record_at (state=? AND at<?)")
                .noneMatch(step -> step.contains("SCAN semel_record") || step.contains("ORDER BY at"));
    }

    @Test
    void historyIsReadThroughItsKey() throws Exception {
        assertThat(plan(SqliteActivity.READ))
                .containsExactly(
                        "SEARCH semel_activity USING PRIMARY KEY (step=? AND tenant=? AND began>? AND began<?)");
        assertThat(plan(SqliteActivity.OLDEST))
                .containsExactly("SEARCH semel_activity USING PRIMARY KEY (step=? AND tenant=?)");
        assertThat(plan(SqliteActivity.PURGE))
                .anyMatch(step -> step.endsWith("INDEX semel_activity_age (step=? AND began<?)"))
                .noneMatch(step -> step.startsWith("SCAN semel_activity"));
    }
}
