package dev.semel.jdbc.postgres;

import dev.semel.store.ActivityCounts;
import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityRow;
import dev.semel.store.ActivitySums;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/** The history of activity: one statement for all rows of a node. */
final class PostgresActivity implements ActivityLog {
    /** Read from the server in one round trip. */
    private static final int ROWS_AT_ONCE = 1_000;

    private static final String WRITE = "SELECT " + PostgresSql.BOUNDED_WAIT + "; " + """
            INSERT INTO semel_activity AS a (step, tenant, began, operation, node, counts)
            SELECT * FROM unnest(?::bigint[], ?::text[], ?::bigint[], ?::text[], ?::bigint[], ?::text[])
            ON CONFLICT (step, tenant, began, operation, node) DO UPDATE SET counts = excluded.counts
                WHERE a.counts <> excluded.counts""";

    static final String READ = """
            SELECT began, operation, counts FROM semel_activity
            WHERE step = ? AND tenant = ? AND began >= ? AND began < ? ORDER BY began, operation""";

    static final String OLDEST = "SELECT min(began) FROM semel_activity WHERE step = ? AND tenant = ?";

    /** Rows that another node removes at this moment are left to it. */
    static final String PURGE = """
            DELETE FROM semel_activity WHERE ctid = ANY (ARRAY(
                SELECT ctid FROM semel_activity WHERE step = ? AND began < ? LIMIT ? FOR UPDATE SKIP LOCKED))""";

    /** So that no two nodes wait for each other in a circle; they have no rows in common, but purges have. */
    private static final Comparator<ActivityRow> BY_KEY = Comparator.comparing(ActivityRow::step)
            .thenComparing(ActivityRow::tenant)
            .thenComparing(ActivityRow::began)
            .thenComparing(ActivityRow::operation);

    private final PostgresSessions sessions;

    PostgresActivity(PostgresSessions sessions) {
        this.sessions = sessions;
    }

    @Override
    public void write(List<ActivityRow> rows) {
        if (rows.isEmpty()) {
            return;
        }
        List<ActivityRow> sorted = rows.stream().sorted(BY_KEY).toList();
        sessions.once("writing the history of activity", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(WRITE)) {
                new PostgresBinder(statement)
                        .longs(sorted, row -> row.step().millis())
                        .texts(sorted, ActivityRow::tenant)
                        .longs(sorted, ActivityRow::began)
                        .texts(sorted, ActivityRow::operation)
                        .longs(sorted, ActivityRow::node)
                        .texts(sorted, row -> row.counts().stored());
                statement.execute();
                return rows.size();
            }
        });
    }

    @Override
    public List<ActivityRow> read(ActivityStep step, String tenant, long from, long until) {
        // In a transaction, because the driver reads all rows at once outside of one.
        return sessions.transaction("reading the history of activity", connection -> {
            ActivitySums sums = new ActivitySums();
            try (PreparedStatement statement = connection.prepareStatement(READ)) {
                statement.setFetchSize(ROWS_AT_ONCE);
                new PostgresBinder(statement)
                        .number(step.millis())
                        .text(tenant)
                        .number(from)
                        .number(until);
                try (ResultSet found = statement.executeQuery()) {
                    while (found.next()) {
                        sums.add(new ActivityRow(
                                step,
                                found.getLong(1),
                                tenant,
                                found.getString(2),
                                0,
                                ActivityCounts.parse(found.getString(3))));
                    }
                }
            }
            return sums.rows();
        });
    }

    @Override
    public OptionalLong oldest(ActivityStep step, String tenant) {
        return sessions.once("reading the history of activity", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(OLDEST)) {
                new PostgresBinder(statement).number(step.millis()).text(tenant);
                try (ResultSet found = statement.executeQuery()) {
                    found.next();
                    long began = found.getLong(1);
                    return found.wasNull() ? OptionalLong.empty() : OptionalLong.of(began);
                }
            }
        });
    }

    @Override
    public int purge(ActivityStep step, long before, int limit) {
        return sessions.once("removing old activity", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(PURGE)) {
                new PostgresBinder(statement)
                        .number(step.millis())
                        .number(before)
                        .number((long) limit);
                return statement.executeUpdate();
            }
        });
    }
}
