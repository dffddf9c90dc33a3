package dev.semel.bench;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a bench found. Every bench prints this shape, so one program reads them all.
 *
 * @param machine on which it was measured, and how fast its disk is
 */
public record Report(Map<String, Object> machine, List<Result> results, List<Target> targets) {

    /**
     * One thing that was measured.
     *
     * @param ratio of its operations per second to those of {@code of}: the median over rounds measured in turn
     * @param of the name of what it is compared with; absent when it stands alone
     * @param perOp what one operation costs the database, where that was counted
     */
    public record Result(
            String name,
            int callers,
            @JsonUnwrapped Speed speed,
            @Nullable Double ratio,
            @Nullable String of,

            @JsonProperty("per_op") @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            PerOp perOp) {}

    /** @param p50 latency of a call, in microseconds; a call of a batch is one call */
    public record Speed(
            @JsonProperty("ops_per_s") double opsPerSecond,
            @JsonProperty("p50_us") double p50,
            @JsonProperty("p99_us") double p99) {}

    /** @param walBytes bytes of the write-ahead log, without full-page images where the server lets us leave them out */
    public record PerOp(
            double transactions,
            double statements,

            @JsonProperty("wal_bytes") @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Double walBytes) {}

    /**
     * @param target such as {@code >= 0.6}
     * @param note how it was measured, or why it was missed, where the name does not say it
     */
    public record Target(
            String name,
            String target,
            double measured,
            boolean met,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String note) {}

    public Report {
        results = List.copyOf(results);
        targets = List.copyOf(targets);
    }

    public List<Target> missed() {
        return targets.stream().filter(target -> !target.met()).toList();
    }

    static double rounded(double value, int digits) {
        double unit = Math.pow(10, digits);
        return Double.isFinite(value) ? Math.round(value * unit) / unit : 0;
    }
}
