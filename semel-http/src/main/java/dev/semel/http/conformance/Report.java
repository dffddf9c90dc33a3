package dev.semel.http.conformance;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the suite found, row by row. */
public record Report(URI url, List<Finding> rows) {
    /** Of one row. */
    public enum Verdict {
        HELD,
        BROKEN,
        /** Nothing was seen that could have shown it broken: the detail says what would be needed. Not a pass. */
        NOT_OBSERVED
    }

    /**
     * @param row its stable name
     * @param detail what was seen instead; what is needed to observe it; or which part of it was not observed
     */
    public record Finding(
            String row,
            String promise,
            Verdict verdict,
            @Nullable String detail) {}

    /** Whether no promise was seen broken. Promises that were not observed do not count: see {@link #complete}. */
    public boolean conforms() {
        return count(Verdict.BROKEN) == 0;
    }

    /** Whether every promise was observed and held. */
    public boolean complete() {
        return count(Verdict.HELD) == rows.size();
    }

    public long count(Verdict verdict) {
        return rows.stream().filter(row -> row.verdict == verdict).count();
    }
}
