package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.store.ActivityCounts;
import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityRow;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.time.ManualTime;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What an overview reads from PostgreSQL: through indexes, however much there is. */
@Timeout(300)
class PostgresActivityTest {
    private final ManualTime time = new ManualTime(1_800_000_000_000L);
    private final FreshSchema schema = FreshSchema.make();

    private static List<String> plan(Connection connection, String sql) throws SQLException {
        List<String> steps = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET enable_seqscan = off");
            try (ResultSet found = statement.executeQuery("EXPLAIN " + sql)) {
                while (found.next()) {
                    steps.add(found.getString(1));
                }
            }
        }
        return steps;
    }

    private static String filled(String sql, String... values) {
        String text = sql;
        for (String value : values) {
            text = text.replaceFirst("\\?", value);
        }
        return text;
    }

    @ParameterizedTest
    @EnumSource(
            value = State.class,
            names = {"QUEUED", "IN_PROGRESS", "FAILED_RETRYABLE", "FAILED_TERMINAL", "UNKNOWN"})
    void recordsAreCountedThroughTheIndexOfStates(State state) throws Exception {
        schema.open(time).close();
        String sql = String.format(Locale.ROOT, PostgresLedger.CENSUS, state.code(), PostgresSql.NOW);
        try (Connection connection = schema.connect()) {
            List<String> plan = plan(connection, filled(sql, "NULL", "'acme'", "9", "10"));
            assertThat(plan)
                    .anyMatch(step -> step.contains("Limit"))
                    .anyMatch(step -> step.contains("Index Scan using semel_record_attention"))
                    .noneMatch(step -> step.contains("Seq Scan"))
                    .noneMatch(step -> step.contains("Sort Key: semel_record.at"));
        }
    }

    @Test
    void historyIsReadThroughItsKey() throws Exception {
        schema.open(time).close();
        try (Connection connection = schema.connect()) {
            assertThat(plan(connection, filled(PostgresActivity.READ, "10000", "''", "1", "2")))
                    .anyMatch(step -> step.contains("semel_activity_pkey"))
                    .anyMatch(step ->
                            step.contains("Index Cond: ((step = 10000) AND (tenant = ''::text) AND (began >= 1)"))
                    .noneMatch(step -> step.contains("Seq Scan"));
            assertThat(plan(connection, filled(PostgresActivity.OLDEST, "10000", "''")))
                    .anyMatch(step -> step.contains("semel_activity_pkey"))
                    .noneMatch(step -> step.contains("Seq Scan"));
        }
    }

    @Test
    void oldHistoryIsRemovedThroughTheIndexOfItsAge() throws Exception {
        schema.open(time).close();
        try (Connection connection = schema.connect()) {
            assertThat(plan(connection, filled(PostgresActivity.PURGE, "10000", "2", "10")))
                    .anyMatch(step -> step.contains("semel_activity_age"))
                    .anyMatch(step -> step.contains("Index Cond: ((step = 10000) AND (began < 2))"))
                    .noneMatch(step -> step.contains("Seq Scan"));
        }
    }

    /** A data source whose connections have the rights of a role. */
    private PGSimpleDataSource as(String role) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(schema.server().jdbcUrl(schema.database()) + "&currentSchema=" + schema.name());
        source.setOptions("-c role=" + role);
        return source;
    }

    @Test
    void roleThatMayNotWriteTheHistoryIsToldSoAtTheStart() {
        String role = "working_" + schema.name();
        schema.open(time).close();
        schema.execute("CREATE ROLE " + role);
        schema.execute("GRANT USAGE ON SCHEMA " + schema.name() + " TO " + role);
        schema.execute("GRANT ALL ON ALL TABLES IN SCHEMA " + schema.name() + " TO " + role);
        schema.execute("GRANT ALL ON ALL SEQUENCES IN SCHEMA " + schema.name() + " TO " + role);
        schema.execute("REVOKE ALL ON semel_activity FROM " + role);
        StoreProvider.Options options = new StoreProvider.Options(time, true);
        assertThatThrownBy(() -> PostgresStore.on(as(role), options))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("GRANT SELECT, INSERT, UPDATE, DELETE ON semel_activity TO " + role);
        schema.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON semel_activity TO " + role);
        try (Store store = PostgresStore.on(as(role), options)) {
            ActivityLog activity = store.activity().orElseThrow();
            activity.write(List.of(new ActivityRow(
                    ActivityLog.ActivityStep.HOURS, 0, "", "charge", 1, ActivityCounts.parse("executed 1"))));
            assertThat(activity.purge(ActivityLog.ActivityStep.HOURS, 1, 10)).isEqualTo(1);
        }
    }
}
