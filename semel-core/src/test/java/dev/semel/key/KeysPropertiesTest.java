package dev.semel.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Key;
import dev.semel.Tenant;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.jspecify.annotations.Nullable;

class KeysPropertiesTest {
    private static final Tenant ACME = Tenant.of("acme");

    /** Few characters, those that could be mistaken for the form itself, so that near misses are frequent. */
    @Provide
    Arbitrary<String> parts() {
        return Arbitraries.of(
                        "", ":", "*", "#", "%", "%3A", "a", "A", "a ", "\u00e9", "e\u0301", "\0", "\ud83d\ude00", "a:*")
                .list()
                .ofMaxSize(3)
                .map(list -> String.join("", list));
    }

    @Provide
    Arbitrary<String> present() {
        return parts().filter(part -> !part.isEmpty());
    }

    @Provide
    Arbitrary<@Nullable String> optional() {
        return parts().injectNull(0.3);
    }

    @Property
    void compositeKeysAreEqualOnlyWhenAllPartsAre(
            @ForAll("present") String a,
            @ForAll("optional") @Nullable String b,
            @ForAll("optional") @Nullable String c,
            @ForAll("present") String x,
            @ForAll("optional") @Nullable String y,
            @ForAll("optional") @Nullable String z) {
        assertThat(Keys.composite(a, b, c).equals(Keys.composite(x, y, z)))
                .isEqualTo(Arrays.asList(a, b, c).equals(Arrays.asList(x, y, z)));
    }

    @Property
    void eventKeysAreEqualOnlyWhenAllPartsAre(
            @ForAll("present") String a,
            @ForAll("present") String b,
            @ForAll("present") String c,
            @ForAll("present") String x,
            @ForAll("present") String y,
            @ForAll("present") String z,
            @ForAll @IntRange(max = 100) int times) {
        assertThat(Keys.event(a, b, c).equals(Keys.event(x, y, z)))
                .isEqualTo(List.of(a, b, c).equals(List.of(x, y, z)));
        String longer = a.repeat(times + 1);
        assertThat(Keys.event(longer, b, c).equals(Keys.event(a, b, c))).isEqualTo(times == 0);
    }

    @Property
    void kindsNeverMeet(@ForAll("present") String a, @ForAll("present") String b, @ForAll("present") String c) {
        List<Key> keys = List.of(
                Keys.messageId(a),
                Keys.clientGiven(a),
                Keys.contentHash(a),
                Keys.composite(a, b, c),
                Keys.event(a, b, c),
                Keys.action(a, b, null, c),
                Keys.job(ACME, a, b, c),
                Keys.operation(a, b, c, null, null, null));
        assertThat(keys.stream().map(Key::text)).doesNotHaveDuplicates();
        assertThat(keys).allSatisfy(key -> assertThat(key.text()).matches("[!-~]{1,255}"));
    }

    @Property
    void idsAreEqualOnlyWhenTenantOperationAndKeyAre(
            @ForAll("present") String a,
            @ForAll("present") String b,
            @ForAll("present") String c,
            @ForAll("present") String d) {
        Key one = Key.of(a + b);
        Key other = Key.of(c + d);
        assertThat(Identity.of(ACME, "pay", one)
                        .id()
                        .equals(Identity.of(ACME, "pay", other).id()))
                .isEqualTo((a + b).equals(c + d));
        assertThat(Hashes.recordId(a, b, "x").equals(Hashes.recordId(c, d, "x")))
                .isEqualTo(a.equals(c) && b.equals(d));
    }

    @Property
    void textsWithinOneWidthFindEachOtherOverABucketsEdgeAndTextsTwoWidthsApartDoNot(
            @ForAll @LongRange(min = -4_000_000_000_000L, max = 4_000_000_000_000L) long at,
            @ForAll @IntRange(min = 1, max = 100_000) int width,
            @ForAll @IntRange(max = 300_000) int later) {
        Duration bucket = Duration.ofMillis(width);
        Key first = Keys.textInBucket("c", "hello", bucket, Instant.ofEpochMilli(at));
        Key second = Keys.textInBucket("c", "hello", bucket, Instant.ofEpochMilli(at + later));
        boolean found = second.equals(first) || second.neighbours().contains(first.text());
        boolean foundBack = second.equals(first) || first.neighbours().contains(second.text());
        assertThat(found).isEqualTo(foundBack);
        assertThat(second.lock()).isEqualTo(first.lock());
        if (later <= width) {
            assertThat(found).isTrue();
        } else if (later >= 2 * width) {
            assertThat(found).isFalse();
        }
    }

    @Property(tries = 200)
    void longScopesKeepTheirNeighbours(@ForAll @IntRange(min = 1, max = 400) int length, @ForAll @IntRange int second) {
        Duration bucket = Duration.ofSeconds(1);
        String scope = "s".repeat(length);
        Key first = Keys.textInBucket(scope, "hello", bucket, Instant.ofEpochSecond(second));
        Key next = Keys.textInBucket(scope, "hello", bucket, Instant.ofEpochSecond(second + 1L));
        assertThat(next.neighbours()).contains(first.text());
        assertThat(first.neighbours()).contains(next.text()).doesNotContain(first.text());
        assertThat(next.lock()).isEqualTo(first.lock()).isNotEqualTo(first.text());
    }
}
