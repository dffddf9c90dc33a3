package dev.semel.server.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Failure;
import dev.semel.server.config.RouteConfig.Condition;
import dev.semel.server.config.RouteConfig.Test.Exists;
import dev.semel.server.config.RouteConfig.Test.In;
import dev.semel.server.config.RouteConfig.Test.Prefix;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class JsonConditionsTest {
    private static boolean holds(String body, Condition... conditions) {
        return JsonConditions.hold(List.of(conditions), JsonConditions.read(body.getBytes(StandardCharsets.UTF_8)));
    }

    private static Condition in(String pointer, String... values) {
        return new Condition(pointer, new In(Set.of(values)));
    }

    @Test
    void valueIsComparedAsTextWithEachOfSeveral() {
        assertThat(holds("{\"type\":\"paid\"}", in("/type", "paid", "void"))).isTrue();
        assertThat(holds("{\"type\":\"other\"}", in("/type", "paid", "void"))).isFalse();
        assertThat(holds("{\"live\":true,\"n\":12}", in("/live", "true"), in("/n", "12")))
                .isTrue();
    }

    @Test
    void objectsAndMissingValuesEqualNothing() {
        assertThat(holds("{\"type\":{}}", in("/type", ""))).isFalse();
        assertThat(holds("{}", in("/type", ""))).isFalse();
    }

    @Test
    void prefixHoldsForStringsOnly() {
        Condition invoices = new Condition("/type", new Prefix("1"));
        assertThat(holds("{\"type\":\"1.paid\"}", invoices)).isTrue();
        assertThat(holds("{\"type\":12}", invoices)).isFalse();
    }

    @Test
    void nullIsAValueThatExists() {
        Condition there = new Condition("/a/b", new Exists(true));
        Condition absent = new Condition("/a/b", new Exists(false));
        assertThat(holds("{\"a\":{\"b\":null}}", there)).isTrue();
        assertThat(holds("{\"a\":{}}", there)).isFalse();
        assertThat(holds("{\"a\":{}}", absent)).isTrue();
    }

    @Test
    void allConditionsMustHold() {
        assertThat(holds("{\"a\":1,\"b\":2}", in("/a", "1"), in("/b", "3"))).isFalse();
    }

    @Test
    void bodyThatIsNotJsonHasNoValues() {
        for (String body : List.of("", "payload=%7B%7D", "{\"a\":")) {
            assertThat(holds(body, in("/a", "1")))
                    .as(body.substring(0, Math.min(20, body.length())))
                    .isFalse();
            assertThat(holds(body, new Condition("/a", new Exists(false)))).isTrue();
        }
    }

    @Test
    void bodyThatExceedsALimitOfTheReaderFailsAndIsNotTakenForOneWithoutValues() {
        for (String body : List.of("[".repeat(100_000), "{\"a\":" + "1".repeat(5_000) + "}")) {
            assertThatThrownBy(() -> holds(body, in("/a", "1")))
                    .isInstanceOf(Failure.Thrown.class)
                    .hasMessageContaining("could not be tested");
        }
    }
}
