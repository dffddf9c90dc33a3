package dev.semel.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.console.admin.ProgramFigure;
import dev.semel.console.admin.ProgramFigure.Tone;
import dev.semel.demo.DemoScreen.Form;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

class DemoScreenTest {
    private static final List<String> PROCESSES =
            List.of("server 10", "worker 11", "worker 12 killed", "worker 13 starting", "sender 14", "handwritten 15");
    private static final URI CONSOLE = URI.create("http://127.0.0.1:33657/console/");
    private static final String SECRET = "semel_once_oi6RvJpxyYREMKyymmzYna_xOGJ4GGYVodzpkCVgFEA";

    private final StringWriter text = new StringWriter();
    private final PrintWriter out = new PrintWriter(text);

    @Test
    void terminalShowsOneTableInPlace() {
        DemoScreen screen = new DemoScreen(out, Ansi.ON, Form.TERMINAL, "SQLite");
        screen.console(CONSOLE, SECRET);
        screen.show(score(0.5, 0, 0, List.of()), PROCESSES, "stop with Ctrl-C");
        String first = text.toString();
        assertThat(first)
                .contains("Semel demo", "SQLite", CONSOLE.toString(), SECRET, "doubled", "1,234", "stop with Ctrl-C")
                .contains("1 server, 3 workers", "2 starting", "1 receiver");
        assertThat(first).doesNotContainPattern("\\[\\d+A");
        screen.show(score(1.5, 0, 0, List.of()), PROCESSES, "stop with Ctrl-C");
        long lines = first.chars().filter(c -> c == '\n').count();
        assertThat(lines).isLessThan(24);
        assertThat(text.toString().substring(first.length())).contains("\u001b[" + lines + "A");
        screen.finish(score(2, 0, 0, List.of()));
        assertThat(text.toString()).contains("each booked exactly once");
    }

    @Test
    void noLineOfTheTableIsWiderThanEightyColumns() {
        DemoScreen screen = new DemoScreen(out, Ansi.OFF, Form.TERMINAL, "postgresql://db.example:5432/ledger");
        screen.console(CONSOLE, SECRET);
        screen.show(
                score(86_399, 12_345, 54_321, List.of()), PROCESSES, "no more faults; waiting for the last deliveries");
        assertThat(text.toString().lines().map(line -> line.replaceAll("\u001b\\[[?0-9]*[a-zA-Z]|\r", "")))
                .allSatisfy(line -> assertThat(line.length()).as(line).isLessThanOrEqualTo(80));
    }

    @Test
    void withoutATerminalOneLinePerSecondWithoutColours() {
        DemoScreen screen = new DemoScreen(out, Ansi.OFF, Form.LINES, "SQLite");
        screen.console(CONSOLE, SECRET);
        screen.console(CONSOLE, SECRET);
        for (double seconds : new double[] {0.1, 0.9, 1.0, 1.5, 2.1}) {
            screen.show(score(seconds, 0, 0, List.of()), PROCESSES, "");
        }
        screen.finish(score(2.2, 0, 0, List.of()));
        assertThat(text.toString().lines()).allMatch(line -> !line.contains("\u001b"));
        assertThat(text.toString().lines())
                .startsWith("console: " + CONSOLE, "one-time secret for the login: " + SECRET)
                .hasSize(7)
                .contains("  2 s  asked 1,234  duplicates 800  delivered 401  waiting 3  doubled 0  lost 0  killed 9"
                        + "  by hand: doubled 17  lost 31")
                .contains("By hand: 350 webhooks booked, 17 doubled, 31 lost, 5 out of order.");
    }

    @Test
    void doubledAndLostWebhooksAndBrokenRulesAreReported() {
        DemoScreen screen = new DemoScreen(out, Ansi.OFF, Form.LINES, "");
        screen.finish(score(1, 3, 2, List.of("R2 (at most one effect per record), run-1-1: 2 effects were applied")));
        assertThat(text.toString())
                .contains("Semel: 3 doubled, 2 lost, 0 out of order.", "  R2 (at most one effect per record), run-1-1")
                .doesNotContain("exactly once");
    }

    @Test
    void jsonModePrintsNoScreen() {
        DemoScreen screen = new DemoScreen(out, Ansi.OFF, Form.NOTHING, "");
        screen.console(CONSOLE, SECRET);
        screen.show(score(5, 0, 0, List.of()), PROCESSES, "");
        screen.finish(score(5, 0, 0, List.of()));
        assertThat(text.toString()).isEmpty();
    }

    @Test
    void consoleGetsTheSameFigures() {
        List<ProgramFigure> figures = PageFigures.of(score(1, 2, 0, List.of()));
        assertThat(figures)
                .extracting(ProgramFigure::name)
                .containsExactly("Asked", "Duplicates", "Delivered", "Waiting", "Doubled", "Lost");
        assertThat(figures).extracting(ProgramFigure::value).containsExactly("1,234", "800", "401", "3", "2", "0");
        assertThat(figures.get(4).tone()).isEqualTo(Tone.BAD);
        assertThat(figures.get(4).note()).isEqualTo("by hand: 17");
        assertThat(figures.get(5).tone()).isEqualTo(Tone.PLAIN);
        assertThat(ServerMain.read(ServerMain.written(figures))).isEqualTo(figures);
    }

    @Test
    void scoreHoldsOnlyIfNothingIsDoubledLostOrAgainstTheRules() {
        assertThat(score(1, 0, 0, List.of()).holds()).isTrue();
        assertThat(score(1, 1, 0, List.of()).holds()).isFalse();
        assertThat(score(1, 0, 1, List.of()).holds()).isFalse();
        assertThat(score(1, 0, 0, List.of("R10")).holds()).isFalse();
    }

    private static Score score(double seconds, long doubled, long lost, List<String> violations) {
        return new Score(
                seconds,
                new Tally(
                        new Tally.Traffic(1_234, 800, 404),
                        new Tally.Outcome(401, doubled, lost, 0, 3),
                        new Tally.Repetitions(12, 1)),
                new Tally(
                        new Tally.Traffic(1_100, 700, 390),
                        new Tally.Outcome(350, 17, 31, 5, 9),
                        new Tally.Repetitions(0, 0)),
                new Score.Kills(5, 2, 2),
                Map.of("answers_500", 30L, "answers_429", 12L, "cuts", 9L, "books_and_cuts", 11L, "books_slowly", 4L),
                violations);
    }
}
