package dev.semel.jdbc.sqlite;

import dev.semel.jdbc.shared.Rows;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordSearch;
import dev.semel.store.Row;
import dev.semel.store.SearchedRecords;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Searches for people, that step through a bounded number of records in the order of the index, however few of them match. */
final class SqliteSearch {
    private static final String SEARCH = "SELECT " + Rows.summary("", "length") + """
            , fence <= ?4 AND (parent IS NULL OR place IS NOT NULL) AND (?5 IS NULL OR tenant = ?5)
                AND (?6 IS NULL OR operation = ?6) AND (?7 = 0 OR place IS NOT NULL)
                AND (?8 IS NULL OR place IS NOT NULL AND lane IS NOT NULL AND lane_key = ?8)
                AND attempt >= ?9 AND (?10 IS NULL OR at - coalesce(keep, 0) <= ?10)
                AND (?11 IS NULL OR coalesce(instr(failure, ?11), 0) > 0)
            FROM semel_record WHERE state = ?1 AND (at, id) < (?2, ?3) ORDER BY at DESC, id DESC LIMIT ?12""";

    private static final int MATCHING = Rows.SUMMARY_COUNT + 1;

    private final State state;
    private final RecordSearch search;
    private final RecordFilter.Cursor behind;
    private final int limit;
    private final int most;

    SqliteSearch(State state, RecordSearch search, RecordFilter.Cursor behind, int limit, int most) {
        this.state = state;
        this.search = search;
        this.behind = behind;
        this.limit = limit;
        this.most = most;
    }

    SearchedRecords run(SqliteSession session) throws SQLException {
        String part = search.failurePart();
        return session.first(
                        SEARCH,
                        statement -> {
                            statement.setInt(1, state.code());
                            statement.setLong(2, behind.at());
                            statement.setBytes(3, behind.id().bytes());
                            statement.setLong(4, search.records().fence());
                            statement.setString(5, search.records().tenant());
                            statement.setString(6, search.records().operation());
                            statement.setInt(7, search.records().queued() ? 1 : 0);
                            statement.setString(8, search.lane());
                            statement.setInt(9, search.attempts());
                            statement.setObject(10, search.dueUntil() == Status.NEVER ? null : search.dueUntil());
                            statement.setBytes(11, part == null ? null : part.getBytes(StandardCharsets.UTF_8));
                            statement.setLong(12, most + 1L);
                        },
                        this::read)
                .orElse(new SearchedRecords(List.of(), 0, null));
    }

    /** From the first row on. One more than may be looked at tells whether anything is behind. */
    private SearchedRecords read(ResultSet found) throws SQLException {
        List<Row> rows = new ArrayList<>();
        int looked = 0;
        RecordFilter.Cursor last = RecordFilter.Cursor.START;
        do {
            if (looked == most || rows.size() == limit) {
                return new SearchedRecords(rows, looked, last);
            }
            looked++;
            last = new RecordFilter.Cursor(
                    Rows.status(found, Rows.SUMMARY_STATUS).at(), Rows.id(found, 1));
            if (found.getBoolean(MATCHING)) {
                rows.add(Rows.claimed(found, 1));
            }
        } while (found.next());
        return new SearchedRecords(rows, looked, null);
    }
}
