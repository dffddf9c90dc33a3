package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.engine.Engine;
import dev.semel.operator.DecisionReplay;
import dev.semel.operator.DecisionReplay.DecisionReport;
import dev.semel.operator.DecisionReplay.Difference;
import dev.semel.policy.Catalogue;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Retry decisions and delays are recomputed from an export of the audit alone, and a changed one is found. */
abstract class DecisionSuite extends ChannelFixture {
    private static final Policy RANDOM = Policy.named("random")
            .withMaxAttempts(4)
            .withJitter(new Policy.Jitter.Full())
            .retryOn(IllegalStateException.class, Category.UPSTREAM_ERROR)
            .build();
    private static final Policy GROWING = Policy.named("growing")
            .withMaxAttempts(6)
            .withJitter(new Policy.Jitter.Decorrelated())
            .withBackoff(new Policy.Backoff.Exponential(Duration.ofMillis(333), 1.7, Duration.ofSeconds(40)))
            .build();
    private static final Policy HALF = Policy.named("half")
            .withJitter(new Policy.Jitter.Equal())
            .withDeadline(Duration.ofMillis(1_500))
            .build();

    private static final Operation.Atomic<Order, Receipt> PAY =
            Operation.atomic("pay", Order.class, Receipt.class).withPolicy("random");
    private static final Operation.Leased<Order, Receipt> SHIP = Operation.leased("ship", Order.class, Receipt.class)
            .withPolicy("half")
            .asRepeatable();
    private static final Channel.Leased<Note> PUSH =
            Channel.leased("push", Note.class).withPolicy("growing");
    private static final Channel.Atomic<Note> LIST =
            Channel.atomic("list", Note.class).withPolicy("random");

    private Engine node = engine;

    DecisionSuite(EngineContract contract) {
        super(contract);
    }

    @BeforeEach
    void openNodeWithRandomDelays() {
        node = start(
                reopened(),
                settings -> settings.withPolicy(RANDOM).withPolicy(GROWING).withPolicy(HALF));
    }

    private static Exception failure(int number) {
        return switch (number % 5) {
            case 0 -> new ConnectException("refused");
            case 1 -> new SQLException("deadlock", "40P01");
            case 2 -> new IllegalStateException("odd");
            case 3 ->
                Failure.of(Category.RATE_LIMITED, "slow down")
                        .withRetryAfter(Duration.ofSeconds(number))
                        .asException();
            default -> new SocketTimeoutException("slow");
        };
    }

    private void failCalls(int calls) {
        for (int i = 0; i < calls; i++) {
            int number = i;
            Answer<Receipt> paid = node.run(PAY, call("pay-" + i), (order, tx) -> {
                throw failure(number);
            });
            assertThat(paid).isInstanceOf(Answer.RetryLater.class);
            node.run(SHIP, call("ship-" + i), (order, run) -> {
                throw failure(number + run.attempt());
            });
        }
    }

    private void failMessages(int messages) {
        node.handle(PUSH, (note, run) -> {
            throw failure(note.text().length() + run.attempt());
        });
        node.handle(LIST, (note, tx) -> {
            throw note.text().endsWith("0")
                    ? Failure.of(Category.VALIDATION, "no").asException()
                    : failure(4);
        });
        for (int i = 0; i < messages; i++) {
            node.send(PUSH, note("m".repeat(i + 1), "lane"));
            node.send(LIST, note("l" + i, "lane"));
        }
        for (int round = 0; round < 10; round++) {
            work(node);
            time.advance(Duration.ofMinutes(1));
        }
    }

    private DecisionReport recomputed(
            Predicate<Map<String, Object>> which, UnaryOperator<Map<String, Object>> changed) {
        DecisionReplay replay = DecisionReplay.bySettingsOfEvents();
        List<Map<String, Object>> events = new ArrayList<>(exported());
        for (int i = 0; i < events.size(); i++) {
            if (which.test(events.get(i))) {
                events.set(i, changed.apply(new LinkedHashMap<>(events.get(i))));
                break;
            }
        }
        events.forEach(replay::read);
        return replay.report();
    }

    private static Predicate<Map<String, Object>> event(String type, String operation) {
        return event -> type.equals(event.get("type")) && operation.equals(event.get("operation"));
    }

    private static UnaryOperator<Map<String, Object>> with(String field, String value) {
        return event -> {
            event.put(field, value);
            return event;
        };
    }

    private static void assertFound(DecisionReport report, String what, String stored, String recomputed) {
        assertThat(report.allEqual()).isFalse();
        assertThat(report.differences()).anySatisfy(each -> {
            assertThat(each.what()).isEqualTo(what);
            assertThat(each.stored()).contains(stored);
            assertThat(each.recomputed()).contains(recomputed);
            assertThat(each.event()).isNotBlank();
            assertThat(each.record()).hasSize(64);
        });
    }

    @Test
    void decisionsAboutDirectCallsAreRecomputedFromTheExport() {
        failCalls(10);
        DecisionReport report = recomputed();
        assertThat(report.differences()).isEmpty();
        assertThat(report.withoutInputs()).isZero();
        assertThat(report.equal()).containsKeys("retry", "exhausted");
        assertThat(report.decisions()).isGreaterThan(40);
        assertThat(exported()).anyMatch(each -> each.containsKey("remaining_ms"));
    }

    @Test
    void decisionsAboutDeliveriesAreRecomputedFromTheExport() {
        failMessages(8);
        DecisionReport report = recomputed();
        assertThat(report.differences()).isEmpty();
        assertThat(report.withoutInputs()).isZero();
        assertThat(report.equal()).containsKeys("retry", "exhausted", "failed");
        assertThat(exported()).anyMatch(each -> each.containsKey("previous_ms"));
    }

    @Test
    void decisionsAboutTakeoversAreRecomputedFromTheExport() {
        engine.handle(POST, (note, tx) -> handled.add(note.text()));
        engine.handle(MAIL, (note, run) -> {
            throw failing(Category.NETWORK);
        });
        send(POST, "spent");
        abandon(POST, STEADY.retry().maxAttempts());
        engine.duties().sweeper().sweep();
        send(MAIL, "taken over");
        abandon(MAIL, 1);
        workThrough(Duration.ofMinutes(1), 5);
        DecisionReport report = recomputed();
        assertThat(report.differences()).isEmpty();
        assertThat(report.withoutInputs()).isZero();
        assertThat(exported())
                .anyMatch(each -> "lease lease_lost retry".equals(each.get("judged_by")))
                .anyMatch(each -> "operation.taken_over".equals(each.get("type"))
                        || "handler network retry".equals(each.get("judged_by")));
    }

    @Test
    void changedDelayIsFound() {
        failMessages(3);
        assertFound(
                recomputed(event("retry.attempt", "push"), with("delay_ms", "77777")),
                "decision",
                "retry in 77777 ms",
                "retry in ");
    }

    @Test
    void attemptThatShouldHaveBeenTheLastIsFound() {
        failCalls(3);
        assertFound(
                recomputed(event("retry.attempt", "pay"), with("attempt", "4")), "decision", "retry in", "exhausted");
        assertFound(recomputed(event("retry.attempt", "pay"), with("of", "1")), "decision", "retry in", "exhausted");
    }

    @Test
    void attemptThatShouldNotHaveBeenTheLastIsFound() {
        failMessages(3);
        assertFound(
                recomputed(event("retry.exhausted", "push"), with("attempt", "2")),
                "decision",
                "exhausted",
                "retry in");
    }

    @Test
    void changedCategoryIsFound() {
        failMessages(3);
        assertFound(
                recomputed(event("retry.attempt", "list"), with("category", "auth")), "category", "auth", "timeout");
        assertFound(recomputed(event("system.error", "push"), with("category", "auth")), "category", "auth", "");
    }

    @Test
    void changedExceptionTypeIsFound() {
        failMessages(3);
        assertFound(
                recomputed(event("retry.attempt", "list"), with("exception", "java.sql.SQLSyntaxErrorException")),
                "judgement",
                "timeout, may be retried",
                "bug, not retried");
    }

    @Test
    void changedInputsAreFound() {
        failMessages(6);
        Predicate<Map<String, Object>> grown =
                event -> "retry.attempt".equals(event.get("type")) && event.containsKey("previous_ms");
        assertFound(recomputed(grown, with("previous_ms", "123456")), "previous delay", "123456 ms", " ms");
        assertFound(
                recomputed(event("retry.attempt", "push"), with("draw", "many")), "inputs", "draw 'many'", "readable");
        assertFound(
                recomputed(event("retry.attempt", "push"), with("backoff", "exp")), "inputs", "backoff", "readable");
        Predicate<Map<String, Object>> asked =
                event -> "retry.attempt".equals(event.get("type")) && event.containsKey("retry_after_ms");
        assertFound(recomputed(asked, with("retry_after_ms", "7200000")), "decision", "retry in", "no further attempt");
    }

    @Test
    void otherPoliciesShowWhatTheyWouldHaveDecided() {
        failMessages(3);
        Map<String, String> settings = Map.of(
                "semel.policy.growing.extends", "default",
                "semel.policy.growing.max-attempts", "2");
        DecisionReplay replay = DecisionReplay.by(Catalogue.fromProperties(settings));
        exported().forEach(replay::read);
        assertThat(replay.report().differences())
                .extracting(Difference::recomputed)
                .contains("exhausted");
        assertThat(replay.report().differences())
                .as("policies that are not configured decide by the settings of the events")
                .noneMatch(each -> Stream.of("l0", "l1", "l2")
                        .anyMatch(key -> row(LIST, key).id().hex().equals(each.record())));
    }
}
