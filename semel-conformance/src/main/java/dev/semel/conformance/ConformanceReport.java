package dev.semel.conformance;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The results of the suite, one per row. */
public record ConformanceReport(URI url, List<Finding> rows) {
    /** The verdict on one row. */
    public enum RowVerdict {
        HELD,
        BROKEN,
        /** The row could not be checked; the detail says what is missing. Not a pass. */
        NOT_OBSERVED
    }

    /**
     * @param row its stable name
     * @param detail the observed response; or what is needed to observe the row; or the part that was not observed
     */
    public record Finding(
            String row,
            String promise,
            RowVerdict verdict,
            @Nullable String detail) {}

    /** Whether no row is broken. Rows that were not observed do not count: see {@link #complete}. */
    public boolean conforms() {
        return count(RowVerdict.BROKEN) == 0;
    }

    /** Whether every row was observed and held. */
    public boolean complete() {
        return count(RowVerdict.HELD) == rows.size();
    }

    /** How many rows have this verdict. */
    public long count(RowVerdict verdict) {
        return rows.stream().filter(row -> row.verdict == verdict).count();
    }
}
