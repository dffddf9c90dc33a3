package dev.semel.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Operation;
import java.nio.charset.StandardCharsets;
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
import org.jspecify.annotations.Nullable;

/** Absent, null and a default mean the same exactly where an operation declares so. */
class AbsentFieldsPropertiesTest {
    private static final Operation.Atomic<Map<?, ?>, Void> PLAIN = operation();
    private static final Operation.Atomic<Map<?, ?>, Void> DECLARED =
            PLAIN.withNullsAsAbsent().withDefault("currency", "EUR").withDefault("amount", 1.50);

    @SuppressWarnings("unchecked")
    private static Operation.Atomic<Map<?, ?>, Void> operation() {
        return Operation.atomic("pay", (Class<Map<?, ?>>) (Class<?>) Map.class, Void.class);
    }

    @Provide
    Arbitrary<Map<String, String>> members() {
        Arbitrary<String> names = Arbitraries.of("a", "b", "c", "d", "z");
        Arbitrary<String> values =
                Arbitraries.of("1", "1.0", "\"x\"", "true", "[null]", "{\"p\":2}", "\"null\"", "0", "\"\"");
        return Arbitraries.maps(names, values).ofMaxSize(5);
    }

    /** In any order. */
    private static byte[] json(Map<String, String> members, long seed) {
        List<String> texts = new ArrayList<>();
        members.forEach((name, value) -> texts.add("\"" + name + "\":" + value));
        Collections.shuffle(texts, new Random(seed));
        return ("{" + String.join(", ", texts) + "}").getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, String> with(Map<String, String> members, String... more) {
        Map<String, String> all = new LinkedHashMap<>(members);
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i], more[i + 1]);
        }
        return all;
    }

    private static Fingerprint of(Operation<?, ?> operation, byte @Nullable [] payload) {
        return Fingerprints.of(operation.definition(), payload);
    }

    private static boolean matches(Fingerprint stored, Operation<?, ?> operation, byte @Nullable [] payload) {
        return Fingerprints.matches(stored, operation.definition(), payload);
    }

    @Property(tries = 300)
    void absentNullAndTheDefaultAreOneMeaning(@ForAll("members") Map<String, String> members, @ForAll long seed) {
        Fingerprint stored = of(DECLARED, json(members, seed));
        for (String[] more : new String[][] {
            {"new", "null"},
            {"currency", "\"EUR\""},
            {"currency", "null"},
            {"amount", "15e-1"},
            {"new", "null", "currency", "\"EUR\"", "amount", "1.500"}
        }) {
            assertThat(of(DECLARED, json(with(members, more), seed + 1))).isEqualTo(stored);
        }
    }

    @Property(tries = 300)
    void anyOtherValueCounts(@ForAll("members") Map<String, String> members, @ForAll long seed) {
        Fingerprint stored = of(DECLARED, json(members, seed));
        Fingerprint before = of(PLAIN, json(members, seed));
        for (String[] more : new String[][] {
            {"new", "false"},
            {"new", "0"},
            {"new", "\"\""},
            {"new", "[]"},
            {"new", "{}"},
            {"new", "\"null\""},
            {"currency", "\"eur\""},
            {"currency", "[\"EUR\"]"},
            {"amount", "1.51"},
            {"amount", "\"1.5\""}
        }) {
            byte[] other = json(with(members, more), seed);
            assertThat(matches(stored, DECLARED, other)).as(more[1]).isFalse();
            assertThat(matches(before, DECLARED, other)).as(more[1]).isFalse();
        }
    }

    @Property(tries = 300)
    void nullsInsideCountAsAbsentToo(@ForAll("members") Map<String, String> members, @ForAll long seed) {
        Fingerprint stored = of(DECLARED, json(with(members, "in", "[{\"p\":1}]"), seed));
        assertThat(of(DECLARED, json(with(members, "in", "[{\"q\":null,\"p\":1}]"), seed)))
                .isEqualTo(stored);
        assertThat(of(DECLARED, json(with(members, "in", "[{\"p\":1},null]"), seed)))
                .isNotEqualTo(stored);
    }

    @Property(tries = 300)
    void withoutADeclarationEverythingCounts(@ForAll("members") Map<String, String> members, @ForAll long seed) {
        Fingerprint stored = of(PLAIN, json(members, seed));
        assertThat(stored.version()).isEqualTo(1);
        assertThat(matches(stored, PLAIN, json(with(members, "new", "null"), seed)))
                .isFalse();
    }

    @Property(tries = 300)
    void olderRecordMatchesEveryPayloadOfTheSameMeaning(
            @ForAll("members") Map<String, String> members, @ForAll long seed, @ForAll @IntRange(max = 3) int nulls) {
        Map<String, String> first = new LinkedHashMap<>(members);
        for (int i = 0; i < nulls; i++) {
            first.put("null" + i, "null");
        }
        Fingerprint stored = of(PLAIN, json(first, seed));
        assertThat(matches(stored, DECLARED, json(first, seed + 1))).isTrue();
        assertThat(matches(stored, DECLARED, json(with(first, "new", "null"), seed)))
                .isTrue();
        assertThat(matches(stored, DECLARED, json(with(first, "new", "null", "currency", "\"EUR\""), seed)))
                .isTrue();
    }

    @Property(tries = 300)
    void recordOfTheDeclarationIsMatchedByNodesThatHaveNotDeclaredItYet(
            @ForAll("members") Map<String, String> members, @ForAll long seed) {
        Fingerprint stored = of(DECLARED, json(with(members, "new", "null"), seed));
        assertThat(stored.version()).isEqualTo(2);
        assertThat(matches(stored, PLAIN, json(members, seed + 1))).isTrue();
        assertThat(matches(stored, PLAIN, json(with(members, "new", "7"), seed)))
                .isFalse();
    }
}
