package dev.semel.key;

import static dev.semel.key.CanonicalJsonTest.canonical;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class CanonicalJsonPropertiesTest {
    private static final JsonMapper MAPPER = new JsonMapper();

    @Property
    void canonicalFormOfACanonicalFormIsItself(@ForAll("values") Object value) {
        String once = canonical(MAPPER.writeValueAsString(value));
        assertThat(canonical(once)).isEqualTo(once);
    }

    @Property
    void orderAndWhiteSpaceDoNotCount(@ForAll("values") Object value, @ForAll Random random) {
        String plain = MAPPER.writeValueAsString(value);
        String shuffled = MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(shuffle(value, random));
        assertThat(canonical(shuffled)).isEqualTo(canonical(plain));
    }

    @Property
    void meaningIsKept(@ForAll("values") Object value) {
        String plain = MAPPER.writeValueAsString(value);
        assertThat(exact(canonical(plain))).isEqualTo(exact(plain));
    }

    @Property
    void differentMeaningsHaveDifferentForms(@ForAll("values") Object one, @ForAll("values") Object other) {
        String a = MAPPER.writeValueAsString(one);
        String b = MAPPER.writeValueAsString(other);
        assertThat(canonical(a).equals(canonical(b))).isEqualTo(exact(a).equals(exact(b)));
    }

    @Property
    void numberHasOneFormHoweverItIsWritten(
            @ForAll BigInteger significand,
            @ForAll @IntRange(min = -40, max = 40) int exponent,
            @ForAll @IntRange(max = 30) int zeros) {
        BigDecimal number = new BigDecimal(significand).scaleByPowerOfTen(exponent);
        String form = canonical(significand + "e" + exponent);
        assertThat(canonical(number.toPlainString())).isEqualTo(form);
        assertThat(canonical(number.toString())).isEqualTo(form);
        assertThat(canonical(number.toEngineeringString())).isEqualTo(form);
        assertThat(canonical(
                        number.setScale(Math.max(number.scale(), 0) + zeros).toPlainString()))
                .isEqualTo(form);
        assertThat(canonical(significand.multiply(BigInteger.TEN.pow(zeros)) + "e" + (exponent - zeros)))
                .isEqualTo(form);
    }

    @Property
    void twoNumbersShareAFormOnlyWhenTheyAreEqual(
            @ForAll @IntRange(min = -200, max = 200) int a,
            @ForAll @IntRange(min = -4, max = 4) int aExponent,
            @ForAll @IntRange(min = -200, max = 200) int b,
            @ForAll @IntRange(min = -4, max = 4) int bExponent) {
        BigDecimal one = BigDecimal.valueOf(a).scaleByPowerOfTen(aExponent);
        BigDecimal other = BigDecimal.valueOf(b).scaleByPowerOfTen(bExponent);
        assertThat(canonical(a + "e" + aExponent).equals(canonical(b + "e" + bExponent)))
                .isEqualTo(one.compareTo(other) == 0);
    }

    @Property
    void exponentsBeyondEveryMachineWordNeitherMergeNorFail(
            @ForAll BigInteger exponent, @ForAll @IntRange(max = 30) int zeros, @ForAll BigInteger other) {
        String form = canonical("3e" + exponent);
        BigInteger lowered = exponent.subtract(BigInteger.valueOf(zeros));
        assertThat(canonical("3" + "0".repeat(zeros) + "e" + lowered)).isEqualTo(form);
        assertThat(canonical("3e" + other).equals(form)).isEqualTo(exponent.equals(other));
    }

    @Provide
    Arbitrary<Object> values() {
        return values(3);
    }

    // Bounded by hand: the library's own recursion multiplies edge cases until the heap is full.
    private static Arbitrary<Object> values(int depth) {
        Arbitrary<Object> scalars = Arbitraries.oneOf(
                texts().asGeneric(),
                Arbitraries.longs().asGeneric(),
                Arbitraries.bigDecimals().asGeneric(),
                Arbitraries.of(true, false).asGeneric());
        if (depth == 0) {
            return scalars;
        }
        Arbitrary<Object> inner = values(depth - 1).withoutEdgeCases();
        return Arbitraries.oneOf(
                scalars,
                inner.list().ofMaxSize(4).withoutEdgeCases().asGeneric(),
                Arbitraries.maps(texts().withoutEdgeCases(), inner)
                        .ofMaxSize(5)
                        .withoutEdgeCases()
                        .asGeneric());
    }

    private static Arbitrary<String> texts() {
        return Arbitraries.strings()
                .withCharRange('\0', '\ud7ff')
                .ofMaxLength(6)
                .flatMap(text -> Arbitraries.of(text, text + "\ud83d\ude00", "\uffff" + text));
    }

    private static Object shuffle(Object value, Random random) {
        if (value instanceof List<?> list) {
            return list.stream().map(item -> shuffle(item, random)).toList();
        }
        if (value instanceof Map<?, ?> map) {
            List<Map.Entry<?, ?>> entries = new ArrayList<>(map.entrySet());
            Collections.shuffle(entries, random);
            Map<Object, Object> result = new LinkedHashMap<>();
            entries.forEach(entry -> result.put(entry.getKey(), shuffle(entry.getValue(), random)));
            return result;
        }
        return value;
    }

    /** An independent reading: maps are compared without order, numbers by value. */
    private static Object exact(String json) {
        return plain(MAPPER.reader()
                .with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .readTree(json));
    }

    private static Object plain(JsonNode node) {
        if (node.isObject()) {
            Map<String, Object> result = new LinkedHashMap<>();
            node.properties().forEach(entry -> result.put(entry.getKey(), plain(entry.getValue())));
            return result;
        }
        if (node.isArray()) {
            List<Object> result = new ArrayList<>();
            node.forEach(item -> result.add(plain(item)));
            return result;
        }
        if (node.isNumber()) {
            return node.decimalValue().stripTrailingZeros();
        }
        return node.isString() ? "s" + node.stringValue() : node.toString();
    }
}
