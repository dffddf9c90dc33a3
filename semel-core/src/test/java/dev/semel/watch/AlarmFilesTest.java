package dev.semel.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.engine.Engine;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The alarms and the dashboard name only meters that exist, and each alarm fires and stays quiet as its test series say. */
class AlarmFilesTest extends WatchFixture {
    private static final Path ALARMS = Path.of("..", "docs", "alarms");
    private static final Path RULES = ALARMS.resolve("semel.rules.yml");
    private static final Path RULE_TESTS = ALARMS.resolve("semel.rules.test.yml");
    private static final Path DASHBOARD = ALARMS.resolve("semel.dashboard.json");
    private static final Pattern METER = Pattern.compile("\\b(?:semel|idempotency)_\\w+");

    /** Every series that a node can show, by its name. */
    private Set<String> exposed() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        Engine engine = start(MicrometerWatch.of(prometheus));
        new Scenario(engine, start(Watch.NONE), time, "k").play();
        return prometheus
                .scrape()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("[{ ]", 2)[0])
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> meters(String text) {
        return METER.matcher(text).results().map(found -> found.group()).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> found(String pattern, String text) {
        return Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(text)
                .results()
                .map(each -> each.group(1))
                .toList();
    }

    @Test
    void rulesNameOnlyMetersThatExist() throws IOException {
        Set<String> named = meters(String.join("\n", found("^ +expr: (.*)$", Files.readString(RULES))));
        assertThat(named).hasSizeGreaterThan(10);
        assertThat(exposed()).containsAll(named);
    }

    @Test
    void seriesOfTheRuleTestsExist() throws IOException {
        Set<String> named = meters(String.join("\n", found("series: '(.*)'$", Files.readString(RULE_TESTS))));
        assertThat(exposed()).containsAll(named);
    }

    @Test
    void dashboardNamesOnlyMetersThatExist() throws IOException {
        JsonNode dashboard = JsonMapper.shared().readTree(Files.readString(DASHBOARD));
        Set<String> named = new TreeSet<>();
        dashboard
                .get("panels")
                .forEach(panel -> panel.get("targets")
                        .forEach(
                                target -> named.addAll(meters(target.get("expr").asString()))));
        assertThat(named).hasSizeGreaterThan(15);
        assertThat(exposed()).containsAll(named);
        Set<String> ofRules = meters(String.join("\n", found("^ +expr: (.*)$", Files.readString(RULES))));
        assertThat(named).as("what is alarmed is shown").containsAll(ofRules);
    }

    @Test
    void labelsOfTheRulesAreTagsOfTheirMeters() throws IOException {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new Scenario(start(MicrometerWatch.of(prometheus)), start(Watch.NONE), time, "k").play();
        String scraped = prometheus.scrape();
        for (String expression : found("^ +expr: (.*)$", Files.readString(RULES))) {
            Matcher by = Pattern.compile("by \\(([^)]*)\\)").matcher(expression);
            for (String label : by.find() ? by.group(1).split(", ") : new String[0]) {
                String meter = meters(expression).iterator().next();
                assertThat(scraped).as(expression).containsPattern(meter + "\\{[^}]*" + label + "=\"");
            }
        }
    }

    @Test
    void everyAlarmHasASeriesThatFiresItAndOneThatDoesNot() throws IOException {
        String tests = Files.readString(RULE_TESTS);
        for (String alarm : found("^ +- alert: (\\w+)$", Files.readString(RULES))) {
            assertThat(tests).contains("name: " + alarm + " fires\n", "name: " + alarm + " does not fire\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"check semel.rules.yml", "test semel.rules.test.yml"})
    void promtoolAcceptsRulesAndTheirTests(String command) throws Exception {
        String[] words = command.split(" ");
        Process promtool = new ProcessBuilder(promtool(), words[0], "rules", words[1])
                .directory(ALARMS.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(promtool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(promtool.exitValue()).as(output).isZero();
        assertThat(output).contains("SUCCESS");
    }

    /** Aborts the test where promtool is not installed; with the environment variable CI set it fails. */
    private static String promtool() {
        Optional<Path> found = Arrays.stream(System.getenv("PATH").split(":"))
                .map(directory -> Path.of(directory, "promtool"))
                .filter(Files::isExecutable)
                .findFirst();
        if (found.isEmpty()) {
            String reason = "No promtool was found on PATH. It is in Debian's package prometheus.";
            if (System.getenv("CI") != null) {
                throw new IllegalStateException(reason);
            }
            Assumptions.abort(reason);
        }
        return found.orElseThrow().toString();
    }

    @Test
    void purgeLagGrowsUntilThePurge() {
        Engine engine = start(MicrometerWatch.of(meters));
        engine.run(CHARGE, call("k"), (payload, tx) -> "done");
        engine.duties().sealer().sealAll();
        time.advance(STEADY.retention().success());
        engine.run(CHARGE, call("later"), (payload, tx) -> "done");
        engine.duties().sealer().sealAll();
        engine.duties().backlogs().look();
        assertThat(seconds("semel.ledger.purge.lag")).isZero();
        assertThat(seconds("semel.audit.purge.lag")).isZero();

        time.advance(Duration.ofHours(3));
        engine.duties().backlogs().look();
        assertThat(seconds("semel.ledger.purge.lag")).isEqualTo(3 * 3_600);
        engine.duties().purger().purge();
        engine.duties().backlogs().look();
        assertThat(seconds("semel.ledger.purge.lag")).isZero();

        time.advance(Duration.ofDays(365 * 30));
        engine.duties().backlogs().look();
        assertThat(seconds("semel.audit.purge.lag")).isPositive();
        engine.duties().auditPurge().purge(10);
        engine.duties().backlogs().look();
        assertThat(seconds("semel.audit.purge.lag")).as("the newest seal stays").isZero();
    }

    private double seconds(String gauge) {
        return meters.get(gauge).timeGauge().value(TimeUnit.SECONDS);
    }
}
