package dev.semel.server.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Failure.Category;
import dev.semel.operator.UnresolvedMessages;
import dev.semel.server.config.DestinationConfig.EgressRules;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Deliveries from a ledger to a real server: what the engine makes of their failures. */
class DeliveryThroughLedgerTest {

    private static Category category(Row row) {
        return Objects.requireNonNull(UnresolvedMessages.failure(row)).category();
    }

    @Test
    void failedDeliveryIsRetriedUnderTheSameKeyWithAHigherFence() {
        AtomicInteger requests = new AtomicInteger();
        try (RawServer server =
                        RawServer.answering(any -> RawServer.answer(requests.incrementAndGet() == 1 ? 503 : 200, ""));
                DeliveryNode node = DeliveryNode.start(server.url())) {
            node.send("a");
            node.work();
            assertThat(node.row("a").state()).isEqualTo(State.FAILED_RETRYABLE);
            node.pass(DeliveryNode.DELAY);
            assertThat(node.row("a").state()).isEqualTo(State.COMPLETED);
            List<RawServer.ReceivedPost> posts = server.received();
            assertThat(posts).hasSize(2);
            assertThat(posts.get(0).header("idempotency-key"))
                    .isEqualTo(posts.get(1).header("idempotency-key"))
                    .isEqualTo(node.row("a").id().downstreamKey());
            assertThat(posts.get(0).header("semel-attempt")).isEqualTo("1");
            assertThat(posts.get(1).header("semel-attempt")).isEqualTo("2");
            assertThat(Long.parseLong(posts.get(1).header("semel-fence")))
                    .isGreaterThan(Long.parseLong(posts.get(0).header("semel-fence")));
        }
    }

    @Test
    void rejectedCredentialsPauseTheChannelAndSpendNoAttempt() {
        try (RawServer server = RawServer.answering(403);
                DeliveryNode node = DeliveryNode.start(server.url())) {
            node.send("a");
            node.work();
            Row row = node.row("a");
            assertThat(row.state()).isEqualTo(State.QUEUED);
            assertThat(row.status().attempt()).isZero();
            assertThat(node.pauses())
                    .singleElement()
                    .extracting(Switchboard.Pause::reason)
                    .isEqualTo("destination crm answered HTTP 403.");
            node.send("b");
            node.work();
            assertThat(server.received()).hasSize(1);
        }
    }

    @Test
    void goneIsADeadLetterAfterOneAttempt() {
        try (RawServer server = RawServer.answering(410);
                DeliveryNode node = DeliveryNode.start(server.url())) {
            node.send("a");
            node.pass(Duration.ofDays(1));
            assertThat(node.row("a").state()).isEqualTo(State.FAILED_TERMINAL);
            assertThat(category(node.row("a"))).isEqualTo(Category.NOT_FOUND);
            assertThat(server.received()).hasSize(1);
        }
    }

    @Test
    void g1_deniedAddressIsADeadLetterAndIsNotRetried() {
        try (RawServer server = RawServer.answering(200);
                DeliveryNode node = DeliveryNode.start(server.url(), new EgressRules(true, List.of()), null)) {
            node.send("a");
            node.pass(Duration.ofDays(1));
            assertThat(node.row("a").state()).isEqualTo(State.FAILED_TERMINAL);
            assertThat(category(node.row("a"))).isEqualTo(Category.DISABLED);
            assertThat(server.connections()).isZero();
        }
    }

    @Test
    void retryAfterIsTheShortestPause() {
        AtomicInteger requests = new AtomicInteger();
        try (RawServer server = RawServer.answering(any -> requests.incrementAndGet() == 1
                        ? RawServer.answer(429, "", "Retry-After: 3000\r\n")
                        : RawServer.answer(200, ""));
                DeliveryNode node = DeliveryNode.start(server.url())) {
            node.send("a");
            node.work();
            node.pass(Duration.ofSeconds(2_999));
            assertThat(server.received()).hasSize(1);
            node.pass(Duration.ofSeconds(1));
            assertThat(server.received()).hasSize(2);
            assertThat(node.row("a").state()).isEqualTo(State.COMPLETED);
        }
    }

    @Test
    void g5_endlessRetryAfterEndsAsADeadLetter() {
        for (String value : List.of("99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT")) {
            try (RawServer server =
                            RawServer.answering(any -> RawServer.answer(503, "", "Retry-After: " + value + "\r\n"));
                    DeliveryNode node = DeliveryNode.start(server.url())) {
                node.send("a");
                node.pass(Duration.ofDays(1));
                assertThat(node.row("a").state()).isEqualTo(State.FAILED_TERMINAL);
                assertThat(category(node.row("a"))).isEqualTo(Category.RATE_LIMITED);
                assertThat(server.received()).hasSize(1);
            }
        }
    }

    @Test
    void g5_meaninglessRetryAfterIsRetriedByThePolicy() {
        for (String value : List.of("-5", "soon", "1.5")) {
            AtomicInteger requests = new AtomicInteger();
            try (RawServer server = RawServer.answering(any -> requests.incrementAndGet() == 1
                            ? RawServer.answer(503, "", "Retry-After: " + value + "\r\n")
                            : RawServer.answer(200, ""));
                    DeliveryNode node = DeliveryNode.start(server.url())) {
                node.send("a");
                node.work();
                assertThat(server.received()).hasSize(1);
                node.pass(DeliveryNode.DELAY);
                assertThat(node.row("a").state()).isEqualTo(State.COMPLETED);
            }
        }
    }
}
