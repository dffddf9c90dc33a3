package dev.semel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import java.math.BigInteger;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CanonicalJsonTest {
    static String canonical(String json, String... excluded) {
        byte[] bytes = CanonicalJson.of("pay", json.getBytes(StandardCharsets.UTF_8), Set.of(excluded));
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void namesAreSortedAndWhiteSpaceIsDropped() {
        assertThat(canonical(" { \"b\" : [ 1 , true , null , false ] ,\n\t\"a\" : { \"d\" : {} , \"c\" : [] } }\r\n"))
                .isEqualTo("{\"a\":{\"c\":[],\"d\":{}},\"b\":[1,true,null,false]}");
    }

    @Test
    void namesAreSortedByUtf16CodeUnitNotByCodePoint() {
        String beyond = "\ud83d\ude00";
        String high = "\uff21";
        assertThat(canonical("{\"" + high + "\":1,\"" + beyond + "\":2,\"B\":3,\"a\":4,\"\":5}"))
                .isEqualTo("{\"\":5,\"B\":3,\"a\":4,\"" + beyond + "\":2,\"" + high + "\":1}");
    }

    @Test
    void stringsAreMinimallyEscaped() {
        assertThat(
                        canonical(
                                "\"\\u0041\\/\\\"\\\\\\b\\t\\n\\f\\r\\u0000\\u001F\\u007f\\u00e9\\u20ac\\ud83d\\ude00\\u2028\""))
                .isEqualTo("\"A/\\\"\\\\\\b\\t\\n\\f\\r\\u0000\\u001f\u007f\u00e9\u20ac\ud83d\ude00\u2028\"");
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, 0",
        "-0.000e-5, 0",
        "0e99999999999999999999, 0",
        "1, 1",
        "1.0, 1",
        "1e0, 1",
        "10e-1, 1",
        "0.1E+1, 1",
        "1e-0, 1",
        "1e000, 1",
        "100e-0002, 1",
        "-1.50, -15e-1",
        "100, 1e2",
        "1000000, 1e6",
        "0.00120, 12e-4",
        "10.010, 1001e-2",
        "9007199254740993, 9007199254740993",
        "9007199254740992, 9007199254740992",
        "1e999999999, 1e999999999",
        "10e999999998, 1e999999999",
        "0.1e1000000000, 1e999999999",
        "1e2147483648, 1e2147483648",
        "1e-2147483649, 1e-2147483649",
        "10e2147483647, 1e2147483648",
        "1e9223372036854775807, 1e9223372036854775807",
        "1e9223372036854775808, 1e9223372036854775808",
        "0.01e9223372036854775808, 1e9223372036854775806",
        "100e-9223372036854775810, 1e-9223372036854775808",
        "1e18446744073709551617, 1e18446744073709551617",
        "1e999999999999999999, 1e999999999999999999",
        "10e999999999999999999, 1e1000000000000000000",
        "0.1e1000000000000000000, 1e999999999999999999",
    })
    void numbersAreExactAndNeverExpanded(String written, String canonical) {
        assertThat(canonical(written)).isEqualTo(canonical);
        assertThat(canonical("[" + written + "]")).isEqualTo("[" + canonical + "]");
        assertThat(canonical(canonical)).isEqualTo(canonical);
    }

    @Test
    void numberOfAMillionDigitsCostsItsText() {
        String digits = "7".repeat(1_000_000);
        assertThat(canonical(digits + "000." + "0".repeat(1_000_000))).isEqualTo(digits + "e3");
    }

    @Test
    void exponentOfAThousandDigitsIsReadAndALongerOneIsRejected() {
        String nines = "9".repeat(1_000);
        assertThat(canonical("10e" + nines)).isEqualTo("1e" + new BigInteger(nines).add(BigInteger.ONE));
        assertThat(canonical("1e" + "0".repeat(100_000) + "7")).isEqualTo("1e7");
        assertThatThrownBy(() -> canonical("1e1" + nines))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("pay")
                .hasMessageContaining("1001 digits");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":1,\"a\":1}",
                "{\"a\":1,\"b\":2,\"a\":3}",
                "[{\"x\":{\"a\":1,\"\\u0061\":2}}]",
                "{\"t\":{\"a\":1,\"a\":2}}",
                "{\"t\":1,\"t\":2}"
            })
    void aNameGivenTwiceIsRefusedEvenInsideWhatIsExcluded(String json) {
        assertThatThrownBy(() -> canonical(json, "t"))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("The JSON of pay has the field")
                .hasMessageContaining("twice");
    }

    @Test
    void longNameIsShortenedInTheMessage() {
        String name = "n".repeat(5_000);
        assertThatThrownBy(() -> canonical("{\"" + name + "\":1,\"" + name + "\":1}"))
                .hasMessageContaining("nnn...")
                .message()
                .hasSizeLessThan(300);
    }

    @Test
    void sixtyFourLevelsAreReadAndSixtyFiveAreRejected() {
        String arrays = "[".repeat(64) + "]".repeat(64);
        assertThat(canonical(arrays)).isEqualTo(arrays);
        String objects = "{\"a\":".repeat(64) + "1" + "}".repeat(64);
        assertThat(canonical(objects)).isEqualTo(objects);
        for (String deeper : new String[] {"[" + arrays + "]", "[" + objects + "]", "[".repeat(1_000_000)}) {
            assertThatThrownBy(() -> canonical(deeper))
                    .isInstanceOf(SemelException.Invalid.class)
                    .hasMessageContaining("deeper than 64");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  ",
                "{",
                "[1",
                "{\"a\"}",
                "{\"a\":1,}",
                "[1,]",
                "nul",
                "NaN",
                "Infinity",
                "+1",
                "01",
                "1.",
                ".5",
                "1e",
                "'a'",
                "{a:1}",
                "\"a",
                "\"\t\"",
                "\"\\x\"",
                "// c\n1",
                "1 2",
                "{} x",
                "{}{}",
                "[]]",
                "1,",
                "\u0000",
                "{}\u0000"
            })
    void whatIsNotOneJsonValueIsRefused(String text) {
        assertThatThrownBy(() -> canonical(text))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("The JSON of pay");
    }

    @Test
    void messageNamesThePlaceAndNotTheContent() {
        assertThatThrownBy(() -> canonical("{\"a\":\n secret}"))
                .hasMessageContaining("line 2")
                .message()
                .doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"\\ud800\"", "\"\\udc00\"", "\"\\ude00\\ud83d\"", "\"\\ud800a\"", "[\"\\ud83d\\ud83d\"]"})
    void halfOfASurrogatePairIsRefused(String json) {
        assertThatThrownBy(() -> canonical(json))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("surrogate");
    }

    @Test
    void halfOfASurrogatePairInANameIsRejected() {
        for (String json : new String[] {"{\"\\ud800\":1}", "{\"\\udc00\":1}", "{\"a\\ud800b\":1}"}) {
            assertThatThrownBy(() -> canonical(json)).isInstanceOf(SemelException.Invalid.class);
        }
    }

    @Test
    void onlyUtf8IsRead() {
        byte[][] others = {
            "{\"a\":1}".getBytes(StandardCharsets.UTF_16),
            "{\"a\":1}".getBytes(StandardCharsets.UTF_16LE),
            "{\"a\":1}".getBytes(StandardCharsets.UTF_16BE),
            "{\"a\":1}".getBytes(Charset.forName("UTF-32BE")),
            "\"\u00e9\"".getBytes(StandardCharsets.ISO_8859_1),
            {'"', (byte) 0xc1, (byte) 0x81, '"'},
            {'"', (byte) 0xed, (byte) 0xa0, (byte) 0xbd, (byte) 0xed, (byte) 0xb8, (byte) 0x80, '"'},
        };
        for (byte[] bytes : others) {
            assertThatThrownBy(() -> CanonicalJson.of("pay", bytes, Set.of()))
                    .isInstanceOf(SemelException.Invalid.class)
                    .hasMessageContaining("UTF-8");
        }
        assertThat(canonical("\ufeff{ }")).isEqualTo("{}");
    }

    @Test
    void excludedFieldsAreDroppedFromTheOutermostObjectOnly() {
        String json = "{\"retry\":3,\"b\":{\"retry\":1},\"at\":[1],\"a\":[{\"retry\":2}]}";
        assertThat(canonical(json, "retry", "at")).isEqualTo("{\"a\":[{\"retry\":2}],\"b\":{\"retry\":1}}");
        assertThat(canonical("{\"retry\":3}", "retry")).isEqualTo("{}");
        assertThat(canonical("{\"a\":1,\"retry\":3}", "retry")).isEqualTo("{\"a\":1}");
        assertThat(canonical("[{\"retry\":3}]", "retry")).isEqualTo("[{\"retry\":3}]");
        assertThat(canonical("{\"Retry\":3}", "retry")).isEqualTo("{\"Retry\":3}");
    }

    @Test
    void longTextsGrowTheBuffer() {
        for (String text :
                new String[] {"\\u0001".repeat(50_000), "\u20ac".repeat(50_000), "a".repeat(50_000) + "\\n"}) {
            assertThat(canonical("\"" + text + "\"")).isEqualTo("\"" + text + "\"");
        }
        String name = "n".repeat(200_000);
        assertThat(canonical("{\"" + name + "\":\"\\u0041\"}")).isEqualTo("{\"" + name + "\":\"A\"}");
    }
}
