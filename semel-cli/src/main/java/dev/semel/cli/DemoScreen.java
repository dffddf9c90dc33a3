package dev.semel.cli;

import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.Help.Ansi;

/** Shows the score of the demo: a table that updates in place on a terminal, one line per second elsewhere. */
final class DemoScreen {
    private static final String BARS = "▁▂▃▄▅▆▇█";
    private static final int WIDEST_CHART = 20;

    /** The widths of the columns; together at most 80. */
    private static final List<Integer> WIDTHS = List.of(10, 10, 12, 13, 10, 12, 9);

    /** The form of the output. */
    enum Form {
        TERMINAL,
        LINES,
        NOTHING
    }

    private final PrintWriter out;
    private final Ansi ansi;
    private final Form form;
    private final String company;
    private final String place;
    private final boolean bars;
    private final List<Long> speeds = new ArrayList<>();
    private long second;
    private long askedBefore;
    private int shown;

    /**
     * @param company the description of the processes
     * @param place the description of the store
     */
    DemoScreen(PrintWriter out, Ansi ansi, Form form, String company, String place) {
        this.out = out;
        this.ansi = ansi;
        this.form = form;
        this.company = company;
        this.place = place;
        String encoding =
                System.getProperty("stdout.encoding", Charset.defaultCharset().name());
        this.bars = Charset.forName(encoding).newEncoder().canEncode(BARS);
    }

    /** @param said the current activity, in a few words */
    void show(DemoScore score, List<String> processes, String said) {
        boolean nextSecond = (long) score.seconds() > second;
        if (nextSecond) {
            second = (long) score.seconds();
            speeds.add(score.calls().asked() - askedBefore);
            askedBefore = score.calls().asked();
        }
        if (form == Form.TERMINAL) {
            redraw(lines(score, processes, said));
        } else if (form == Form.LINES && nextSecond) {
            out.println(line(score));
        }
    }

    /** The final table and the verdict. */
    void finish(DemoScore score, boolean withSemel) {
        if (form == Form.TERMINAL) {
            redraw(lines(score, List.of(), "over"));
        } else if (form == Form.LINES) {
            out.println(line(score));
        }
        if (form != Form.NOTHING) {
            out.println(verdict(score, withSemel));
        }
        out.flush();
    }

    /** Writes the table in one call to avoid flicker, and cuts long lines, which would wrap. */
    private void redraw(List<String> lines) {
        StringBuilder frame = new StringBuilder("\u001b[?7l");
        if (shown > 0) {
            frame.append("\u001b[").append(shown).append('A');
        }
        lines.forEach(line -> frame.append('\r').append(line).append("\u001b[K").append(System.lineSeparator()));
        shown = lines.size();
        out.print(frame.append("\u001b[?7h"));
        out.flush();
    }

    private List<String> lines(DemoScore score, List<String> processes, String said) {
        DemoScore.Calls calls = score.calls();
        DemoScore.Effects effects = score.effects();
        DemoScore.Faults faults = score.faults();
        List<String> lines = new ArrayList<>();
        lines.add(paint("bold", "Semel demo") + "  " + company);
        lines.add(paint("faint", "            " + place));
        lines.add("");
        lines.add(names("asked", "executed", "replayed", "in progress", "retried", "doubled", "lost"));
        lines.add(figures(calls.asked(), calls.executed(), calls.replayed(), calls.inProgress(), calls.retried())
                + alarming(5, effects.doubled())
                + alarming(6, effects.lost()));
        lines.add("");
        lines.add(names("payments", "crashes", "taken over", "redelivered", "calls/s"));
        lines.add(figures(
                        effects.payments(),
                        (long) faults.crashes(),
                        faults.takenOver(),
                        faults.redelivered(),
                        score.callsPerSecond())
                + "   " + paint("cyan", chart()));
        lines.add("");
        lines.add(names("processes") + "  " + processes(processes));
        lines.add(names(String.format(Locale.ROOT, "%,.0f s", score.seconds())) + "  " + said);
        return lines;
    }

    private String names(String... names) {
        return paint("faint", columns(0, List.of(names)));
    }

    private String figures(Long... values) {
        return paint(
                "bold", columns(0, Stream.of(values).map(DemoScreen::figure).toList()));
    }

    private String alarming(int column, long value) {
        return paint(value == 0 ? "bold,green" : "bold,red", columns(column, List.of(figure(value))));
    }

    private static String figure(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String columns(int from, List<String> texts) {
        StringBuilder row = new StringBuilder();
        for (int i = 0; i < texts.size(); i++) {
            row.append(String.format(Locale.ROOT, "%" + WIDTHS.get(from + i) + "s", texts.get(i)));
        }
        return row.toString();
    }

    private String processes(List<String> processes) {
        return processes.isEmpty()
                ? "ended"
                : String.join("  ", processes.stream().map(this::process).toList());
    }

    private String process(String state) {
        return state.endsWith("killed")
                ? paint("red", state)
                : state.endsWith("starting") ? paint("yellow", state) : state;
    }

    private String chart() {
        if (!bars || speeds.isEmpty()) {
            return "";
        }
        List<Long> last = speeds.subList(Math.max(0, speeds.size() - WIDEST_CHART), speeds.size());
        long most = Math.max(1, last.stream().mapToLong(Long::longValue).max().orElse(1));
        StringBuilder chart = new StringBuilder();
        last.forEach(speed -> chart.append(BARS.charAt((int) (speed * (BARS.length() - 1) / most))));
        return chart.toString();
    }

    private static String line(DemoScore score) {
        return String.format(
                Locale.ROOT,
                "%3.0f s  asked %,d  executed %,d  replayed %,d  in progress %,d  retried %,d  crashes %,d  doubled %,d"
                        + "  lost %,d",
                score.seconds(),
                score.calls().asked(),
                score.calls().executed(),
                score.calls().replayed(),
                score.calls().inProgress(),
                score.calls().retried(),
                score.faults().crashes(),
                score.effects().doubled(),
                score.effects().lost());
    }

    private String verdict(DemoScore score, boolean withSemel) {
        DemoScore.Effects effects = score.effects();
        String survived = String.format(
                Locale.ROOT,
                "%,d calls, %,d crashes: ",
                score.calls().asked(),
                score.faults().crashes());
        String unanswered = score.calls().unanswered() == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        " %,d payments got no answer before the end.",
                        score.calls().unanswered());
        if (effects.exactlyOnce()) {
            return survived
                    + paint(
                            "bold,green",
                            String.format(Locale.ROOT, "%,d payments, each made exactly once.", effects.payments()))
                    + unanswered;
        }
        String wrong =
                String.format(Locale.ROOT, "%,d payments too many, %,d lost.", effects.doubled(), effects.lost());
        return survived + paint("bold,red", wrong) + (withSemel ? "" : " This was without Semel.") + unanswered;
    }

    private String paint(String style, String text) {
        return ansi.new Text("@|" + style + " " + text + "|@").toString();
    }
}
