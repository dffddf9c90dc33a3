package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportTest {
    private static final Report.Result BARE =
            new Report.Result("bare", 8, new Report.Speed(2_000, 400, 900.5), null, null, null);
    private static final Report.Result FIRST = new Report.Result(
            "first", 8, new Report.Speed(1_400, 600, 1_200), 0.7, "bare", new Report.PerOp(1, 3, 880.0));
    private static final Report REPORT = new Report(
            Map.of("cores", 2),
            List.of(BARE, FIRST),
            List.of(
                    new Report.Target("first, of bare", ">= 0.6", 0.7, true, null),
                    new Report.Target("bytes", "<= 700", 880, false, "counted")));

    @Test
    void jsonHasTheNamesThatEveryBenchHas() {
        JsonNode json = JsonMapper.shared().readTree(JsonMapper.shared().writeValueAsString(REPORT));
        assertThat(json.propertyNames()).containsExactly("machine", "results", "targets");
        assertThat(json.path("results").get(0).propertyNames())
                .containsExactlyInAnyOrder("name", "callers", "ops_per_s", "p50_us", "p99_us", "ratio", "of");
        assertThat(json.path("results").get(1).path("per_op").propertyNames())
                .containsExactlyInAnyOrder("transactions", "statements", "wal_bytes");
        assertThat(json.path("results").get(1).path("ratio").asDouble()).isEqualTo(0.7);
        assertThat(json.path("targets").get(0).propertyNames())
                .containsExactlyInAnyOrder("name", "target", "measured", "met");
    }

    @Test
    void targetsMissedAreNamed() {
        assertThat(REPORT.missed()).extracting(Report.Target::name).containsExactly("bytes");
    }

    @Test
    void tableShowsRatiosFirstAndTargetsLast() {
        StringWriter text = new StringWriter();
        Table.print(REPORT, new PrintWriter(text, true));
        assertThat(text.toString().lines().map(line -> line.strip().replaceAll(" +", " ")))
                .contains(
                        "cores 2",
                        "ratio what callers ops/s p50 us p99 us of",
                        "0.70 first 8 1,400 600.0 1,200.0 bare",
                        "an operation: 1 transactions, 3 statements, 880 bytes of log",
                        "met first, of bare: 0.700, target >= 0.6",
                        "MISSED bytes: 880, target <= 700 (counted)");
    }

    @Test
    void targetsAreJudgedAtTheirEdges() {
        ReportBuilder findings = new ReportBuilder();
        findings.atLeast("least", 0.6, 0.6);
        findings.atMost("most", 1, 1, null);
        findings.atMost("more", 1, 1.001, null);
        findings.below("below", 50, 50, null);
        findings.below("well below", 50, 49.9, null);
        assertThat(findings.report().targets())
                .extracting(Report.Target::target, Report.Target::met)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(">= 0.6", true),
                        org.assertj.core.groups.Tuple.tuple("<= 1", true),
                        org.assertj.core.groups.Tuple.tuple("<= 1", false),
                        org.assertj.core.groups.Tuple.tuple("< 50", false),
                        org.assertj.core.groups.Tuple.tuple("< 50", true));
    }
}
