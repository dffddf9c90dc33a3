package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

class BaselineTest {
    @TempDir
    private Path directory = Path.of("");

    private Baseline of(Report report) throws IOException {
        return Baseline.read(Files.writeString(
                directory.resolve("baseline.json"), JsonMapper.shared().writeValueAsString(report)));
    }

    private static Report ratio(String name, int callers, double ratio) {
        Report.Speed speed = new Report.Speed(1, 1, 1);
        return new Report(
                Map.of(),
                List.of(
                        new Report.Result("bare", callers, speed, null, null, null),
                        new Report.Result(name, callers, speed, ratio, "bare", null)),
                List.of());
    }

    @Test
    void ratioMayFallByATenth() throws IOException {
        assertThat(of(ratio("first", 8, 1.0)).losses(ratio("first", 8, 0.9))).isEmpty();
    }

    @Test
    void ratioThatFellByMoreIsALoss() throws IOException {
        List<Baseline.Loss> losses = of(ratio("first", 8, 1.0)).losses(ratio("first", 8, 0.89));
        assertThat(losses).hasSize(1);
        assertThat(losses.get(0)).hasToString("first, 8 callers: 0.890 of bare, 1.000 before (-11 %)");
    }

    @Test
    void ratioThatRoseIsNone() throws IOException {
        assertThat(of(ratio("first", 8, 1.0)).losses(ratio("first", 8, 3))).isEmpty();
    }

    @Test
    void runsWithoutACommonRatioCannotBeCompared() throws IOException {
        Baseline baseline = of(ratio("first", 8, 1.0));
        assertThatThrownBy(() -> baseline.losses(ratio("first", 64, 1.0)))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("no ratio in common");
    }

    @Test
    void fileThatIsNotABenchsIsRejected() throws IOException {
        Path text = Files.writeString(directory.resolve("text"), "not json");
        Path other = Files.writeString(directory.resolve("other"), "{\"results\":[]}");
        assertThatThrownBy(() -> Baseline.read(text)).isInstanceOf(SemelException.Invalid.class);
        assertThatThrownBy(() -> Baseline.read(directory.resolve("none"))).isInstanceOf(SemelException.Invalid.class);
        assertThatThrownBy(() -> Baseline.read(other)).hasMessageContaining("holds no ratios");
    }
}
