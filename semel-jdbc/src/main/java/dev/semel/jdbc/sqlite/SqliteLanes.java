package dev.semel.jdbc.sqlite;

import dev.semel.key.RecordId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * The order of lanes, inside a write transaction. As nobody else writes meanwhile, a message takes its place in its lane when it
 * arrives: a lane is always in order, and its first one is its head.
 */
final class SqliteLanes {
    /** Whether somebody stands in the lane. As it is written here, the index of lanes answers it. */
    static final String STANDING = "turn IN (1, 2)";

    private static final String JOIN = """
            UPDATE semel_record SET place = ?, turn = CASE WHEN lane IS NULL THEN 0 ELSE 2 END WHERE id = ?""";
    static final String PROMOTE = String.format(Locale.ROOT, """
            UPDATE semel_record SET turn = 1 WHERE turn = 2
                AND n = (SELECT n FROM semel_record WHERE lane = ? AND %s ORDER BY place LIMIT 1)""", STANDING);

    private final SqliteSession session;
    private final SqliteFences fences;

    SqliteLanes(SqliteSession session, SqliteFences fences) {
        this.session = session;
        this.fences = fences;
    }

    /** To the tail of its lane, if it has one. If nobody stands there, it is to be promoted. */
    void join(RecordId id) throws SQLException {
        long place = fences.nextFence();
        session.update(JOIN, statement -> {
            statement.setLong(1, place);
            statement.setBytes(2, id.bytes());
        });
    }

    /** The first one of the lane becomes its head. */
    void promote(long lane) throws SQLException {
        session.update(PROMOTE, statement -> statement.setLong(1, lane));
    }

    /**
     * The lane in which a record stands, if it does.
     *
     * @param first the position of {@code turn}, with {@code lane} behind it
     */
    static OptionalLong lane(ResultSet row, int first) throws SQLException {
        int turn = row.getInt(first);
        return turn == 1 || turn == 2 ? OptionalLong.of(row.getLong(first + 1)) : OptionalLong.empty();
    }
}
