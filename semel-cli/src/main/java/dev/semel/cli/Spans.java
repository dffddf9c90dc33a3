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

/** Spans and moments as a person types them. */
final class Spans {
    private static final Pattern SPAN = Pattern.compile("(\\d{1,9})(ms|s|m|min|h|d)");

    private Spans() {}

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
                    "\"" + text + "\" is not a span of time. Give one such as 90s, 15m, 1h, 7d or PT1H30M.", e);
        }
    }

    /** A moment such as 2026-11-15T08:30:00Z, a day such as 2026-11-15 (from its beginning in UTC), or a span before now. */
    static Instant moment(String text, Instant now) {
        try {
            return text.contains("T") && !text.startsWith("P")
                    ? Instant.parse(text)
                    : text.contains("-")
                            ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
                            : now.minus(span(text));
        } catch (DateTimeException e) {
            throw new SemelException.Invalid(
                    "\"" + text + "\" is not a moment. Give one such as 2026-11-15T08:30:00Z, a day such as 2026-11-15,"
                            + " or a span before now such as 1h.",
                    e);
        }
    }
}
