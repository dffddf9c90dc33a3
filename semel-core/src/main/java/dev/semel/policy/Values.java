package dev.semel.policy;

import dev.semel.Policy.Backoff;
import dev.semel.Policy.Jitter;
import dev.semel.Policy.Retention;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads and writes the values of settings. Each reader throws {@link IllegalArgumentException} that says what would be right. */
final class Values {
    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "min", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS,
            "d", ChronoUnit.DAYS);
    private static final Pattern NUMBER_AND_UNIT = Pattern.compile("([0-9]{1,12}) ?(ms|s|m|min|h|d)");
    private static final Pattern EXPONENTIAL = Pattern.compile("exp (\\S+) x(\\S+) cap (\\S+)");
    private static final Pattern BOUNDED = Pattern.compile("bounded (\\S+)");

    /** How configuration writes that there is no such thing. */
    static final String NONE = "none";

    private Values() {}

    /** In the largest unit that reads well: 250ms, 60s, 5m, 24h, 7d; what has no such form in ISO 8601. */
    static String text(Duration duration) {
        if (duration.toNanosPart() % 1_000_000 != 0) {
            return duration.toString();
        }
        if (duration.toMillisPart() != 0) {
            return duration.toMillis() + "ms";
        }
        long seconds = duration.toSeconds();
        if (seconds % 86_400 == 0 && seconds > 86_400) {
            return seconds / 86_400 + "d";
        }
        if (seconds % 3_600 == 0 && seconds > 0) {
            return seconds / 3_600 + "h";
        }
        return seconds % 60 == 0 && seconds > 120 ? seconds / 60 + "m" : seconds + "s";
    }

    static String textOrNone(@Nullable Duration duration) {
        return duration == null ? NONE : text(duration);
    }

    static String text(Backoff backoff) {
        if (backoff instanceof Backoff.Listed listed) {
            return "list " + listed.delays().stream().map(Values::text).collect(Collectors.joining(","));
        }
        return backoff instanceof Backoff.Exponential grows
                ? "exp " + text(grows.base()) + " x" + decimal(grows.multiplier()) + " cap " + text(grows.cap())
                : NONE;
    }

    static String text(Jitter jitter) {
        return jitter instanceof Jitter.Bounded bounded
                ? "bounded " + decimal(bounded.fraction())
                : jitter.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    private static String decimal(double number) {
        return new BigDecimal(String.valueOf(number)).stripTrailingZeros().toPlainString();
    }

    /** Null when no class has these times. */
    static @Nullable String className(Retention retention) {
        return Retention.classes().entrySet().stream()
                .filter(each -> each.getValue().equals(retention))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    static Duration duration(String text) {
        Matcher compact = NUMBER_AND_UNIT.matcher(text);
        if (compact.matches()) {
            return Duration.of(Long.parseLong(compact.group(1)), UNITS.get(compact.group(2)));
        }
        try {
            return Duration.parse(text);
        } catch (DateTimeParseException | ArithmeticException wrong) {
            throw new IllegalArgumentException("not a duration; write 250ms, 30s, 5m, 2h, 7d or PT30S", wrong);
        }
    }

    static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException wrong) {
            throw new IllegalArgumentException("not a whole number; write 5", wrong);
        }
    }

    static boolean flag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false");
        };
    }

    static <E extends Enum<E>> E choice(String text, E[] values) {
        return Arrays.stream(values)
                .filter(value -> spelling(value).equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("not one of "
                        + String.join(
                                ", ",
                                Arrays.stream(values).map(Values::spelling).toList())));
    }

    static String spelling(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Retention retention(String text) {
        Retention found = Retention.classes().get(text);
        if (found == null) {
            throw new IllegalArgumentException("not a retention class"
                    + Suggestions.sentence(text, Retention.classes().keySet()));
        }
        return found;
    }

    static Backoff backoff(String text) {
        Matcher exponential = EXPONENTIAL.matcher(text);
        if (text.equals(NONE)) {
            return new Backoff.None();
        } else if (text.startsWith("list ")) {
            List<String> delays = Arrays.asList(text.substring(5).split(",", -1));
            return new Backoff.Listed(
                    delays.stream().map(String::strip).map(Values::duration).toList());
        } else if (exponential.matches()) {
            return new Backoff.Exponential(
                    duration(exponential.group(1)), decimal(exponential.group(2)), duration(exponential.group(3)));
        }
        throw new IllegalArgumentException("not a backoff; write exp 250ms x2 cap 30s, list 1s,3s or none");
    }

    static Jitter jitter(String text) {
        Matcher bounded = BOUNDED.matcher(text);
        if (bounded.matches()) {
            return new Jitter.Bounded(decimal(bounded.group(1)));
        }
        return switch (text) {
            case NONE -> new Jitter.None();
            case "full" -> new Jitter.Full();
            case "equal" -> new Jitter.Equal();
            case "decorrelated" -> new Jitter.Decorrelated();
            default ->
                throw new IllegalArgumentException(
                        "not a jitter; write full, none, bounded 0.1, equal or decorrelated");
        };
    }

    private static double decimal(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException wrong) {
            throw new IllegalArgumentException(text + " is not a number; write 2 or 0.1", wrong);
        }
    }
}
