package dev.semel.server.config;

import dev.semel.Channel.RateLimit;
import dev.semel.SemelException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the forms of values. Each reader throws {@link IllegalArgumentException} that says what would be right. */
final class ValueForms {
    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "min", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS,
            "d", ChronoUnit.DAYS);
    private static final Map<String, Integer> SIZES = Map.of("B", 1, "KiB", 1 << 10, "MiB", 1 << 20);
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9}) ?(ms|s|m|min|h|d)");
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,9}) ?(B|KiB|MiB)");
    private static final Pattern RATE = Pattern.compile("([0-9]{1,7}) ?/ ?(s|m|min|h|d)");

    private ValueForms() {}

    /** @param form the limits in words */
    static Function<String, Duration> duration(Duration least, Duration most, String form) {
        return text -> {
            Duration value = duration(text);
            if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
                throw new IllegalArgumentException("out of range; write " + form);
            }
            return value;
        };
    }

    private static Duration duration(String text) {
        Matcher compact = DURATION.matcher(text);
        if (compact.matches()) {
            return Duration.of(Long.parseLong(compact.group(1)), UNITS.get(compact.group(2)));
        }
        try {
            return Duration.parse(text);
        } catch (DateTimeParseException | ArithmeticException wrong) {
            throw new IllegalArgumentException("not a duration; write 250ms, 30s, 5m, 2h, 7d or PT30S", wrong);
        }
    }

    static Function<String, Integer> size(int least, int most, String form) {
        return text -> {
            Matcher size = SIZE.matcher(text);
            if (!size.matches()) {
                throw new IllegalArgumentException("not a size; write 512KiB, 1MiB or 4096B");
            }
            long bytes = Long.parseLong(size.group(1)) * SIZES.get(size.group(2));
            if (bytes < least || bytes > most) {
                throw new IllegalArgumentException("out of range; write " + form);
            }
            return (int) bytes;
        };
    }

    static Function<String, Integer> number(int least, int most) {
        return text -> {
            if (!text.matches("[0-9]{1,9}") || Integer.parseInt(text) < least || Integer.parseInt(text) > most) {
                throw new IllegalArgumentException("not a whole number from " + least + " to " + most);
            }
            return Integer.parseInt(text);
        };
    }

    static boolean flag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("write true or false");
        };
    }

    static <T> Function<String, T> choice(Map<String, T> choices, String form) {
        return text -> {
            T chosen = choices.get(text);
            if (chosen == null) {
                throw new IllegalArgumentException("write " + form);
            }
            return chosen;
        };
    }

    /** {@code 50/s}, {@code 1000/min}. */
    static RateLimit rate(String text) {
        Matcher rate = RATE.matcher(text);
        if (!rate.matches() || Integer.parseInt(rate.group(1)) == 0) {
            throw new IllegalArgumentException("not a rate; write 50/s, 1000/min, 5000/h or 10000/d");
        }
        try {
            return RateLimit.of(
                    Integer.parseInt(rate.group(1)), UNITS.get(rate.group(2)).getDuration());
        } catch (SemelException.Invalid wrong) {
            throw new IllegalArgumentException("out of range; write 1 to 1000000", wrong);
        }
    }
}
