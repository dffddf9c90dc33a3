package dev.semel.store;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a search for people.
 *
 * @param rows that match, without payloads and results; {@link Row#withheld} tells how large a payload is
 * @param looked how many records were looked at
 * @param end where the search continues; absent when there is nothing behind it
 */
public record SearchedRecords(List<Row> rows, int looked, RecordFilter.@Nullable Cursor end) {
    public SearchedRecords {
        rows = List.copyOf(rows);
    }

    /** For stores that search in memory. */
    static SearchedRecords of(List<Row> behind, RecordSearch search, int limit, int most) {
        List<Row> found = new ArrayList<>();
        int looked = 0;
        for (Row row : behind) {
            if (looked == most || found.size() == limit) {
                return new SearchedRecords(found, looked, RecordFilter.Cursor.behind(behind.get(looked - 1)));
            }
            looked++;
            if (search.matches(row)) {
                found.add(row.summary());
            }
        }
        return new SearchedRecords(found, looked, null);
    }
}
