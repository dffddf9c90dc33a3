package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.testkit.PrivatePostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** That everything is measured and reported, and that a server which is wrong has no figures; never how fast it is. */
class IngressBenchTest {
    private final List<String> told = new ArrayList<>();

    private Report bench(IngressServers servers) {
        return new IngressBench(new IngressPlan(Duration.ofMillis(30), IngressPlan.TINY), servers, told::add)
                .run(PrivatePostgres.shared());
    }

    private static IngressServers servers(Class<?> program, String... first) {
        List<String> arguments = new ArrayList<>(List.of(
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        arguments.addAll(List.of(first));
        return IngressServers.of(arguments);
    }

    @Test
    void webhooksGatewayAndRunsAreMeasuredOnBothStoresAndEachIsThereOnce() {
        Report report = bench(servers(MeasuredServer.class));
        assertThat(report.results())
                .extracting(Report.Result::name)
                .containsExactly(
                        "bare Jetty",
                        "sqlite acknowledged",
                        "sqlite acknowledged while delivering",
                        "bare Jetty at half load",
                        "sqlite acknowledged at half load",
                        "sqlite acknowledged while delivering at half load",
                        "sqlite delivered",
                        "api",
                        "sqlite gateway without key",
                        "sqlite gateway first",
                        "sqlite gateway replay",
                        "instant api",
                        "sqlite gateway without key, instant api",
                        "sqlite gateway first, instant api",
                        "sqlite gateway replay, instant api",
                        "bare Jetty, two requests",
                        "sqlite begin and finish",
                        "bare Jetty",
                        "postgresql acknowledged",
                        "postgresql acknowledged while delivering",
                        "bare Jetty at half load",
                        "postgresql acknowledged at half load",
                        "postgresql acknowledged while delivering at half load",
                        "postgresql delivered",
                        "api",
                        "postgresql gateway without key",
                        "postgresql gateway first",
                        "postgresql gateway replay",
                        "instant api",
                        "postgresql gateway without key, instant api",
                        "postgresql gateway first, instant api",
                        "postgresql gateway replay, instant api",
                        "bare Jetty, two requests",
                        "postgresql begin and finish",
                        "postgresql acknowledged, one in 10 delivered");
        assertThat(report.results())
                .allSatisfy(result -> assertThat(result.speed().opsPerSecond()).isPositive());
        assertThat(report.results())
                .filteredOn(result -> result.name().equals("postgresql gateway first"))
                .singleElement()
                .satisfies(first -> assertThat(first.of()).isEqualTo("postgresql gateway without key"));
        assertThat(report.targets())
                .extracting(target -> target.name() + " " + target.target())
                .containsExactly(
                        "sqlite acknowledged at 2 connections, of the bare Jetty >= 0.5",
                        "sqlite acknowledged at half load at 2 connections, p99 in ms < 25",
                        "sqlite acknowledged while delivering at half load at 2 connections, p99 in ms < 25",
                        "sqlite gateway first at 2 connections, of the gateway without a key >= 0.5",
                        "sqlite gateway replay at 2 connections, of the API itself > 1",
                        "postgresql acknowledged at 2 connections, of the bare Jetty >= 0.4",
                        "postgresql acknowledged at half load at 2 connections, p99 in ms < 25",
                        "postgresql acknowledged while delivering at half load at 2 connections, p99 in ms < 25",
                        "postgresql gateway first at 2 connections, of the gateway without a key >= 0.5",
                        "postgresql gateway replay at 2 connections, of the API itself > 1",
                        "postgresql begin and finish at 2 connections, pairs a second >= 5000",
                        "postgresql, growth of the heap over 200 webhooks in % < 10");
        assertThat(report.machine())
                .containsKeys("postgresql", "sqlite_processor_us_per_request")
                .extractingByKey("postgresql_each_once", InstanceOfAssertFactories.MAP)
                .containsKeys("webhooks", "redeliveries", "runs", "requests_to_the_api");
        assertThat(told).contains("sqlite: deliveries", "postgresql: counting");
    }

    @ParameterizedTest
    @CsvSource({"KEEPS_NOTHING, were answered. Something was lost.", "ANSWERS_503, the status should be 200"})
    void serverThatIsWrongHasNoFigures(WrongServer.Kind kind, String said) {
        assertThatThrownBy(() -> bench(servers(WrongServer.class, kind.name())))
                .isInstanceOf(HttpBench.Wrong.class)
                .hasMessageStartingWith("sqlite")
                .hasMessageContaining(said);
    }

    @Test
    void serverThatDoesNotStartIsReportedWithItsOutput() {
        assertThatThrownBy(() -> bench(servers(WrongServer.class, WrongServer.Kind.DIES.name())))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("sqlite")
                .hasMessageContaining("No server today.");
    }
}
