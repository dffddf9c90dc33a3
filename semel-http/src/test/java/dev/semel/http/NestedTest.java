package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.execution.Failures;
import dev.semel.store.RecordFilter;
import dev.semel.store.State;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers that call an operation which gives no result, and let the exception pass. */
@ParameterizedClass
@EnumSource(Container.class)
class NestedTest {
    private static final Answer.Notice NOTICE = new Answer.Notice("c-secret", "of somebody else", Set.of());
    private static final Answer<String> RETRY_LATER = new Answer.RetryLater<>(
            Duration.ofSeconds(3), Failure.of(Failure.Category.NETWORK, "of somebody else"), NOTICE);

    @Parameter
    private Container container;

    private final AtomicInteger runs = new AtomicInteger();

    private FilteredServer server(Rule rule, Answer<?> answer, boolean says) {
        return FilteredServer.open(container, all -> all.withDefault(rule), (request, response) -> {
            response.setHeader("X-Half", "set");
            response.getWriter().write("half an answer");
            if (says) {
                IdempotentExchange.current().ifPresent(IdempotentExchange::noEffect);
            }
            if (runs.incrementAndGet() <= 2) {
                throw new SemelException.NoResult(answer, "c-secret");
            }
            response.resetBuffer();
            response.getWriter().write("done");
        });
    }

    private static int records(FilteredServer server) {
        int found = 0;
        for (State state : State.values()) {
            found += server.engine()
                    .operator()
                    .list(state, RecordFilter.ALL, RecordFilter.Cursor.START, 10)
                    .size();
        }
        return found;
    }

    private static void assertTold(ReceivedResponse received, int status, String code) {
        assertThat(received.status()).as(received.text()).isEqualTo(status);
        assertThat(received.code()).isEqualTo(code);
        assertThat(received.text())
                .doesNotContain("secret")
                .doesNotContain("half")
                .doesNotContain("somebody");
    }

    @Test
    void nestedConflictIsStoredAndEqualWithAndWithoutAKey() {
        try (FilteredServer server = server(Rule.optional(), new Answer.Conflict<>(NOTICE), false)) {
            ReceivedResponse first = server.send(server.post("/a", "k-1", "{}"));
            ReceivedResponse again = server.send(server.post("/a", "k-1", "{}"));
            assertTold(first, 409, "idempotency.payload_mismatch");
            assertThat(again.body()).isEqualTo(first.body());
            assertThat(again.replayed()).isTrue();
            assertTold(server.send(server.request("POST", "/a", "{}")), 409, "idempotency.payload_mismatch");
            assertThat(runs).hasValue(2);
        }
    }

    @Test
    void temporaryNestedProblemWithoutEffectLeavesNoRecord() {
        for (Rule rule : new Rule[] {Rule.required().withLevel(Level.SPAN), Rule.required()}) {
            runs.set(0);
            try (FilteredServer server = server(rule, new Answer.InProgress<>(NOTICE), true)) {
                for (int i = 0; i < 2; i++) {
                    ReceivedResponse busy = server.send(server.post("/a", "k-1", "{}"));
                    assertTold(busy, 409, "idempotency.in_progress");
                    assertThat(busy.retryAfter()).isPositive();
                    assertThat(busy.header("X-Half")).isEmpty();
                    assertThat(records(server)).isZero();
                }
                assertThat(server.send(server.post("/a", "k-1", "{}")).text()).isEqualTo("done");
            }
        }
    }

    @Test
    void temporaryNestedProblemAfterAPossibleEffectIsUnknown() {
        try (FilteredServer server = server(Rule.required(), RETRY_LATER, false)) {
            for (int i = 0; i < 2; i++) {
                assertTold(server.send(server.post("/a", "k-1", "{}")), 409, "idempotency.outcome_unknown");
            }
            assertThat(runs).hasValue(1);
        }
    }

    private static Answer<?> stopped(Failure why) {
        return new Answer.RetryLater<>(Duration.ofSeconds(3), why, NOTICE);
    }

    @Test
    void everyNestedAnswerHasItsCode() {
        record Row(Answer<?> answer, int status, String code) {}
        for (Row row : new Row[] {
            new Row(new Answer.Rejected<>(NOTICE), 400, "idempotency.key_invalid"),
            new Row(new Answer.Unknown<>(NOTICE), 409, "idempotency.outcome_unknown"),
            new Row(RETRY_LATER, 503, "idempotency.retry_later"),
            new Row(stopped(Failures.RATE_LIMITED), 429, "request.rate_limited"),
            new Row(stopped(Failures.TENANT_RATE_LIMITED), 429, "request.rate_limited"),
            new Row(stopped(Failures.BREAKER_OPEN), 503, "operation.breaker_open"),
            new Row(new Answer.Halted<>(NOTICE), 503, "operation.halted")
        }) {
            runs.set(0);
            try (FilteredServer server = server(Rule.optional(), row.answer, true)) {
                assertTold(server.send(server.post("/a", "k-1", "{}")), row.status, row.code);
                assertTold(server.send(server.request("POST", "/a", "{}")), row.status, row.code);
            }
        }
    }
}
