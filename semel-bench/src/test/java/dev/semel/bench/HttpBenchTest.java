package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.testkit.PrivatePostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** That everything is measured and reported, and that a server which is wrong has no figures; never how fast it is. */
class HttpBenchTest {
    private final List<String> told = new ArrayList<>();

    private Report bench(PlainServer.Fault fault) {
        return new HttpBench(
                        new HttpPlan(Duration.ofMillis(30), HttpPlan.TINY),
                        HttpServers.of(PlainServer.program(fault)),
                        told::add)
                .run(PrivatePostgres.shared());
    }

    @Test
    void bothServicesAreMeasuredAndTheTargetsAreThoseOfTheOneInsert() {
        Report report = bench(PlainServer.Fault.NONE);
        assertThat(report.results())
                .extracting(Report.Result::name)
                .containsExactly(
                        "planner bare",
                        "planner span first",
                        "planner span replay",
                        "orders bare",
                        "orders span first",
                        "orders span replay",
                        "orders marker first",
                        "orders marker replay",
                        "orders span-by-hand first",
                        "orders marker-by-hand first",
                        "orders span, one first in 10");
        assertThat(report.results())
                .allSatisfy(result -> assertThat(result.speed().opsPerSecond()).isPositive())
                .filteredOn(result -> result.of() != null)
                .hasSize(8)
                .allSatisfy(result -> assertThat(result.of()).endsWith(" bare"));
        assertThat(report.targets())
                .extracting(target -> target.name() + " " + target.target())
                .containsExactly(
                        "orders span first at 2 callers, of bare >= 0.7",
                        "orders marker first at 2 callers, of bare >= 0.6",
                        "orders span replay at 2 callers, of bare > 1",
                        "orders marker replay at 2 callers, of bare > 1",
                        "orders span, growth of the heap over 40 requests in % < 10");
        assertThat(report.machine()).containsKeys("postgresql", "planner_effects_each_once");
        assertThat(report.machine())
                .extractingByKey("orders_processor_us_per_request", InstanceOfAssertFactories.MAP)
                .extractingByKey("2 callers", InstanceOfAssertFactories.MAP)
                .containsKeys(
                        "orders bare", "orders span replay", "orders marker-by-hand first", "load_generator_share");
        assertThat(told).contains("orders: 2 callers", "planner: counting effects");
    }

    @Test
    void earlierVersionIsMeasuredInTurnAndIsTheTarget() {
        HttpServers servers = HttpServers.of(PlainServer.program(PlainServer.Fault.NONE));
        Report report = new HttpBench(new HttpPlan(Duration.ofMillis(30), HttpPlan.TINY), servers, servers, told::add)
                .run(PrivatePostgres.shared());
        assertThat(report.results())
                .extracting(Report.Result::name)
                .contains("planner span before replay", "orders span before first", "orders marker before replay")
                .noneMatch(name -> name.contains("by-hand") || name.contains("one first in"));
        assertThat(report.targets())
                .extracting(target -> target.name() + " " + target.target())
                .containsExactly(
                        "planner span first at 2 callers, of the earlier version >= 0.9",
                        "planner span replay at 2 callers, of the earlier version >= 0.9",
                        "orders span first at 2 callers, of the earlier version >= 0.9",
                        "orders span replay at 2 callers, of the earlier version >= 0.9",
                        "orders marker first at 2 callers, of the earlier version >= 0.9",
                        "orders marker replay at 2 callers, of the earlier version >= 0.9");
    }

    @ParameterizedTest
    @CsvSource({
        "RUNS_TWICE, Something was done twice",
        "FORGETS, A request that is sent again should be answered as it was first",
        "LOSES, Something was lost"
    })
    void aServerThatIsWrongHasNoFigures(PlainServer.Fault fault, String said) {
        assertThatThrownBy(() -> bench(fault))
                .isInstanceOf(HttpBench.Wrong.class)
                .hasMessageStartingWith("planner ")
                .hasMessageContaining(said);
    }

    @Test
    void serverThatDoesNotStartIsReportedWithItsOutput() {
        assertThatThrownBy(() -> bench(PlainServer.Fault.DIES))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("planner bare")
                .hasMessageContaining("No server today.");
    }

    @Test
    void missingJarOfTheEarlierVersionIsReportedWithTheWayToBuildIt() {
        assertThatThrownBy(() -> HttpServers.ofJar(Path.of("no-such.jar")))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("--before no-such.jar")
                .hasMessageContaining(".semel/servers-");
    }

    @Test
    void withoutTheServersItIsSaidHowToGetThem() {
        assertThatThrownBy(HttpServers::installed)
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("semel-bench-servers");
    }
}
