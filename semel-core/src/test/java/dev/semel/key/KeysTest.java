package dev.semel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Key;
import dev.semel.SemelException;
import dev.semel.Tenant;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class KeysTest {
    private static final Tenant ACME = Tenant.of("acme");
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final String ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void refused(String part, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(SemelException.Invalid.class).hasMessageContaining(part);
    }

    @Test
    void everyKindHasItsForm() {
        assertThat(Keys.messageId("<1@mail>").text()).isEqualTo("msg:%3C1%40mail%3E");
        assertThat(Keys.contentHash(utf8("abc")).text()).isEqualTo("hash:#" + ABC);
        assertThat(Keys.contentHash("abc").text()).isEqualTo("hash:#" + ABC);
        assertThat(Keys.composite("m", "c", "u").text()).isEqualTo("mcu:m:c:u");
        assertThat(Keys.clientGiven("k 1").text()).isEqualTo("key:k%201");
        assertThat(Keys.operation("cli", "r", "price", "q-1", 7L, "v1:ab").text())
                .isEqualTo("op:cli:r:price:q-1:7:v1%3Aab");
        assertThat(Keys.job(ACME, "mail", "send", "u:1").text()).isEqualTo("job:acme:mail:send:u%3A1");
        assertThat(Keys.job(ACME, "mail", "send", utf8("abc")).text()).isEqualTo("job:acme:mail:send:#" + ABC);
        assertThat(Keys.event("rp", "c", "m").text()).isEqualTo("evt:rp:c:m");
        assertThat(Keys.action("reply", "c", "t", "e").text()).isEqualTo("act:reply:c:t:e");
        assertThat(Keys.action("reply", "c", null, "e").text()).isEqualTo("act:reply:c:*:e");
    }

    @Test
    void unreservedCharactersStayAndAllOthersAreEncodedAsUtf8() {
        assertThat(Keys.messageId("azAZ09-._~").text()).isEqualTo("msg:azAZ09-._~");
        assertThat(Keys.messageId("*#%:/\u0000\u00e9\u20ac\ud83d\ude00").text())
                .isEqualTo("msg:%2A%23%25%3A%2F%00%C3%A9%E2%82%AC%F0%9F%98%80");
    }

    @Test
    void absentAndEmptyPartsAreDifferent() {
        assertThat(Set.of(
                        Keys.composite("m", null, null),
                        Keys.composite("m", "", null),
                        Keys.composite("m", null, ""),
                        Keys.composite("m", "", ""),
                        Keys.composite("m", "*", ""),
                        Keys.composite(null, "m", null)))
                .hasSize(6);
        assertThat(Keys.composite("m", null, "").text()).isEqualTo("mcu:m:*:");
        assertThat(Keys.operation("s", null, "a", "id", null, null).text()).isEqualTo("op:s:*:a:id:*:*");
    }

    @Test
    void longKeyBecomesAHashUnderTheSamePrefix() {
        assertThat(Keys.messageId("m".repeat(251)).text()).isEqualTo("msg:" + "m".repeat(251));
        String hashed = Keys.messageId("m".repeat(252)).text();
        assertThat(hashed).matches("msg:#[0-9a-f]{64}");
        assertThat(Keys.messageId("m".repeat(253)).text()).isNotEqualTo(hashed);
        assertThat(Keys.messageId("m".repeat(252)).text()).isEqualTo(hashed);
        assertThat(Keys.messageId(hashed.substring(4)).text()).isNotEqualTo(hashed);
        assertThat(Keys.event("s", "c", "m".repeat(10_000)).text()).matches("evt:#[0-9a-f]{64}");
    }

    @Test
    void partsThatMustTellCallsApartMayNotBeEmpty() {
        refused("message id", () -> Keys.messageId(""));
        refused("message, correlation and user", () -> Keys.composite(null, null, null));
        refused("message, correlation and user", () -> Keys.composite("", null, ""));
        refused("empty", () -> Keys.clientGiven(""));
        refused("source", () -> Keys.operation("", "r", "a", null, null, null));
        refused("action", () -> Keys.operation("s", "r", "", null, null, null));
        refused("payload hash", () -> Keys.operation("s", null, "a", "", 1L, null));
        refused("queue", () -> Keys.job(ACME, "", "t", "r"));
        refused("type", () -> Keys.job(ACME, "q", "", new byte[1]));
        refused("resource", () -> Keys.job(ACME, "q", "t", ""));
        refused("source", () -> Keys.event("", "c", "m"));
        refused("conversation", () -> Keys.event("s", "", "m"));
        refused("message", () -> Keys.event("s", "c", ""));
        refused("event", () -> Keys.action("a", "c", "t", ""));
        refused("scope", () -> Keys.textInBucket("", "t", MINUTE, Instant.EPOCH));
        refused("blank", () -> Keys.textInBucket("c", " \n\u00a0", MINUTE, Instant.EPOCH));
    }

    @Test
    void textThatUtf8CannotCarryIsRejected() {
        refused("message id has half of a surrogate pair", () -> Keys.messageId("\ud800"));
        refused("content", () -> Keys.contentHash("a\udc00"));
        refused("surrogate", () -> Keys.clientGiven("\ud800"));
        refused("text", () -> Keys.textInBucket("c", "\ud800", MINUTE, Instant.EPOCH));
    }

    @Test
    void clientKeyIsFoundByItsNameInAnyCase() {
        assertThat(Keys.clientGiven(Map.of("idempotency-KEY", "k", "other", "x"), "Idempotency-Key"))
                .contains(Keys.clientGiven("k"));
        assertThat(Keys.clientGiven(Map.of("other", "x"), "Idempotency-Key")).isEmpty();
        refused(
                "Idempotency-Key\" was given 2 times",
                () -> Keys.clientGiven(Map.of("Idempotency-Key", "a", "idempotency-key", "a"), "Idempotency-Key"));
    }

    @Test
    void clientCannotForgeAKeyOfAnotherKind() {
        assertThat(Keys.clientGiven("msg:1")).isNotEqualTo(Keys.messageId("1"));
    }

    @Test
    void clientsKeyHasOneTo255Characters() {
        assertThat(Keys.clientGiven("k".repeat(255)).text()).matches("key:#[0-9a-f]{64}");
        refused("256 characters", () -> Keys.clientGiven("k".repeat(256)));
        refused("10000 characters", () -> Keys.clientGiven("k".repeat(10_000)));
    }

    @Test
    void jsonHashIsOfTheMeaning() {
        Key key = Keys.jsonHash(utf8("{\"a\":1,\"b\":2}"));
        assertThat(key.text()).matches("json:#[0-9a-f]{64}");
        assertThat(Keys.jsonHash(utf8("{\"b\":2.0, \"a\":1, \"retry\":3}"), "retry"))
                .isEqualTo(key);
        assertThat(Keys.jsonHash(utf8("{\"b\":2,\"a\":2}"))).isNotEqualTo(key);
        refused("content hash", () -> Keys.jsonHash(utf8("{")));
    }

    @Test
    void textInABucketNamesItsNeighboursAndItsLock() {
        Key key = Keys.textInBucket("c:1", "abc", MINUTE, Instant.ofEpochSecond(119));
        assertThat(key.text()).isEqualTo("txt:c%3A1:#" + ABC + ":60000:1");
        assertThat(key.lock()).isEqualTo("txt:c%3A1:#" + ABC);
        assertThat(key.neighbours())
                .containsExactly("txt:c%3A1:#" + ABC + ":60000:0", "txt:c%3A1:#" + ABC + ":60000:2");
        assertThat(Keys.textInBucket("c", "abc", MINUTE, Instant.ofEpochMilli(-1))
                        .text())
                .endsWith(":-1");
    }

    @Test
    void textsAreComparedWithoutRegardToWhiteSpaceAndUnicodeForm() {
        Key key = Keys.textInBucket("c", "caf\u00e9 au lait", MINUTE, Instant.EPOCH);
        assertThat(Keys.textInBucket("c", "  cafe\u0301\r\n\tau\u00a0 lait ", MINUTE, Instant.EPOCH))
                .isEqualTo(key);
        assertThat(Keys.textInBucket("c", "Caf\u00e9 au lait", MINUTE, Instant.EPOCH))
                .isNotEqualTo(key);
        assertThat(Keys.textInBucket("d", "caf\u00e9 au lait", MINUTE, Instant.EPOCH))
                .isNotEqualTo(key);
    }

    @Test
    void bucketsWidthAndTimeMustBeCountable() {
        refused("width", () -> Keys.textInBucket("c", "t", Duration.ZERO, Instant.EPOCH));
        refused("width", () -> Keys.textInBucket("c", "t", Duration.ofNanos(1), Instant.EPOCH));
        refused("width", () -> Keys.textInBucket("c", "t", MINUTE.negated(), Instant.EPOCH));
        refused("width", () -> Keys.textInBucket("c", "t", Duration.ofSeconds(Long.MAX_VALUE), Instant.EPOCH));
        refused("too far off", () -> Keys.textInBucket("c", "t", MINUTE, Instant.MAX));
        refused(
                "too far off",
                () -> Keys.textInBucket("c", "t", Duration.ofMillis(1), Instant.ofEpochMilli(Long.MAX_VALUE)));
    }
}
