package dev.semel.server.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.semel.Policy;
import dev.semel.audit.AuditEvent;
import dev.semel.audit.EventType;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.State;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A destination that keeps failing is switched off, on all nodes, and only by deliveries that nobody asked for by hand. */
class DestinationHealthTest {
    private static final Duration LIMIT = Duration.ofHours(1);
    private static final Warrant WARRANT = new Warrant("ann", "it is mended");

    private final AtomicInteger status = new AtomicInteger(500);
    private final RawServer server = RawServer.answering(any -> RawServer.answer(status.get(), ""));

    private DeliveryNode node() {
        return DeliveryNode.start(server.url(), Destinations.LOOPBACK, LIMIT);
    }

    @Test
    void destinationThatFailsTooLongIsSwitchedOffForAllNodesWithAReason() {
        Logger logger = (Logger) LoggerFactory.getLogger(DestinationHealth.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        logger.setLevel(Level.WARN);
        try (server;
                DeliveryNode node = node();
                DeliveryNode other = node.another()) {
            node.send("a");
            node.work();
            Instant since = node.now();
            node.workFor(Duration.ofMinutes(50));
            assertThat(node.pauses()).isEmpty();
            assertThat(node.health()).isEqualTo(new DestinationHealth.HealthState(6, since, null, node.now()));
            node.workFor(Duration.ofMinutes(10));
            assertThat(other.pauses()).singleElement().satisfies(pause -> {
                assertThat(pause.operation()).isEqualTo("deliver.crm");
                assertThat(pause.tenant()).isNull();
                assertThat(pause.probeMillis()).isZero();
                assertThat(pause.reason())
                        .isEqualTo("destination crm was switched off: every delivery since " + since
                                + " failed. The last failure: destination crm answered HTTP 500.");
            });
            int before = server.received().size();
            node.workFor(Duration.ofHours(5));
            other.workFor(Duration.ofHours(5));
            assertThat(server.received()).hasSize(before);
            assertThat(node.row("a").state()).isEqualTo(State.FAILED_RETRYABLE);
            List<AuditRow> events = node.operator()
                    .events(AuditFilter.ofType(EventType.CHANNEL_PAUSED.code()), AuditRow.Position.END, 10);
            assertThat(events)
                    .singleElement()
                    .satisfies(
                            event -> assertThat(new AuditEvent(event).fields()).containsEntry("actor", "semel-server"));
            assertThat(log.list)
                    .singleElement()
                    .satisfies(line -> assertThat(line.getFormattedMessage())
                            .startsWith("Destination crm is switched off on all nodes: every delivery since ")
                            .contains("resume channel deliver.crm"));
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
        }
    }

    @Test
    void successBeginsAnew() {
        try (server;
                DeliveryNode node = node()) {
            node.send("a");
            node.work();
            node.workFor(Duration.ofMinutes(40));
            status.set(200);
            node.workFor(Duration.ofMinutes(10));
            assertThat(node.health().failures()).isZero();
            assertThat(node.health().failingSince()).isNull();
            assertThat(node.health().lastSuccess()).isEqualTo(node.now());
            status.set(500);
            node.send("b");
            node.work();
            node.workFor(Duration.ofMinutes(50));
            assertThat(node.pauses()).isEmpty();
            node.workFor(Duration.ofMinutes(20));
            assertThat(node.pauses()).hasSize(1);
        }
    }

    @Test
    void destinationWithoutALimitIsNeverSwitchedOff() {
        try (server;
                DeliveryNode node = DeliveryNode.start(server.url())) {
            node.send("a");
            node.work();
            node.workFor(Duration.ofDays(1));
            assertThat(node.pauses()).isEmpty();
            assertThat(node.health().failures()).isEqualTo(145);
        }
    }

    @Test
    void successOfAnotherNodeCounts() {
        try (server;
                DeliveryNode node = node();
                DeliveryNode other = node.another()) {
            node.send("a");
            node.work();
            node.workFor(Duration.ofMinutes(30));
            status.set(200);
            other.send("b");
            other.work();
            Instant success = node.now();
            status.set(500);
            node.workFor(Duration.ofMinutes(50));
            assertThat(node.pauses()).isEmpty();
            assertThat(node.health().failingSince()).isEqualTo(success);
            node.workFor(Duration.ofMinutes(10));
            assertThat(node.pauses()).hasSize(1);
        }
    }

    @Test
    void restartOfANodeDoesNotBeginAnew() {
        try (server;
                DeliveryNode node = node()) {
            node.send("a");
            node.work();
            Instant since = node.now();
            node.workFor(Duration.ofMinutes(40));
            try (DeliveryNode restarted = node.another()) {
                restarted.workFor(Duration.ofMinutes(10));
                assertThat(restarted.health().failingSince()).isEqualTo(since);
                assertThat(restarted.pauses()).isEmpty();
                restarted.workFor(Duration.ofMinutes(10));
                assertThat(restarted.pauses()).hasSize(1);
            }
        }
    }

    @Test
    void resumedChannelHasItsWholeTimeAgainOnEveryNode() {
        try (server;
                DeliveryNode node = node();
                DeliveryNode other = node.another()) {
            node.send("a");
            node.work();
            other.send("b");
            other.work();
            node.workFor(Duration.ofMinutes(60));
            assertThat(node.pauses()).hasSize(1);
            node.workFor(Duration.ofHours(2));
            node.operator().resume(node.channel(), null, WARRANT);
            other.workFor(Duration.ofMinutes(40));
            node.workFor(Duration.ofMinutes(10));
            assertThat(other.pauses()).isEmpty();
            other.workFor(Duration.ofMinutes(20));
            assertThat(other.pauses()).hasSize(1);
        }
    }

    @Test
    void replayByAnOperatorChangesNoHealthBeItGoodOrBad() {
        Policy twice = DeliveryNode.POLICY.toBuilder().withMaxAttempts(2).build();
        try (server;
                DeliveryNode node = DeliveryNode.start(server.url(), Destinations.LOOPBACK, LIMIT, twice)) {
            node.send("a");
            node.work();
            node.workFor(DeliveryNode.DELAY);
            assertThat(node.row("a").state()).isEqualTo(State.FAILED_TERMINAL);
            DestinationHealth.HealthState before = node.health();
            assertThat(before.failures()).isEqualTo(2);
            node.operator().replay(node.row("a").id(), WARRANT);
            node.workFor(Duration.ofHours(2));
            assertThat(server.received()).hasSize(4);
            assertThat(node.row("a").state()).isEqualTo(State.FAILED_TERMINAL);
            assertThat(node.health()).isEqualTo(before);
            assertThat(node.pauses()).isEmpty();
            status.set(200);
            node.operator().replay(node.row("a").id(), WARRANT);
            node.work();
            assertThat(node.row("a").state()).isEqualTo(State.COMPLETED);
            assertThat(node.health()).isEqualTo(before);
        }
    }

    @Test
    void failureOrSuccessOfAReplayIsNotReadFromTheAuditEither() {
        Policy once = DeliveryNode.POLICY.toBuilder().withMaxAttempts(1).build();
        try (server;
                DeliveryNode node = DeliveryNode.start(server.url(), Destinations.LOOPBACK, LIMIT, once)) {
            node.send("a");
            node.work();
            Instant since = node.now();
            status.set(200);
            node.pass(Duration.ofMinutes(10));
            node.operator().replay(node.row("a").id(), WARRANT);
            node.work();
            assertThat(node.row("a").state()).isEqualTo(State.COMPLETED);
            assertThat(DestinationHistory.read(node.operator(), node.channel()))
                    .isEqualTo(new DestinationHistory.PastDeliveries(null, since));
        }
    }
}
