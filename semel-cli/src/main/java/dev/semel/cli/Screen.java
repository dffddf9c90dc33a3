package dev.semel.cli;

import dev.semel.operator.Explanation;
import dev.semel.store.State;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Pattern;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.Style;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Text output. Colours are for terminals. Text from payloads and failures is sanitised, so that it cannot move the cursor.
 */
record Screen(PrintWriter out, Ansi ansi) {
    private static final DateTimeFormatter MOMENT =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** Control characters, and marks that change the reading direction: they could falsify a line. */
    private static final Pattern HARMFUL =
            Pattern.compile("[\\p{Cntrl}\\u0080-\\u009f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]");

    static Screen of(CommandSpec spec) {
        return new Screen(
                spec.commandLine().getOut(), spec.commandLine().getColorScheme().ansi());
    }

    void line(String text) {
        out.println(text);
    }

    /** A name and a value in two columns. */
    void fact(String name, String value) {
        out.println(String.format(Locale.ROOT, "%-12s %s", name, value).stripTrailing());
    }

    /** A count and what is counted: "1 record", "2,500 records". */
    static String counted(long count, String what) {
        return String.format(Locale.ROOT, "%,d %s", count, count == 1 ? what : what + "s");
    }

    static String plain(String text) {
        return HARMFUL.matcher(text).replaceAll("?");
    }

    String paint(Style style, String text) {
        return ansi.enabled() ? style.on() + text + Style.reset.on() : text;
    }

    String bold(String text) {
        return paint(Style.bold, text);
    }

    String state(State state) {
        return switch (state) {
            case COMPLETED -> paint(Style.fg_green, state.name());
            case FAILED_TERMINAL, UNKNOWN -> paint(Style.fg_red, state.name());
            case FAILED_RETRYABLE -> paint(Style.fg_yellow, state.name());
            case IN_PROGRESS -> paint(Style.fg_cyan, state.name());
            case QUEUED, SHADOWED, DISCARDED -> state.name();
        };
    }

    static String moment(long millis) {
        return MOMENT.format(Instant.ofEpochMilli(millis));
    }

    /** The meaning of a record's time in its state. */
    static String attention(Facts record, long now) {
        if (!record.has("at")) {
            return "";
        }
        long left = record.time("at") - now;
        String span = Explanation.shown(Math.abs(left));
        return switch (RecordFacts.state(record)) {
            case QUEUED, FAILED_RETRYABLE -> left > 0 ? "due in " + span : "overdue by " + span;
            case IN_PROGRESS -> left > 0 ? "lease expires in " + span : "lease expired " + span + " ago";
            case UNKNOWN -> left > 0 ? "checked in " + span : "check overdue by " + span;
            case COMPLETED, FAILED_TERMINAL, SHADOWED, DISCARDED ->
                left > 0 ? "expires in " + span : "expired, to be" + " purged";
        };
    }
}
