package dev.semel.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Key.CallFacts;
import dev.semel.Key.Strategy;
import dev.semel.Tenant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Compositions of strategies: two calls share a key only if all parts are the same, whatever is in the parts. */
class KeyStrategiesPropertiesTest {
    private static final Tenant ACME = Tenant.of("acme");

    /** What could be mistaken for a separator, an absent part, a hash or a whole key. */
    @Provide
    Arbitrary<String> parts() {
        return Arbitraries.of(
                        ":", "*", "#", "%", "%3A", "%253A", "a", "A", "all", "all:", "val:a:b", "msg:a", "key:a", "\0",
                        "\u00e9", "e\u0301", "a:*")
                .list()
                .ofMinSize(1)
                .ofMaxSize(3)
                .map(list -> String.join("", list));
    }

    @Provide
    Arbitrary<List<String>> calls() {
        return parts().list().ofSize(3);
    }

    private static Key key(Strategy<List<String>> strategy, List<String> call) {
        return strategy.of(new CallFacts<>("op", ACME, call, Call.Origin.UNSTATED, Map.of()));
    }

    private static Strategy<List<String>> part(int place) {
        return KeyStrategies.value("part", call -> call.get(place));
    }

    private static Strategy<List<String>> id(int place) {
        return KeyStrategies.messageId(call -> call.get(place));
    }

    private static final List<Strategy<List<String>>> COMPOSED = List.of(
            KeyStrategies.all(part(0), part(1), part(2)),
            KeyStrategies.all(id(0), part(1), id(2)),
            KeyStrategies.all(part(0), KeyStrategies.all(part(1), part(2))),
            KeyStrategies.all(KeyStrategies.all(id(0), id(1)), id(2)),
            KeyStrategies.all(KeyStrategies.firstOf(part(0), id(0)), part(1).orElse(id(1)), part(2)));

    @Property
    void composedKeysAreEqualOnlyWhenAllPartsAre(
            @ForAll("calls") List<String> one, @ForAll("calls") List<String> other) {
        for (Strategy<List<String>> strategy : COMPOSED) {
            assertThat(key(strategy, one).equals(key(strategy, other))).isEqualTo(one.equals(other));
            assertThat(key(strategy, one)).isEqualTo(key(strategy, List.copyOf(one)));
        }
    }

    @Property
    void longComposedKeysAreEqualOnlyWhenAllPartsAre(
            @ForAll("calls") List<String> call, @ForAll @IntRange(min = 1, max = 100) int times) {
        List<String> longer = List.of(call.get(0).repeat(times), call.get(1), call.get(2));
        for (Strategy<List<String>> strategy : COMPOSED) {
            assertThat(key(strategy, call).equals(key(strategy, longer))).isEqualTo(times == 1);
            assertThat(key(strategy, longer).text()).matches("[!-~]{1,255}");
        }
    }

    @Property
    void keysOfAFirstAndOfItsFallbackNeverMeet(@ForAll("parts") String one, @ForAll("parts") String other) {
        Strategy<List<String>> either = new Strategy<List<String>>(
                        "only a first", facts -> call(facts).get(0).equals("id") ? id(1).find(facts) : Optional.empty())
                .orElse(part(1));
        assertThat(key(either, List.of("id", one)))
                .isNotEqualTo(key(either, List.of("no", other)))
                .isNotEqualTo(key(KeyStrategies.all(part(0), id(1)), List.of("id", one)));
    }

    private static List<String> call(CallFacts<? extends List<String>> facts) {
        List<String> payload = facts.payload();
        return payload == null ? List.of() : payload;
    }
}
