package dev.semel.bench.servers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.bench.HttpBench;
import dev.semel.bench.HttpPlan;
import dev.semel.bench.HttpServers;
import dev.semel.bench.Report;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The real servers do what the bench has them do: it refuses those which answer wrongly, do something twice, or lose it. */
class ServerTest {

    /** With the agents of this Java, so that what the servers run is counted as covered. */
    private static List<String> program() {
        List<String> program = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("-javaagent:"))
                .forEach(program::add);
        program.addAll(List.of("-cp", System.getProperty("java.class.path"), Server.class.getName()));
        return program;
    }

    @Test
    void eachServiceIsMeasuredAtEachLevel() {
        Report report = new HttpBench(
                        new HttpPlan(Duration.ofMillis(30), HttpPlan.TINY), HttpServers.of(program()), doing -> {})
                .run();
        assertThat(report.results())
                .hasSize(11)
                .allSatisfy(result -> assertThat(result.speed().opsPerSecond()).isPositive());
        assertThat(report.targets()).hasSize(5);
        assertThat(report.machine()).containsKeys("orders_effects_each_once", "planner_effects_each_once");
    }
}
