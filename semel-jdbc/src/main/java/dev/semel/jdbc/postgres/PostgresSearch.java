package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.Rows;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordSearch;
import dev.semel.store.Row;
import dev.semel.store.SearchedRecords;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Searches for people, that look at a bounded number of records in the order of an index, however few of them match. */
final class PostgresSearch {
    /**
     * Records are numbered as they are looked at. Beside those that match, the last one that may be looked at and the last one that is
     * there are returned: they tell where the search ended. A bitmap would read the whole state before the first record.
     */
    private static final String SEARCH =
            "SELECT " + PostgresSql.BY_INDEX + ", set_config('enable_bitmapscan', 'off', true); SELECT "
                    + Rows.summary("r.", "octet_length") + """
            , r.number, r.matching, r.final FROM (
                SELECT *, row_number() OVER w AS number, lead(id) OVER w IS NULL AS final,
                    (fence <= ? AND (parent IS NULL OR place IS NOT NULL)%2$s) AS matching
                FROM semel_record WHERE state = %1$s AND (at, id) < (?, ?)
                WINDOW w AS (ORDER BY at DESC, id DESC) ORDER BY at DESC, id DESC LIMIT %3$s) AS r
            WHERE r.matching OR r.final OR r.number = %3$s LIMIT ?""";

    private static final int NUMBER = Rows.SUMMARY_COUNT + 1;
    private static final int MATCHING = NUMBER + 1;
    private static final int FINAL = MATCHING + 1;

    private final State state;
    private final RecordSearch search;
    private final RecordFilter.Cursor behind;
    private final int limit;
    private final int most;

    PostgresSearch(State state, RecordSearch search, RecordFilter.Cursor behind, int limit, int most) {
        this.state = state;
        this.search = search;
        this.behind = behind;
        this.limit = limit;
        this.most = most;
    }

    SearchedRecords run(Connection connection) throws SQLException {
        String sql = String.format(Locale.ROOT, SEARCH, state.code(), conditions(), most);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(new PostgresBinder(statement));
            try (ResultSet found = PostgresLedger.second(statement)) {
                return read(found);
            }
        }
    }

    private String conditions() {
        return (search.records().tenant() == null ? "" : " AND tenant = ?")
                + (search.records().operation() == null ? "" : " AND operation = ?")
                + (search.records().queued() ? " AND place IS NOT NULL" : "")
                + (search.lane() == null ? "" : " AND place IS NOT NULL AND lane IS NOT NULL AND lane_key = ?")
                + (search.attempts() == 0 ? "" : " AND attempt >= ?")
                + (search.dueUntil() == Status.NEVER ? "" : " AND at - coalesce(keep, 0) <= ?")
                + (search.failurePart() == null ? "" : " AND coalesce(position(?::bytea IN failure), 0) > 0");
    }

    private void bind(PostgresBinder binder) throws SQLException {
        binder.number(search.records().fence());
        if (search.records().tenant() != null) {
            binder.text(search.records().tenant());
        }
        if (search.records().operation() != null) {
            binder.text(search.records().operation());
        }
        if (search.lane() != null) {
            binder.text(search.lane());
        }
        if (search.attempts() != 0) {
            binder.number((long) search.attempts());
        }
        if (search.dueUntil() != Status.NEVER) {
            binder.number(search.dueUntil());
        }
        String part = search.failurePart();
        if (part != null) {
            binder.bytes(part.getBytes(StandardCharsets.UTF_8));
        }
        binder.number(behind.at()).bytes(behind.id().bytes()).number(limit + 1L);
    }

    private SearchedRecords read(ResultSet found) throws SQLException {
        List<Row> rows = new ArrayList<>();
        while (found.next()) {
            if (found.getBoolean(MATCHING)) {
                rows.add(Rows.claimed(found, 1));
            }
            boolean last = found.getBoolean(FINAL);
            int looked = found.getInt(NUMBER);
            if (last || rows.size() == limit || looked == most) {
                RecordFilter.Cursor end = new RecordFilter.Cursor(
                        Rows.status(found, Rows.SUMMARY_STATUS).at(), Rows.id(found, 1));
                return new SearchedRecords(rows, looked, last ? null : end);
            }
        }
        return new SearchedRecords(List.of(), 0, null);
    }
}
