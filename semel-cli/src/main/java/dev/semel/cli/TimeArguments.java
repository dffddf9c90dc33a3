package dev.semel.cli;

import dev.semel.SemelException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses durations and times of the command line. */
final class TimeArguments {
    private static final Pattern SPAN = Pattern.compile("(\\d{1,9})(ms|s|m|min|h|d)");

    private TimeArguments() {}

    /** Such as 90s, 15m, 1h, 7d, or PT1H30M. */
    static Duration span(String text) {
        Matcher matcher = SPAN.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (matcher.matches()) {
            long amount = Long.parseLong(matcher.group(1));
            return switch (matcher.group(2)) {
                case "ms" -> Duration.ofMillis(amount);
                case "s" -> Duration.ofSeconds(amount);
                case "h" -> Duration.ofHours(amount);
                case "d" -> Duration.ofDays(amount);
                default -> Duration.ofMinutes(amount);
            };
        }
        try {
            return Duration.parse(text);
        } catch (DateTimeException e) {
            throw new SemelException.Invalid(
                    "\"" + text + "\" is not a valid duration. Use one such as 90s, 15m, 1h, 7d or PT1H30M.", e);
        }
    }

    /** A time such as 2026-11-15T08:30:00Z, a day such as 2026-11-15 (its start in UTC), or a duration before now. */
    static Instant moment(String text, Instant now) {
        try {
            return text.contains("T") && !text.startsWith("P")
                    ? Instant.parse(text)
                    : text.contains("-")
                            ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
                            : now.minus(span(text));
        } catch (DateTimeException e) {
            throw new SemelException.Invalid(
                    "\"" + text + "\" is not a valid time. Use one such as 2026-11-15T08:30:00Z, a day such as"
                            + " 2026-11-15, or a duration before now such as 1h.",
                    e);
        }
    }
}
