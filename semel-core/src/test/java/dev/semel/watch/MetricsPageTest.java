package dev.semel.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Key;
import dev.semel.Semel;
import dev.semel.engine.Engine;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.observation.ObservationRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page on metrics says what there is, no more and no less. */
class MetricsPageTest extends WatchFixture {
    private static final Path PAGE = Path.of("..", "docs", "metrics.md");

    /** The cells of the rows below a heading. */
    private static Stream<List<String>> rows(String heading) throws IOException {
        String page = Files.readString(PAGE);
        int start = page.indexOf("## " + heading);
        assertThat(start).as(heading).isNotNegative();
        int end = page.indexOf("\n## ", start);
        return page.substring(start, end < 0 ? page.length() : end)
                .lines()
                .filter(line -> line.startsWith("| `"))
                .map(line -> Arrays.stream(line.split("\\|"))
                        .map(cell -> cell.replace("`", "").strip())
                        .skip(1)
                        .toList());
    }

    private static String kind(Meter meter) {
        return switch (meter.getId().getType()) {
            case DISTRIBUTION_SUMMARY -> "summary";
            default -> meter.getId().getType().name().toLowerCase(Locale.ROOT);
        };
    }

    private static String tagKeys(Meter meter) {
        return meter.getId().getTags().stream().map(Tag::getKey).sorted().collect(Collectors.joining(", "));
    }

    @Test
    void everyMeterIsInTheTableWithItsKindAndTags() throws IOException {
        new Scenario(start(MicrometerWatch.of(meters)), start(Watch.NONE), time, "k").play();
        Map<String, String> registered = new TreeMap<>();
        meters.getMeters().stream()
                .filter(meter -> meter.getId().syntheticAssociation() == null)
                .forEach(meter -> registered.put(meter.getId().getName(), kind(meter) + ": " + tagKeys(meter)));
        Map<String, String> written = new TreeMap<>();
        rows("Meters").forEach(row -> written.put(row.get(0), row.get(1) + ": " + sorted(row.get(2))));
        assertThat(written).isEqualTo(registered);
    }

    private static String sorted(String tags) {
        return Arrays.stream(tags.split(",")).map(String::strip).sorted().collect(Collectors.joining(", "));
    }

    @Test
    void everyAnswerIsInTheTable() throws IOException {
        assertThat(rows("Answers").map(row -> row.get(0)).toList())
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Outcome.values()).map(Outcome::code).toList());
    }

    @Test
    void everyStepThatIsTimedIsInTheTable() throws IOException {
        Engine engine = start(MicrometerWatch.of(meters));
        new Scenario(engine, start(Watch.NONE), time, "k").play();
        engine.run(NOTIFY, call("renewed"), (payload, run) -> {
            time.advance(LEASE.dividedBy(2));
            engine.duties().keeper().tick();
            return "done";
        });
        engine.operator().find(ACME, "notify", Key.of("renewed"));
        engine.duties().sweeper().sweep();
        TreeSet<String> steps = new TreeSet<>();
        meters.find("semel.store.duration")
                .timers()
                .forEach(timer -> steps.add(timer.getId().getTag("step")));
        assertThat(rows("Steps of the store").map(row -> row.get(0)).toList())
                .containsExactlyInAnyOrderElementsOf(steps);
    }

    @Test
    void everyValueOfAnObservationIsInTheTable() throws IOException {
        Observations observations = new Observations();
        Watch watch = MicrometerWatch.of(meters)
                .withObservations(observations.registry)
                .withTenants();
        new Scenario(start(watch), start(Watch.NONE), time, "k").play();
        Map<String, String> seen = new TreeMap<>();
        observations.seen.forEach(each -> {
            each.low().keySet().forEach(key -> seen.put(key, "low"));
            each.high().keySet().forEach(key -> seen.put(key, "high"));
        });
        Map<String, String> written = new TreeMap<>();
        rows("Traces").forEach(row -> written.put(row.get(0), row.get(1)));
        assertThat(written).isEqualTo(seen);
    }

    @Test
    void exampleOpens() {
        try (Semel semel = watched(meters, ObservationRegistry.create(), "memory:")) {
            assertThat(semel).isNotNull();
        }
    }

    private static Semel watched(MeterRegistry meters, ObservationRegistry observations, String url) {
        // region watched
        return Semel.settings(url)
                .withWatch(MicrometerWatch.of(meters).withObservations(observations))
                .open();
        // endregion
    }
}
