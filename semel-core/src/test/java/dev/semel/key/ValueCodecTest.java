package dev.semel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.SemelException;
import java.io.IOException;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

class ValueCodecTest {
    private static final int MEGABYTE = 1 << 20;

    private final ValueCodec codec = new ValueCodec(2 * MEGABYTE);

    record Line(String sku, int count) {}

    record Order(String id, BigDecimal total, Instant at, Duration took, Optional<String> note, List<Line> lines) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Card.class, name = "card"),
        @JsonSubTypes.Type(value = Cash.class, name = "cash")
    })
    sealed interface Means permits Card, Cash {}

    record Card(String number) implements Means {}

    record Cash(int coins) implements Means {}

    static class Plain {
        public int a = 1;
    }

    static final class Extended extends Plain {
        public int b = 2;
    }

    static final class Loop {
        public Loop self = this;
    }

    private <T> void roundTrips(@Nullable T value, Class<T> type) {
        assertThat(codec.decode(codec.encode(value, type), type)).isEqualTo(value);
    }

    @Test
    void valuesOfEveryKindComeBack() {
        roundTrips(
                new Order(
                        "o-1",
                        new BigDecimal("10.10"),
                        Instant.parse("2026-01-02T03:04:05.678901Z"),
                        Duration.ofMillis(1500),
                        Optional.empty(),
                        List.of(new Line("a\u0000\ud83d\ude00", Integer.MIN_VALUE))),
                Order.class);
        roundTrips("", String.class);
        roundTrips("text \u0000 \ud83d\ude00", String.class);
        roundTrips("half a pair \ud800", String.class);
        roundTrips(9007199254740993L, Long.class);
        roundTrips(true, Boolean.class);
        roundTrips(new byte[0], byte[].class);
        roundTrips(new byte[] {0, -1, 127}, byte[].class);
        roundTrips(new Card("4111"), Means.class);
        roundTrips(new Cash(3), Means.class);
        roundTrips(DayOfRest.SUNDAY, DayOfRest.class);
    }

    enum DayOfRest {
        SUNDAY
    }

    @Test
    void nothingIsKeptForNullAndForVoid() {
        assertThat(codec.encode(null, Order.class)).isNull();
        assertThat(codec.encode(null, byte[].class)).isNull();
        assertThat(codec.encode(null, Void.class)).isNull();
        assertThat(codec.decode(null, Void.class)).isNull();
        assertThat(codec.decode(null, String.class)).isNull();
        assertThat(codec.decode(null, byte[].class)).isNull();
    }

    @Test
    void megabyteIsReadBack() {
        roundTrips("x".repeat(MEGABYTE), String.class);
        roundTrips(new byte[MEGABYTE], byte[].class);
    }

    @Test
    void writtenValuesCanBeRead() {
        roundTrips(BigInteger.TEN.pow(5_000), BigInteger.class);
        roundTrips(Map.of("n".repeat(100_000), 1), Object.class);
    }

    @Test
    void bytesAreKeptApartFromTheCallersArray() {
        byte[] given = {1, 2, 3};
        byte[] kept = codec.encode(given, byte[].class);
        given[0] = 9;
        assertThat(kept).containsExactly(1, 2, 3);
        byte[] read = codec.decode(kept, byte[].class);
        assertThat(read).containsExactly(1, 2, 3);
        read[0] = 9;
        assertThat(kept).containsExactly(1, 2, 3);
    }

    @Test
    void fieldsOfASubclassAreWritten() {
        assertThat(codec.encode(new Extended(), Plain.class))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("{\"a\":1,\"b\":2}");
    }

    @Test
    void valueAtTheLimitIsKeptAndOneOverItIsRejected() {
        ValueCodec small = new ValueCodec(10);
        assertThat(small.encode("12345678", String.class)).hasSize(10);
        assertThat(small.encode(new byte[10], byte[].class)).hasSize(10);
        assertThatThrownBy(() -> small.encode("123456789", String.class))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessage(
                        "A value of java.lang.String takes 11 bytes: at most 10 are kept. Make it smaller, raise the"
                                + " limit, or keep it elsewhere and pass a reference to it.");
        assertThatThrownBy(() -> small.encode(new byte[11], byte[].class))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("byte[] takes 11 bytes");
    }

    @Test
    void storedValueIsReadAfterTheLimitWasLowered() {
        byte[] stored = codec.encode("long enough", String.class);
        assertThat(new ValueCodec(1).decode(stored, String.class)).isEqualTo("long enough");
    }

    @Test
    void limitOfNothingIsRejected() {
        assertThatThrownBy(() -> new ValueCodec(0))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("0 bytes");
    }

    @Test
    void valueWithoutAJsonFormIsRejected() {
        assertThatThrownBy(() -> codec.encode(new Loop(), Loop.class))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("ValueCodecTest$Loop cannot be written as JSON at ");
    }

    @Test
    void storedBytesOfAnotherTypeAreRejectedWithThePlaceAndWithoutTheContent() {
        byte[] stored = "{\"sku\":\"a\",\n\"count\":\"secret\"}".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> codec.decode(stored, Line.class))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("ValueCodecTest$Line")
                .hasMessageContaining("count")
                .hasMessageContaining("line 2")
                .message()
                .doesNotContain("secret");
        for (String bad : new String[] {"", "{", "{} {}", "nonsense"}) {
            assertThatThrownBy(() -> codec.decode(bad.getBytes(StandardCharsets.UTF_8), Line.class))
                    .isInstanceOf(SemelException.Invalid.class);
        }
    }

    @Test
    void fieldsThatTheTypeNoLongerHasAreIgnored() {
        byte[] stored = "{\"sku\":\"a\",\"count\":2,\"colour\":\"red\"}".getBytes(StandardCharsets.UTF_8);
        assertThat(codec.decode(stored, Line.class)).isEqualTo(new Line("a", 2));
    }

    @Test
    void typesWithArgumentsComeBackWithTheirElements() {
        var orders = new Operation.TypeRef<List<Line>>() {};
        assertThat(codec.decode(codec.encode(List.of(new Line("a", 1)), orders), orders))
                .containsExactly(new Line("a", 1));
        var bySku = new Operation.TypeRef<Map<String, List<Line>>>() {};
        assertThat(codec.decode(codec.encode(Map.of("a", List.of(new Line("a", 1))), bySku), bySku))
                .containsEntry("a", List.of(new Line("a", 1)));
        var means = new Operation.TypeRef<List<Means>>() {};
        assertThat(codec.decode(codec.encode(List.of(new Card("4111"), new Cash(3)), means), means))
                .containsExactly(new Card("4111"), new Cash(3));
        var lines = new Operation.TypeRef<Optional<Line>[]>() {};
        byte[] stored = "[null]".getBytes(StandardCharsets.UTF_8);
        assertThat(codec.decode(stored, lines)).hasSize(1);
    }

    @Test
    void elementsAreWrittenAsTheirDeclaredClass() {
        var all = new Operation.TypeRef<List<Plain>>() {};
        assertThat(codec.encode(List.of(new Extended()), all))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("[{\"a\":1}]");
    }

    @Test
    void storedBytesOfAnotherTypeWithArgumentsAreRejected() {
        byte[] stored = "[{\"sku\":7,\"count\":\"secret\"}]".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> codec.decode(stored, new Operation.TypeRef<List<Line>>() {}))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("java.util.List<dev.semel.key.ValueCodecTest$Line>")
                .message()
                .doesNotContain("secret");
    }

    /** Writes the number of a count, and reads what it is told to. */
    private record Counting(Object reads) implements Semel.Codec {
        @Override
        public byte[] encode(Object value, Type type) throws IOException {
            if (value instanceof Integer count) {
                return String.valueOf(count).getBytes(StandardCharsets.UTF_8);
            }
            throw new IOException("secret");
        }

        @Override
        public Object decode(byte[] json, Type type) throws IOException {
            if (reads instanceof Error error) {
                throw error;
            } else if (reads instanceof IOException exception) {
                throw exception;
            }
            return reads;
        }
    }

    @Test
    void customCodecHandlesEverythingButBytesAndSemelsOwnValues() {
        ValueCodec other = new ValueCodec(MEGABYTE, new Counting(7));
        assertThat(other.encode(3, Integer.class))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("3");
        assertThat(other.decode(new byte[] {'3'}, Integer.class)).isEqualTo(7);
        assertThat(other.decode(new byte[] {'3'}, int.class)).isEqualTo(7);
        assertThat(other.encode(null, Integer.class)).isNull();
        assertThat(other.encode(new byte[] {1}, byte[].class)).containsExactly(1);
        assertThat(other.decode(new byte[] {1}, byte[].class)).containsExactly(1);
        assertThat(other.decode(other.encode(new Kept(5), Kept.class), Kept.class))
                .isEqualTo(new Kept(5));
    }

    record Kept(int count) implements ValueCodec.Own {}

    @Test
    void exceptionOfACustomCodecNamesTheTypeAndNotTheContent() {
        assertThatThrownBy(() -> new ValueCodec(MEGABYTE, new Counting(7)).encode("text", String.class))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining(
                        "A value of java.lang.String cannot be written: the codec throws java.io.IOException")
                .message()
                .doesNotContain("secret");
        for (Object thrown : List.of(new IOException("secret"), new AssertionError("secret"), "not a number")) {
            assertThatThrownBy(() ->
                            new ValueCodec(MEGABYTE, new Counting(thrown)).decode(new byte[] {'3'}, Integer.class))
                    .isInstanceOf(SemelException.Invalid.class)
                    .hasMessageContaining("1 stored bytes cannot be read as java.lang.Integer")
                    .message()
                    .doesNotContain("secret");
        }
    }

    @Test
    void mapperOfTheApplicationsOwnIsUsed() {
        JsonMapper capital = JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.UPPER_CAMEL_CASE)
                .build();
        ValueCodec own = new ValueCodec(MEGABYTE, JacksonCodec.of(capital));
        byte[] written = own.encode(new Line("a", 1), Line.class);
        assertThat(written).asString(StandardCharsets.UTF_8).isEqualTo("{\"Sku\":\"a\",\"Count\":1}");
        assertThat(own.decode(written, Line.class)).isEqualTo(new Line("a", 1));
    }
}
