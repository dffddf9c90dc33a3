package dev.semel.server.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Failure.Category;
import dev.semel.Policy;
import dev.semel.audit.AuditEvent;
import dev.semel.store.State;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What came of each attempt is kept in the ledger: a restart loses none, and every node reads it. */
class AttemptRecordTest {
    private static List<AttemptRecord> attempts(DeliveryNode node) {
        return DestinationHistory.attempts(node.operator(), node.channel(), 10);
    }

    @Test
    void everyAttemptIsReadByAnotherNodeWithItsStatusItsTimeAndTheBeginningOfTheAnswer() {
        String body = "{\"token\":\"abcdef123\"}\u0007 " + "x".repeat(3_000);
        AtomicInteger requests = new AtomicInteger();
        try (RawServer server = RawServer.answering(any -> requests.incrementAndGet() == 1
                        ? RawServer.answer(500, body)
                        : RawServer.answer(200, "thanks\nfor it"));
                DeliveryNode node = DeliveryNode.start(server.url())) {
            node.send("a");
            node.work();
            node.pass(DeliveryNode.DELAY);
            assertThat(node.row("a").state()).isEqualTo(State.COMPLETED);
            try (DeliveryNode restarted = node.another()) {
                List<AttemptRecord> attempts = attempts(restarted);
                assertThat(attempts).hasSize(2).allSatisfy(attempt -> {
                    assertThat(attempt.record()).isEqualTo(node.row("a").id());
                    assertThat(attempt.duration()).isNotNull();
                });
                AttemptRecord second = attempts.get(0);
                assertThat(second.attempt()).isEqualTo(2);
                assertThat(second.ended()).isEqualTo(node.now());
                assertThat(second.result()).isEqualTo(new AttemptRecord.AttemptResult(200, null, "thanks\\nfor it"));
                AttemptRecord first = attempts.get(1);
                assertThat(first.attempt()).isEqualTo(1);
                assertThat(first.ended()).isEqualTo(node.now().minus(DeliveryNode.DELAY));
                assertThat(first.result().status()).isEqualTo(500);
                assertThat(first.result().failure()).isEqualTo(Category.UPSTREAM_ERROR);
                assertThat(first.result().answer())
                        .startsWith("{\"token\":\"***\"}")
                        .contains("xxx")
                        .doesNotContain("abcdef123", "\u0007")
                        .hasSizeLessThanOrEqualTo(1_024);
            }
        }
    }

    @Test
    void storyOfARecordTellsTheAnswerOfEachAttempt() {
        try (RawServer server = RawServer.answering(any -> RawServer.answer(503, "busy"));
                DeliveryNode node = DeliveryNode.start(server.url())) {
            node.send("a");
            node.work();
            assertThat(node.operator().story(node.row("a").id(), 10))
                    .filteredOn(event -> event.type().equals("retry.attempt"))
                    .singleElement()
                    .extracting(AuditEvent::details)
                    .satisfies(details -> assertThat(details)
                            .containsEntry("note.http_status", 503L)
                            .containsEntry("note.answer", "busy")
                            .containsKey("note.took_ms"));
        }
    }

    @Test
    void deathAfterTheLastAttemptIsOneAttempt() {
        Policy twice = DeliveryNode.POLICY.toBuilder().withMaxAttempts(2).build();
        try (RawServer server = RawServer.answering(any -> RawServer.answer(503, "busy"));
                DeliveryNode node = DeliveryNode.start(server.url(), Destinations.LOOPBACK, null, twice)) {
            node.send("a");
            node.work();
            node.pass(DeliveryNode.DELAY);
            assertThat(node.row("a").state()).isEqualTo(State.FAILED_TERMINAL);
            assertThat(attempts(node)).extracting(AttemptRecord::attempt).containsExactly(2, 1);
            assertThat(attempts(node).get(0).result())
                    .isEqualTo(new AttemptRecord.AttemptResult(503, Category.UPSTREAM_ERROR, "busy"));
        }
    }

    @Test
    void attemptWithoutAnAnswerTellsItsCategory() {
        RawServer gone = RawServer.answering(200);
        gone.close();
        try (DeliveryNode node = DeliveryNode.start(gone.url())) {
            node.send("a");
            node.work();
            assertThat(attempts(node))
                    .singleElement()
                    .extracting(AttemptRecord::result)
                    .isEqualTo(new AttemptRecord.AttemptResult(null, Category.NETWORK, ""));
        }
    }

    @Test
    void deadLetterOfOneAttemptIsRead() {
        try (RawServer server = RawServer.answering(any -> RawServer.answer(410, "gone"));
                DeliveryNode node = DeliveryNode.start(server.url())) {
            node.send("a");
            node.pass(Duration.ofDays(1));
            assertThat(attempts(node))
                    .singleElement()
                    .extracting(AttemptRecord::result)
                    .isEqualTo(new AttemptRecord.AttemptResult(410, Category.NOT_FOUND, "gone"));
        }
    }
}
