package dev.semel.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {
    private static final Instant NOW = Instant.parse("2026-11-06T08:49:07Z");

    @ParameterizedTest
    @CsvSource({"0, 0", "120, 120", "000000000000000000000000005, 5", "' 7\t', 7", "3153600000, 3153600000"})
    void wholeSecondsAreRead(String header, long seconds) {
        assertThat(parse(header)).contains(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Fri, 06 Nov 2026 08:49:37 GMT",
                "Friday, 06-Nov-26 08:49:37 GMT",
                "Fri Nov  6 08:49:37 2026",
                "Fri Nov 06 08:49:37 2026",
                "Mon, 06 Nov 2026 08:49:37 GMT"
            })
    void aDateIsReadInEachOfItsThreeForms(String header) {
        assertThat(parse(header)).contains(Duration.ofSeconds(30));
    }

    @Test
    void leapSecondIsTheSecondAfter() {
        assertThat(parse("Fri, 06 Nov 2026 08:49:60 GMT")).contains(Duration.ofSeconds(53));
    }

    @Test
    void dateThatHasPassedMeansNow() {
        assertThat(parse("Sun, 06 Nov 1994 08:49:37 GMT")).contains(Duration.ZERO);
    }

    @Test
    void twoDigitsOfAYearMeanTheNearestOne() {
        assertThat(parse("Sunday, 06-Nov-94 08:49:37 GMT")).contains(Duration.ZERO);
        assertThat(parse("Sunday, 06-Nov-76 08:49:07 GMT").orElseThrow().toDays())
                .isBetween(18_262L, 18_263L);
        Instant endOfCentury = Instant.parse("2099-12-31T23:59:59Z");
        assertThat(RetryAfter.parse("Friday, 01-Jan-00 00:00:00 GMT", endOfCentury))
                .contains(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "3153600001",
                "99999999999",
                "9223372036854775808",
                "1000000000000000000000000000000",
                "Fri, 31 Dec 9999 23:59:59 GMT"
            })
    void whatIsTooLongIsClampedToAHundredYears(String header) {
        assertThat(parse(header)).contains(RetryAfter.LONGEST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-1",
                "+5",
                "1.5",
                "1e3",
                "0x10",
                "5 s",
                "5, 10",
                "٥",
                "５",
                "²",
                "five",
                "NaN",
                "\u0000",
                "5\n6",
                "Fri, 30 Feb 2026 08:49:37 GMT",
                "Fri, 06 Nov 2026 24:49:37 GMT",
                "Fri, 06 Nov 2026 08:49:61 GMT",
                "Fri, 06 Nov 2026 08:49:37 CET",
                "Fri, 6 Nov 2026 08:49:37 GMT",
                "Fri, 06 nov 2026 08:49:37 GMT",
                "Fri, 06 Nov 2026 08:49:37",
                "2026-11-06T08:49:37Z",
                "Friday, 06-Nov-2026 08:49:37 GMT",
                "00000000000000000000000000000000000000000000000000000000000000005"
            })
    void whatIsNeitherSecondsNorADateIsAbsent(String header) {
        assertThat(parse(header)).isEmpty();
    }

    @Test
    void noHeaderIsAbsent() {
        assertThat(RetryAfter.parse(null, NOW)).isEmpty();
    }

    @Test
    void hugeHeaderCostsNothing() {
        assertThat(parse("9".repeat(10_000_000))).isEmpty();
    }

    @Test
    void endsOfTimeDoNoHarm() {
        String header = "Friday, 06-Nov-26 08:49:37 GMT";
        assertThat(RetryAfter.parse(header, Instant.MAX)).isEmpty();
        assertThat(RetryAfter.parse("Fri, 06 Nov 2026 08:49:37 GMT", Instant.MAX))
                .contains(Duration.ZERO);
        assertThat(RetryAfter.parse("Fri, 06 Nov 2026 08:49:37 GMT", Instant.MIN))
                .contains(RetryAfter.LONGEST);
    }

    @Property
    void waitIsBoundedForAnyHeader(@ForAll String header) {
        parse(header).ifPresent(wait -> assertThat(wait).isBetween(Duration.ZERO, RetryAfter.LONGEST));
    }

    @Property
    void everyNumberOfSecondsIsReadOrClamped(@ForAll @LongRange(min = 0) long seconds) {
        assertThat(parse(Long.toString(seconds)))
                .contains(Duration.ofSeconds(Math.min(seconds, RetryAfter.LONGEST.toSeconds())));
    }

    private static Optional<Duration> parse(String header) {
        return RetryAfter.parse(header, NOW);
    }
}
