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
        /** The target gives nothing to ask it with. */
        SKIPPED
    }

    /**
     * @param row its stable name
     * @param detail what was seen instead, or what is needed to ask
     */
    public record Finding(
            String row,
            String promise,
            Verdict verdict,
            @Nullable String detail) {}

    /** Whether no promise was seen broken. */
    public boolean conforms() {
        return count(Verdict.BROKEN) == 0;
    }

    public long count(Verdict verdict) {
        return rows.stream().filter(row -> row.verdict == verdict).count();
    }
}
