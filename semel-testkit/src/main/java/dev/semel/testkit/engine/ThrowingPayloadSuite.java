package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.store.State;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.deser.std.StdDeserializer;

/** A payload whose own type throws when it is read is left to other nodes, then dead; those claimed with it are handled. */
abstract class ThrowingPayloadSuite extends ChannelFixture {
    /** More than it takes until nobody is waited for any more who could read it. */
    private static final int ROUNDS = 12;

    ThrowingPayloadSuite(EngineContract contract) {
        super(contract);
    }

    /** Its constructor throws for bytes that only an older version would have written. */
    record Asserting(String text) {
        Asserting {
            if (text.endsWith("!")) {
                throw new AssertionError("simulated");
            }
        }
    }

    @JsonDeserialize(using = Reading.class)
    record Read(String text) {}

    static final class Reading extends StdDeserializer<Read> {
        Reading() {
            super(Read.class);
        }

        @Override
        public Read deserialize(JsonParser parser, DeserializationContext context) {
            String text = context.readTree(parser).path("text").stringValue();
            if (text.endsWith("!")) {
                throw new IllegalStateException("simulated");
            }
            return new Read(text);
        }
    }

    /** As it is on a node of the version before. */
    record Older(String text) {}

    private <T> void handles(Channel.Leased<T> channel, Function<T, String> text) {
        Channel.Leased<Older> before =
                Channel.leased(channel.name(), Older.class).withPolicy("steady");
        List<String> all = Stream.of("a", "b", "c", "bad", "d", "e", "f", "g").toList();
        all.forEach(key -> otherNode().send(before, message(key)));
        engine.handle(channel, (payload, run) -> handled.add(text.apply(payload)));
        for (int round = 0; round < ROUNDS; round++) {
            work();
            time.advance(LEASE.multipliedBy(20));
            engine.duties().sweeper().sweep();
        }
        assertThat(handled).containsExactlyInAnyOrder("a", "b", "c", "d", "e", "f", "g");
        assertThat(state(channel.operation(), "bad")).isEqualTo(State.FAILED_TERMINAL);
    }

    private static Message<Older> message(String key) {
        return Message.of(ACME, Key.of(key), new Older(key.equals("bad") ? "bad!" : key));
    }

    @Test
    void d13_payloadWhoseConstructorThrowsAnErrorStopsNoneBehindIt() {
        handles(Channel.leased("asserting", Asserting.class).withPolicy("steady"), Asserting::text);
    }

    @Test
    void d13_payloadWhoseDeserializerThrowsStopsNoneBehindIt() {
        handles(Channel.leased("read", Read.class).withPolicy("steady"), Read::text);
    }
}
