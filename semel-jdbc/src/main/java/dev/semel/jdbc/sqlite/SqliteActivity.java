package dev.semel.jdbc.sqlite;

import dev.semel.store.ActivityCounts;
import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityRow;
import dev.semel.store.ActivitySums;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;

/** The history of activity: all rows of a process in one commit, with whatever else shares it. */
final class SqliteActivity implements ActivityLog {
    private static final String WRITE = """
            INSERT INTO semel_activity (step, tenant, began, operation, node, counts) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (step, tenant, began, operation, node) DO UPDATE SET counts = excluded.counts""";

    static final String READ = """
            SELECT began, operation, counts FROM semel_activity
            WHERE step = ? AND tenant = ? AND began >= ? AND began < ? ORDER BY began, operation""";

    static final String OLDEST = "SELECT min(began) FROM semel_activity WHERE step = ? AND tenant = ?";

    static final String PURGE = """
            DELETE FROM semel_activity WHERE (step, tenant, began, operation, node) IN (
                SELECT step, tenant, began, operation, node FROM semel_activity WHERE step = ? AND began < ? LIMIT ?)""";

    private final SqliteAccess access;
    private final SqliteBackground background;

    SqliteActivity(SqliteAccess access, SqliteBackground background) {
        this.access = access;
        this.background = background;
    }

    @Override
    public void write(List<ActivityRow> rows) {
        if (rows.isEmpty()) {
            return;
        }
        access.write(db -> {
            for (ActivityRow row : rows) {
                db.session().update(WRITE, statement -> bind(row, statement));
            }
            return rows.size();
        });
    }

    private static void bind(ActivityRow row, PreparedStatement statement) throws SQLException {
        statement.setLong(1, row.step().millis());
        statement.setString(2, row.tenant());
        statement.setLong(3, row.began());
        statement.setString(4, row.operation());
        statement.setLong(5, row.node());
        statement.setString(6, row.counts().stored());
    }

    @Override
    public List<ActivityRow> read(ActivityStep step, String tenant, long from, long until) {
        return access.read(session -> {
            ActivitySums sums = new ActivitySums();
            session.each(
                    READ,
                    statement -> {
                        statement.setLong(1, step.millis());
                        statement.setString(2, tenant);
                        statement.setLong(3, from);
                        statement.setLong(4, until);
                    },
                    row -> sums.add(new ActivityRow(
                            step,
                            row.getLong(1),
                            tenant,
                            row.getString(2),
                            0,
                            ActivityCounts.parse(row.getString(3)))));
            return sums.rows();
        });
    }

    @Override
    public OptionalLong oldest(ActivityStep step, String tenant) {
        return access.read(session -> session.first(
                        OLDEST,
                        statement -> {
                            statement.setLong(1, step.millis());
                            statement.setString(2, tenant);
                        },
                        row -> {
                            long began = row.getLong(1);
                            return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(began);
                        })
                .orElse(OptionalLong.empty()));
    }

    @Override
    public int purge(ActivityStep step, long before, int limit) {
        return background.write(db -> db.session().update(PURGE, statement -> {
            statement.setLong(1, step.millis());
            statement.setLong(2, before);
            statement.setInt(3, limit);
        }));
    }
}
