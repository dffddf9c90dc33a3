package dev.semel.examples.helpdesk;

import static dev.semel.examples.helpdesk.DeskFixture.ACT;
import static dev.semel.examples.helpdesk.DeskFixture.retryAfter;
import static dev.semel.examples.helpdesk.DeskFixture.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.examples.helpdesk.demo.Tickets.CustomerMessage;
import dev.semel.operator.ChannelState;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rule 5: what is retried, what is not, and after which delays. */
class RetryRulesTest {
    private static final int ATTEMPTS = 5;
    private static final long HOUR = Duration.ofHours(1).toMillis();

    @ParameterizedTest
    @EnumSource
    void rule5_1_serverErrorsAreRetried(Engine engine) throws Exception {
        List<Integer> statuses = List.of(500, 502, 503, 504);
        try (DeskFixture desk = new DeskFixture(engine)) {
            for (int status : statuses) {
                desk.tickets.fail("assign", "c" + status, status(status));
                desk.receive("c" + status, "m1", "I want a refund");
            }
            desk.awaitDone(3 * statuses.size());
            desk.assertHistoryHolds();
            assertThat(desk.tickets.calls("assign")).hasSize(2 * statuses.size());
            assertThat(desk.middleware().handovers()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule5_1_timeoutIsRetried(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine, Duration.ofSeconds(1))) {
            desk.tickets.fail("assign", "c1", status(200).withFixedDelay(10_000));
            desk.receive("c1", "m1", "I want a refund");
            desk.awaitDone(3);
            desk.assertHistoryHolds();
            assertThat(desk.ledger.audit(ACT, "retry.attempt"))
                    .isNotEmpty()
                    .allSatisfy(event -> assertThat(event).containsEntry("category", "timeout"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule5_1_lostConnectionIsRetriedUnderTheSameKey(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.tickets.loseAnswer("reply", "c1");
            desk.receive("c1", "m1", "I want a refund");
            desk.awaitDone(3);
            desk.assertHistoryHolds();
            assertThat(desk.tickets.calls("reply"))
                    .hasSize(2)
                    .extracting(call -> call.key())
                    .hasSameElementsAs(
                            List.of(desk.tickets.calls("reply").get(0).key()));
            assertThat(desk.applied("reply")).containsExactly("c1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule5_2_rejectedActionIsNotRetriedAndIsHandedToAHuman(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            for (int status : List.of(400, 404, 422)) {
                desk.tickets.fail("reply", "c" + status, status(status));
                desk.receive("c" + status, "m1", "I want a refund");
            }
            desk.await(State.FAILED_TERMINAL, ACT, 3);
            desk.await(State.COMPLETED, ACT, 6);
            assertThat(desk.middleware().handovers()).containsExactly("c400", "c404", "c422");
            assertThat(desk.tickets.calls("reply")).hasSize(3);
            assertThat(desk.ledger.delays(ACT)).isEmpty();
            assertThat(desk.ledger.audit(ACT, "system.error"))
                    .as("recorded for investigation")
                    .hasSize(3)
                    .allSatisfy(event -> assertThat(event).containsKeys("category", "reason", "correlation_id"));
            assertThat(desk.middleware().closeHandover("c400")).isTrue();
            assertThat(desk.middleware().handovers()).containsExactly("c404", "c422");
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule5_2_rejectedLoginPausesTheChannelAndIsHandedToAHuman(Engine engine) throws Exception {
        for (int status : List.of(401, 403)) {
            try (DeskFixture desk = new DeskFixture(engine)) {
                desk.tickets.fail("assign", "c1", status(status));
                desk.receive("c1", "m1", "I want a refund");
                Await.until("the channel is paused", () -> paused(desk));
                desk.receive("c2", "m1", "Hello?");
                desk.await(State.COMPLETED, "helpdesk.decide", 2);
                assertThat(desk.middleware().handovers()).containsExactly("c1");
                assertThat(desk.tickets.calls())
                        .as("nothing is tried meanwhile")
                        .hasSize(1);
                assertThat(desk.ledger.operator().resume(ACT, null, DeskFixture.ANN))
                        .isTrue();
                desk.clock.advance(Duration.ofSeconds(5));
                desk.awaitDone(6);
                desk.assertHistoryHolds();
                assertThat(desk.ledger.delays(ACT)).as("no attempt was spent").isEmpty();
            }
        }
    }

    private static boolean paused(DeskFixture desk) {
        return desk.ledger.operator().channels().stream()
                .filter(channel -> channel.operation().equals(ACT))
                .map(ChannelState::pauses)
                .anyMatch(pauses -> !pauses.isEmpty());
    }

    @ParameterizedTest
    @EnumSource
    void rule5_2_payloadWithoutTextIsFetchedFromTheHelpdesk(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            CustomerMessage message = desk.tickets.write("c1", "m1", "I want a refund");
            desk.deliver(message, message.json("text", ""));
            desk.awaitDone(3);
            desk.assertHistoryHolds();
            assertThat(desk.tickets.calls("assign").get(0).target()).isEqualTo("refunds");
            assertThat(desk.middleware().handovers()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule5_2_payloadThatCannotBeCompletedIsNotRetriedAndIsHandedToAHuman(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            int port = desk.middleware().port();
            desk.sender.deliver(port, new CustomerMessage("c1", "unknown-to-the-helpdesk", "").json());
            desk.sender.deliver(port, new CustomerMessage("c2", "", "").json());
            desk.sender.deliver(port, new CustomerMessage("c3", "m1", "Hello?").json("created_at", "yesterday"));
            desk.sender.deliver(port, "{\"hello\":1}");
            desk.await(State.FAILED_TERMINAL, "helpdesk.fetch", 1);
            desk.await(State.FAILED_TERMINAL, "helpdesk.inbox", 3);
            assertThat(desk.middleware().handovers()).containsExactly("c1", "c2", "c3", "unknown");
            assertThat(desk.ledger.delays("helpdesk.inbox")).isEmpty();
            assertThat(desk.ledger.delays("helpdesk.fetch")).isEmpty();
            assertThat(desk.tickets.calls()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule5_2_actionThatStaysStuckIsADeadLetterAndTheConversationGoesOn(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            IntStream.range(0, ATTEMPTS).forEach(i -> desk.tickets.fail("assign", "c1", status(503)));
            desk.receive("c1", "m1", "I want a refund");
            desk.awaitDead(ACT, 1);
            desk.awaitDone(2);
            desk.assertHistoryHolds();
            assertThat(desk.tickets.calls("assign")).hasSize(ATTEMPTS);
            assertThat(desk.ledger.audit(ACT, "retry.exhausted")).hasSize(1);
            assertThat(desk.middleware().handovers()).containsExactly("c1");
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule5_3_delaysDoubleFromOneSecondPlusOrMinusAHalf(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            IntStream.range(0, ATTEMPTS).forEach(i -> desk.tickets.fail("assign", "c1", status(503)));
            desk.receive("c1", "m1", "I want a refund");
            desk.awaitDead(ACT, 1);
            List<Long> delays = desk.ledger.delays(ACT);
            assertThat(delays).hasSize(ATTEMPTS - 1);
            for (int i = 0; i < delays.size(); i++) {
                assertThat(delays.get(i)).isBetween(500L << i, 1500L << i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule5_3_longerRetryAfterIsObeyedToTheMillisecond(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            desk.tickets.fail("assign", "c1", retryAfter(429, "1800"));
            desk.tickets.fail("assign", "c1", retryAfter(503, "90"));
            desk.tickets.fail("assign", "c1", retryAfter(429, "0"));
            desk.receive("c1", "m1", "I want a refund");
            desk.await(State.FAILED_RETRYABLE, ACT, 1);
            desk.clock.advance(Duration.ofMinutes(29));
            assertThat(desk.tickets.calls()).as("before its time").hasSize(1);
            desk.awaitDone(3);
            desk.assertHistoryHolds();
            List<Long> delays = desk.ledger.delays(ACT);
            assertThat(delays.subList(0, 2)).containsExactly(1_800_000L, 90_000L);
            assertThat(delays.get(2)).as("shorter than the backoff").isBetween(2_000L, 6_000L);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule5_3_retryAfterMayBeADate(Engine engine) throws Exception {
        try (DeskFixture desk = new DeskFixture(engine)) {
            String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                    desk.clock.instant().plus(Duration.ofMinutes(30)).atOffset(ZoneOffset.UTC));
            desk.tickets.fail("assign", "c1", retryAfter(429, date));
            desk.receive("c1", "m1", "I want a refund");
            desk.await(State.FAILED_RETRYABLE, ACT, 1);
            assertThat(desk.ledger.delays(ACT).get(0)).isBetween(HOUR / 2 - 60_000, HOUR / 2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rule5_3_actionsThatFailTogetherAreNotRetriedTogether(Engine engine) throws Exception {
        int conversations = 12;
        try (DeskFixture desk = new DeskFixture(engine)) {
            for (int i = 0; i < conversations; i++) {
                desk.tickets.fail("assign", "c" + i, status(503));
                desk.receive("c" + i, "m1", "I want a refund");
            }
            desk.awaitDone(3 * conversations);
            List<Long> delays = desk.ledger.delays(ACT);
            assertThat(delays).hasSize(conversations).allMatch(delay -> delay >= 500 && delay <= 1500);
            assertThat(new HashSet<>(delays)).hasSizeGreaterThan(conversations / 2);
        }
    }
}
