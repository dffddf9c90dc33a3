package dev.semel.examples.desk.quotes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Key;
import dev.semel.examples.desk.quotes.Command.Target;
import dev.semel.examples.desk.shared.Asked;
import dev.semel.key.Fingerprints;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Sections 3.1 and 3.3: the six dimensions of an operation key, and what a payload's hash leaves out. */
class OperationKeyTest {
    private static final Asked ASKED = new Asked("slack_slash", "t1", "ada", "deals", "c-1");
    private static final Change CHANGE = new Change("Q-1", 1, ASKED);

    private static Key key(Asked asked, String quote, long version, Change payload) {
        return Commands.key(
                Quotes.PRICE, new Command(Action.PRICE, asked, new Target(quote, version), Map.of()), payload);
    }

    private static final Key FIRST = key(ASKED, "Q-1", 1, CHANGE);

    @Test
    void section3_1_eachDimensionMakesAnotherKey() {
        Command command = new Command(Action.PRICE, ASKED, new Target("Q-1", 1L), Map.of());
        List<Key> others = List.of(
                key(new Asked("cli", "t1", "ada", "deals", "c-1"), "Q-1", 1, CHANGE),
                key(new Asked("slack_slash", "t2", "ada", "deals", "c-1"), "Q-1", 1, CHANGE),
                Commands.key(Quotes.ROUTE, command, CHANGE),
                key(ASKED, "Q-2", 1, CHANGE),
                key(ASKED, "Q-1", 2, CHANGE),
                key(ASKED, "Q-1", 1, new Change("Q-1", 7, ASKED)));
        assertThat(others).doesNotContain(FIRST).doesNotHaveDuplicates();
        assertThat(key(ASKED, "Q-1", 1, CHANGE)).isEqualTo(FIRST);
    }

    @Test
    void section3_3_orderOfFieldsDoesNotCount() {
        byte[] one = "{\"quote\":\"Q-1\",\"version\":1}".getBytes(StandardCharsets.UTF_8);
        byte[] other = "{ \"version\": 1.0, \"quote\": \"Q-1\" }".getBytes(StandardCharsets.UTF_8);
        assertThat(Fingerprints.of(Quotes.PRICE.definition(), one))
                .isEqualTo(Fingerprints.of(Quotes.PRICE.definition(), other));
    }

    @Test
    void section3_3_transportMetadataDoesNotCount() {
        Asked elsewhere = new Asked("slack_slash", "t1", "ada", "deals", "another correlation id");
        assertThat(key(elsewhere, "Q-1", 1, new Change("Q-1", 1, elsewhere))).isEqualTo(FIRST);
    }

    @Test
    void section3_3_schemaVersionIsInTheHash() {
        Command command = new Command(Action.PRICE, ASKED, new Target("Q-1", 1L), Map.of());
        assertThat(Commands.key(Quotes.PRICE.withSchemaVersion(2), command, CHANGE))
                .isNotEqualTo(FIRST);
    }
}
