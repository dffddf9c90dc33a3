package dev.semel.watch;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.semel.Failure.Category;
import dev.semel.key.Identity;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The log lines of a call, which need no watch. */
class CallLogTest extends LogFixture {
    CallLogTest() {
        super(CallLog.NAME);
    }

    private static Map<String, String> values(ILoggingEvent line) {
        Map<String, String> values = new TreeMap<>();
        line.getKeyValuePairs().forEach(pair -> values.put(pair.key, String.valueOf(pair.value)));
        return values;
    }

    private List<String> messages() {
        return lines.list.stream().map(ILoggingEvent::getMessage).toList();
    }

    @Test
    void firstCallIsAMissAndIsStoredWithItsTimeToLive() {
        engine.run(CHARGE, call("k").withCorrelationId("c-1"), (payload, tx) -> "done");
        assertThat(messages()).containsExactly("miss", "stored");
        String hash = Identity.of(ACME, "charge", dev.semel.Key.of("k")).id().prefix();
        assertThat(values(lines.list.get(0)))
                .isEqualTo(Map.of(
                        "tenant", "acme",
                        "operation", "charge",
                        "key_hash", hash,
                        "correlation_id", "c-1",
                        "attempt", "1"));
        assertThat(values(lines.list.get(1)))
                .isEqualTo(Map.of(
                        "tenant", "acme",
                        "operation", "charge",
                        "key_hash", hash,
                        "correlation_id", "c-1",
                        "answer", "executed",
                        "replayed", "false",
                        "ttl", "PT24H"));
    }

    @Test
    void duplicateIsAHit() {
        engine.run(REFUND, call("k"), (payload, run) -> "done");
        lines.list.clear();
        engine.run(REFUND, call("k"), (payload, run) -> "never");
        assertThat(messages()).containsExactly("hit");
        assertThat(values(lines.list.get(0)))
                .containsEntry("answer", "replayed")
                .containsEntry("replayed", "true");
    }

    @Test
    void callWithoutAStoredResultIsLoggedAsAnsweredOnce() {
        engine.run(CHARGE, call("k"), (payload, tx) -> {
            throw failing(Category.NETWORK);
        });
        assertThat(messages()).containsExactly("miss", "answered");
        assertThat(values(lines.list.get(1)))
                .containsEntry("answer", "retry_later")
                .doesNotContainKey("ttl");
    }

    @Test
    void nothingIsWrittenAboveDebug() {
        logger.setLevel(Level.INFO);
        new Scenario(engine, start(Watch.NONE), time, "k").play();
        assertThat(lines.list).isEmpty();
    }
}
