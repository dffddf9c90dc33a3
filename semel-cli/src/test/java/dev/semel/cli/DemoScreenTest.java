package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.cli.DemoScreen.Form;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

class DemoScreenTest {
    private static final List<String> PROCESSES = List.of("11 working", "12 killed", "13 starting");

    private final StringWriter text = new StringWriter();
    private final PrintWriter out = new PrintWriter(text);

    @Test
    void terminalShowsOneTableInPlace() {
        DemoScreen screen = new DemoScreen(out, Ansi.ON, Form.TERMINAL, "4 processes", "on a file");
        screen.show(score(0.5, 0, 0), PROCESSES, "stop with Ctrl-C");
        String first = text.toString();
        assertThat(first).contains("Semel demo", "on a file", "doubled", "1,234", "12 killed", "stop with Ctrl-C");
        assertThat(first).doesNotContainPattern("\\[\\d+A");
        screen.show(score(1.5, 0, 0), PROCESSES, "stop with Ctrl-C");
        long lines = first.chars().filter(c -> c == '\n').count();
        assertThat(text.toString().substring(first.length())).contains("\u001b[" + lines + "A");
        screen.finish(score(2, 0, 0), true);
        assertThat(text.toString()).contains("each made exactly once.");
    }

    @Test
    void withoutATerminalOneLinePerSecondWithoutColours() {
        DemoScreen screen = new DemoScreen(out, Ansi.OFF, Form.LINES, "4 processes", "on a file");
        for (double seconds : new double[] {0.1, 0.9, 1.0, 1.5, 2.1}) {
            screen.show(score(seconds, 0, 0), PROCESSES, "");
        }
        screen.finish(score(2.2, 0, 0), true);
        assertThat(text.toString().lines()).hasSize(4).allMatch(line -> !line.contains("\u001b"));
        assertThat(text.toString())
                .contains("asked 1,234  executed 400  replayed 800  in progress 4  retried 30  crashes 7  doubled 0"
                        + "  lost 0")
                .endsWith("1,234 calls, 7 crashes: 401 payments, each made exactly once." + System.lineSeparator());
    }

    @Test
    void doubledAndLostPaymentsAreReported() {
        new DemoScreen(out, Ansi.OFF, Form.LINES, "", "").finish(score(1, 3, 2), true);
        assertThat(text.toString()).contains("3 payments too many, 2 lost.").doesNotContain("exactly once");
    }

    @Test
    void unansweredCallersAreCounted() {
        DemoScore answered = score(1, 0, 0);
        DemoScore.Calls calls = new DemoScore.Calls(9, 1, 1, 1, 1, 6);
        new DemoScreen(out, Ansi.OFF, Form.LINES, "", "")
                .finish(new DemoScore(calls, answered.effects(), answered.faults(), 1), true);
        assertThat(text.toString()).contains(" 6 payments got no answer before the end.");
    }

    @Test
    void jsonModePrintsNoScreen() {
        DemoScreen screen = new DemoScreen(out, Ansi.OFF, Form.NOTHING, "", "");
        screen.show(score(5, 0, 0), PROCESSES, "");
        screen.finish(score(5, 0, 0), true);
        assertThat(text.toString()).isEmpty();
    }

    private static DemoScore score(double seconds, long doubled, long lost) {
        return new DemoScore(
                new DemoScore.Calls(1_234, 400, 800, 4, 30, 0),
                new DemoScore.Effects(401, doubled, lost),
                new DemoScore.Faults(7, 2, 1),
                seconds);
    }
}
