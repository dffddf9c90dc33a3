package dev.semel.demo;

import dev.semel.demo.ChildProcess.Role;
import java.io.PrintWriter;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** Shows the score: a table that updates in place on a terminal, one line per second elsewhere. Thread-safe. */
final class DemoScreen {
    /** The form of the output. */
    enum Form {
        TERMINAL,
        LINES,
        NOTHING
    }

    private final PrintWriter out;
    private final Ansi ansi;
    private final Form form;
    private final String place;
    private @Nullable URI console;
    private @Nullable String secret;
    private boolean consolePrinted;
    private long second;
    private int shown;

    /** @param place where the ledger is, in words */
    DemoScreen(PrintWriter out, Ansi ansi, Form form, String place) {
        this.out = out;
        this.ansi = ansi;
        this.form = form;
        this.place = place;
    }

    /** The server listens. */
    synchronized void console(URI address, String oneTimeSecret) {
        console = address;
        secret = oneTimeSecret;
        if (form == Form.LINES && !consolePrinted) {
            consolePrinted = true;
            out.println("console: " + address);
            out.println("one-time secret for the login: " + oneTimeSecret);
            out.flush();
        }
    }

    /** @param doing the current activity, in a few words */
    synchronized void show(Score score, List<String> processes, String doing) {
        boolean nextSecond = (long) score.seconds() > second;
        if (nextSecond) {
            second = (long) score.seconds();
        }
        if (form == Form.TERMINAL) {
            redraw(lines(score, processes, doing));
        } else if (form == Form.LINES && nextSecond) {
            out.println(line(score));
            out.flush();
        }
    }

    /** The final table and the verdict. */
    synchronized void finish(Score score) {
        if (form == Form.TERMINAL) {
            redraw(lines(score, List.of(), "over"));
        } else if (form == Form.LINES) {
            out.println(line(score));
        }
        if (form != Form.NOTHING) {
            verdict(score).forEach(out::println);
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
        for (int i = lines.size(); i < shown; i++) {
            frame.append("\u001b[K").append(System.lineSeparator());
        }
        shown = Math.max(shown, lines.size());
        out.print(frame.append("\u001b[?7h"));
        out.flush();
    }

    private List<String> lines(Score score, List<String> processes, String doing) {
        List<String> lines = new ArrayList<>();
        lines.add(paint("bold", "Semel demo") + "  a shop sends webhooks, Semel delivers them to an unreliable bank");
        lines.add(fact("ledger", place));
        lines.add(fact("console", console == null ? "starting" : console.toString()));
        lines.add(fact("log in with", secret == null ? "" : secret + "  (once)"));
        lines.add("");
        lines.add(
                paint("faint", column("") + column("Semel") + (score.handwritten() == null ? "" : column("by hand"))));
        for (ScoreLine line : ScoreLine.values()) {
            lines.add(row(score, line));
        }
        lines.add("");
        lines.add(fact("killed", kills(score)));
        lines.add(fact("bank", bank(score.bank())));
        lines.add(fact("repeated", repeated(score.semel())));
        lines.add(fact("running", processes.isEmpty() ? "nothing" : summary(processes)));
        lines.add(fact(String.format(Locale.ROOT, "%,.0f s", score.seconds()), doing));
        return lines;
    }

    private String row(Score score, ScoreLine line) {
        Tally other = score.handwritten();
        return paint("faint", column(line.title()))
                + value(line, score.semel())
                + (other == null ? "" : value(line, other))
                + "   " + paint("faint", line.meaning());
    }

    private String value(ScoreLine line, Tally tally) {
        long value = line.value().applyAsLong(tally);
        String style = !line.isAlarming() ? "bold" : value == 0 ? "bold,green" : "bold,red";
        return paint(style, column(figure(value)));
    }

    private static String column(String text) {
        return String.format(Locale.ROOT, "%12s", text);
    }

    private String fact(String name, String text) {
        return paint("faint", column(name)) + "  " + text;
    }

    private static String kills(Score score) {
        Score.Kills kills = score.kills();
        return counted(kills.workers(), "worker") + ", " + counted(kills.senders(), "sender")
                + (score.handwritten() == null ? "" : ", " + counted(kills.receivers(), "hand-written receiver"));
    }

    private static String bank(Map<String, Long> behaviour) {
        return figure(of(behaviour, "answers_500")) + " x 500, "
                + figure(of(behaviour, "answers_429")) + " x 429, "
                + figure(of(behaviour, "cuts") + of(behaviour, "books_and_cuts")) + " cut ("
                + figure(of(behaviour, "books_and_cuts")) + " of them booked), "
                + figure(of(behaviour, "books_slowly")) + " slow";
    }

    private static long of(Map<String, Long> behaviour, String name) {
        return behaviour.getOrDefault(name, 0L);
    }

    private static String repeated(Tally tally) {
        return figure(tally.repetitions().redelivered()) + " deliveries recognised by their key, "
                + figure(tally.repetitions().refused()) + " refused by their fence";
    }

    /** The processes are counted: "1 server, 3 workers (1 starting)". */
    private String summary(List<String> processes) {
        List<String> parts = new ArrayList<>();
        for (Role role : Role.values()) {
            long same = processes.stream()
                    .filter(each -> each.startsWith(role.word()))
                    .count();
            if (same > 0) {
                parts.add(counted(same, role == Role.HANDWRITTEN ? "receiver" : role.word()));
            }
        }
        long starting = processes.stream()
                .filter(each -> each.endsWith("starting") || each.endsWith("killed"))
                .count();
        return String.join(", ", parts) + (starting == 0 ? "" : paint("yellow", " (" + starting + " starting)"));
    }

    private static String line(Score score) {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%3.0f s", score.seconds()));
        for (ScoreLine each : ScoreLine.values()) {
            line.append("  ")
                    .append(each.title())
                    .append(' ')
                    .append(figure(each.value().applyAsLong(score.semel())));
        }
        line.append("  killed ").append(score.kills().all());
        Tally other = score.handwritten();
        if (other != null) {
            line.append("  by hand: doubled ")
                    .append(figure(other.outcome().doubled()))
                    .append("  lost ")
                    .append(figure(other.outcome().lost()));
        }
        return line.toString();
    }

    private List<String> verdict(Score score) {
        List<String> lines = new ArrayList<>();
        Tally semel = score.semel();
        if (score.holds()) {
            lines.add(paint(
                    "bold,green",
                    String.format(
                            Locale.ROOT,
                            "Semel: %,d webhooks, each booked exactly once, in the order of its customer.",
                            semel.outcome().delivered())));
        } else {
            lines.add(paint(
                    "bold,red",
                    String.format(
                            Locale.ROOT,
                            "Semel: %,d doubled, %,d lost, %,d out of order.",
                            semel.outcome().doubled(),
                            semel.outcome().lost(),
                            semel.outcome().outOfOrder())));
            score.violations().forEach(each -> lines.add("  " + each));
        }
        Tally other = score.handwritten();
        if (other != null) {
            lines.add(String.format(
                    Locale.ROOT,
                    "By hand: %,d webhooks booked, %,d doubled, %,d lost, %,d out of order.",
                    other.outcome().delivered(),
                    other.outcome().doubled(),
                    other.outcome().lost(),
                    other.outcome().outOfOrder()));
        }
        return lines;
    }

    private static String counted(long count, String what) {
        return figure(count) + " " + what + (count == 1 ? "" : "s");
    }

    private static String figure(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private String paint(String style, String text) {
        return ansi.new Text("@|" + style + " " + text + "|@").toString();
    }
}
