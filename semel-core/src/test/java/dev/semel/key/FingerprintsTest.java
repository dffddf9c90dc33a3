package dev.semel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Operation;
import dev.semel.SemelException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FingerprintsTest {
    private static final Operation.Atomic<Map<?, ?>, Void> PAY = operation();
    private static final Operation.Atomic<byte[], Void> RAW = Operation.atomic("raw", byte[].class, Void.class);

    @SuppressWarnings("unchecked")
    private static Operation.Atomic<Map<?, ?>, Void> operation() {
        return Operation.atomic("pay", (Class<Map<?, ?>>) (Class<?>) Map.class, Void.class);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Fingerprint of(Operation<?, ?> operation, byte @Nullable [] payload) {
        return Fingerprints.of(operation.definition(), payload);
    }

    private static boolean matches(Fingerprint stored, Operation<?, ?> operation, byte @Nullable [] payload) {
        return Fingerprints.matches(stored, operation.definition(), payload);
    }

    @Test
    void wayJsonIsWrittenDoesNotCount() {
        Fingerprint stored = of(PAY, utf8("{\"a\":1,\"b\":[2.50]}"));
        assertThat(of(PAY, utf8("{ \"b\":[25e-1], \"a\":1.0 }")))
                .isEqualTo(stored)
                .hasSameHashCodeAs(stored);
        assertThat(matches(stored, PAY, utf8("{ \"b\":[25e-1], \"a\":1.0 }"))).isTrue();
        assertThat(matches(stored, PAY, utf8("{\"a\":1,\"b\":[2.51]}"))).isFalse();
    }

    @Test
    void largeIntegersThatADoubleWouldMergeStayApart() {
        assertThat(matches(of(PAY, utf8("[9007199254740993]")), PAY, utf8("[9007199254740992]")))
                .isFalse();
    }

    @Test
    void transportFieldsDoNotCount() {
        Operation<?, ?> operation = PAY.withTransportFields("retry", "receivedAt");
        Fingerprint stored = of(operation, utf8("{\"a\":1,\"retry\":0,\"receivedAt\":\"now\"}"));
        assertThat(matches(stored, operation, utf8("{\"retry\":7,\"a\":1}"))).isTrue();
        assertThat(matches(stored, operation, utf8("{\"retry\":0,\"a\":2}"))).isFalse();
    }

    @Test
    void bytesCountAsTheyAre() {
        Fingerprint stored = of(RAW, utf8("{\"a\":1}"));
        assertThat(matches(stored, RAW, utf8("{\"a\":1}"))).isTrue();
        assertThat(matches(stored, RAW, utf8("{\"a\": 1}"))).isFalse();
        assertThat(of(RAW, new byte[] {(byte) 0xff, 0})).isNotEqualTo(of(RAW, new byte[] {(byte) 0xff}));
    }

    @Test
    void noPayloadAnEmptyOneNullAndEqualBytesOfAnotherKindAreAllDifferent() {
        assertThat(Set.of(
                        of(PAY, null),
                        of(RAW, new byte[0]),
                        of(PAY, utf8("null")),
                        of(RAW, utf8("null")),
                        of(PAY, utf8("\"\""))))
                .hasSize(5);
        assertThat(of(PAY, null)).isEqualTo(of(RAW, null));
    }

    @Test
    void versionOneIsFixedForEver() {
        assertThat(of(PAY, utf8("{\"a\":1}")))
                .hasToString("v1:d354e0f24e04c3fb4c563808e65db3b9b35b4470300c932cc08388737bfdb1cb");
        assertThat(of(PAY, utf8("{\"a\":1}")).bytes()).startsWith(1, 0, 1).hasSize(35);
    }

    @Test
    void versionTwoIsFixedForEver() {
        Operation<?, ?> declared = PAY.withNullsAsAbsent().withDefault("b", 2);
        assertThat(of(declared, utf8("{\"a\":1}")))
                .hasToString("v2:5dabb69382624f02067e55aa1efd925b5b44e09153a54f726fa9c2735affdc9a");
        assertThat(of(declared, utf8("{\"a\":1,\"c\":null,\"b\":2}"))).isEqualTo(of(declared, utf8("{\"a\":1}")));
    }

    @Test
    void defaultIsTextANumberOrABoolean() {
        assertThatThrownBy(() -> PAY.withDefault("b", Map.of()))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("the field b");
    }

    @Test
    void fingerprintOfRulesNotKnownHereIsRejected() {
        byte[] bytes = of(PAY, null).bytes();
        bytes[0] = 9;
        assertThatThrownBy(() -> matches(Fingerprint.of(bytes), PAY, null))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("pay")
                .hasMessageContaining("v9")
                .hasMessageContaining("v2");
    }

    @Test
    void damagedFingerprintIsRejected() {
        assertThatThrownBy(() -> Fingerprint.of(new byte[34]))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("34");
    }

    @Test
    void payloadThatIsNotJsonIsRejectedByTheNameOfItsOperation() {
        assertThatThrownBy(() -> of(PAY, utf8("no")))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("The JSON of pay");
    }
}
