package dev.semel.policy;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a {@code Retry-After} header, which the other side wrote and which may be anything.
 *
 * <ul>
 *   <li>Whole seconds in ASCII digits, or an HTTP date in one of its three legal forms; a date that has passed is zero.
 *   <li>Beyond {@link #LONGEST} is {@link #LONGEST}, which no policy accepts: the record ends as {@code rate_limited}.
 *   <li>Everything else is absent, as if there were no header: negative, signed, fractional, other scripts' digits, a date that
 *       does not exist, several values, more than 64 characters. The weekday of a date is not checked against the day.
 * </ul>
 */
public final class RetryAfter {
    /** The longest wait: a hundred years. Longer ones are clamped to it. */
    public static final Duration LONGEST = Duration.ofDays(36_500);

    private static final int MAX_LENGTH = 64;
    private static final Pattern SECONDS = Pattern.compile("0*([0-9]+)");
    private static final List<String> MONTHS =
            List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");

    private static final String SHORT_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
    private static final String LONG_DAY = "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)";
    private static final String MONTH = "(?<month>" + String.join("|", MONTHS) + ")";
    private static final String TIME = "(?<hour>[0-9]{2}):(?<minute>[0-9]{2}):(?<second>[0-9]{2})";
    private static final List<Pattern> DATES = List.of(
            Pattern.compile(SHORT_DAY + ", (?<day>[0-9]{2}) " + MONTH + " (?<year>[0-9]{4}) " + TIME + " GMT"),
            Pattern.compile(LONG_DAY + ", (?<day>[0-9]{2})-" + MONTH + "-(?<year>[0-9]{2}) " + TIME + " GMT"),
            Pattern.compile(SHORT_DAY + " " + MONTH + " (?<day>[0-9]{2}| [0-9]) " + TIME + " (?<year>[0-9]{4})"));

    private RetryAfter() {}

    /** How long to wait from {@code now}; never negative, at most {@link #LONGEST}. */
    public static Optional<Duration> parse(@Nullable String header, Instant now) {
        if (header == null || header.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        String text = header.strip();
        Matcher seconds = SECONDS.matcher(text);
        if (seconds.matches()) {
            return Optional.of(seconds(seconds.group(1)));
        }
        return DATES.stream()
                .map(form -> form.matcher(text))
                .filter(Matcher::matches)
                .findFirst()
                .flatMap(date -> instant(date, now))
                .map(date -> clamp(Duration.between(now, date)));
    }

    private static Duration seconds(String digits) {
        // eleven digits are more than a hundred years of seconds and fit a long
        return digits.length() > 11 ? LONGEST : clamp(Duration.ofSeconds(Long.parseLong(digits)));
    }

    private static Duration clamp(Duration wait) {
        if (wait.isNegative()) {
            return Duration.ZERO;
        }
        return wait.compareTo(LONGEST) > 0 ? LONGEST : wait;
    }

    private static Optional<Instant> instant(Matcher date, Instant now) {
        int second = number(date, "second");
        // HTTP allows a leap second, java.time does not: it is the second after
        int leap = second == 60 ? 1 : 0;
        try {
            return Optional.of(LocalDateTime.of(
                            year(date.group("year"), now),
                            MONTHS.indexOf(date.group("month")) + 1,
                            number(date, "day"),
                            number(date, "hour"),
                            number(date, "minute"),
                            second - leap)
                    .plusSeconds(leap)
                    .toInstant(ZoneOffset.UTC));
        } catch (DateTimeException noSuchDate) {
            return Optional.empty();
        }
    }

    /** Two digits mean the year nearest to now: RFC 9110 forbids reading them as more than 50 years ahead. */
    private static int year(String digits, Instant now) {
        int year = Integer.parseInt(digits);
        if (digits.length() == 4) {
            return year;
        }
        int current = now.atOffset(ZoneOffset.UTC).getYear();
        int candidate = Math.floorDiv(current, 100) * 100 + year;
        if (candidate > current + 50) {
            return candidate - 100;
        }
        return candidate < current - 50 ? candidate + 100 : candidate;
    }

    private static int number(Matcher date, String part) {
        return Integer.parseInt(date.group(part).strip());
    }
}
