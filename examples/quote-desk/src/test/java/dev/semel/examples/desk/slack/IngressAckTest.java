package dev.semel.examples.desk.slack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.testkit.Scratch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Section 6, first row: what cannot be taken in fails at once, is not retried here and is never a dead letter. */
class IngressAckTest {
    @Test
    void row1_acknowledgementIsTriedOnceAndNeverADeadLetter() {
        String url = "sqlite:" + Scratch.directory("ack").resolve("ledger.db");
        AtomicInteger tries = new AtomicInteger();
        Envelope envelope = new Envelope("slash_commands", JsonMapper.shared().createObjectNode(), 0);
        try (Semel semel = Semel.open(url)) {
            Answer<Void> refused =
                    semel.run(SocketMode.RECEIVE, Call.of(Tenant.SINGLE, Key.of("e1"), envelope), (given, tx) -> {
                        tries.incrementAndGet();
                        throw new IllegalStateException("simulated");
                    });
            assertThat(refused.isResult()).isFalse();
            assertThat(tries).hasValue(1);
            assertThat(semel.status(SocketMode.RECEIVE, Tenant.SINGLE, Key.of("e1"))
                            .map(status -> status.state().name()))
                    .isNotEqualTo(java.util.Optional.of("FAILED_TERMINAL"));
        }
    }

    @Test
    void redeliveryWithAnotherRetryCounterIsTheSameEnvelope() {
        String url = "sqlite:" + Scratch.directory("ack").resolve("ledger.db");
        try (Semel semel = Semel.open(url)) {
            for (int i = 0; i < 2; i++) {
                Envelope envelope = new Envelope(
                        "slash_commands",
                        JsonMapper.shared().readTree(i == 0 ? "{\"a\":1,\"b\":2}" : "{\"b\":2,\"a\":1}"),
                        i);
                Answer<Void> answer = semel.run(
                        SocketMode.RECEIVE, Call.of(Tenant.SINGLE, Key.of("e1"), envelope), (given, tx) -> null);
                assertThat(answer).isInstanceOf(i == 0 ? Answer.Executed.class : Answer.Replayed.class);
            }
        }
    }
}
