package dev.semel.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.store.AuditFilter;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the audit of real runs suggests, and what it does not. */
class RetryAdviceTest {
    private static final Tenant ACME = Tenant.of("acme");
    private static final AuditFilter ALL = new AuditFilter(null, null, null, null);
    private static final Policy STEADY = Policy.named("steady")
            .withMaxAttempts(4)
            .withJitter(new Policy.Jitter.None())
            .build();
    private static final Operation.Atomic<String, String> CHARGE =
            Operation.atomic("charge", String.class, String.class).withPolicy("steady");
    private static final Channel.Atomic<String> MAIL =
            Channel.atomic("mail", String.class).withPolicy("steady");

    private final ManualTime time = new ManualTime(1_800_000_000_000L);
    private final MemoryStore store = new MemoryStore(time);
    private final Engine engine = EngineSettings.on(store)
            .withTime(time)
            .withRandom(new Random(1))
            .withPolicy(STEADY)
            .withoutBackground()
            .open();

    @AfterEach
    void close() {
        engine.close();
    }

    /** So many calls, which succeed with this attempt; 0 for never. */
    private void charge(String keys, int calls, int succeedsAt, Failure failure) {
        for (int i = 0; i < calls; i++) {
            int[] attempt = {0};
            engine.run(CHARGE, Call.of(ACME, Key.of(keys + i), "order"), (order, tx) -> {
                if (++attempt[0] != succeedsAt) {
                    throw failure.asException();
                }
                return "done";
            });
        }
    }

    private List<RetryAdvice> advice() {
        return Operator.on(store).retryAdvice(ALL, Instant.EPOCH).advice();
    }

    private static Failure network() {
        return Failure.of(Category.NETWORK, "reset");
    }

    private RetryAdvice only(RetryAdvice.Kind kind) {
        List<RetryAdvice> found =
                advice().stream().filter(each -> each.kind() == kind).toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    @Test
    void fewCasesSuggestNothing() {
        charge("k", 4, 0, network());
        charge("l", 4, 4, network());
        assertThat(advice()).isEmpty();
    }

    @Test
    void retriesThatOftenSucceedEarlySuggestNothing() {
        charge("k", 20, 2, network());
        assertThat(advice()).isEmpty();
    }

    @Test
    void retriesThatNeverSucceedAreNamedWithTheirCategory() {
        charge("k", 6, 0, network());
        charge("l", 6, 2, Failure.of(Category.TIMEOUT, "slow"));
        RetryAdvice advice = only(RetryAdvice.Kind.RETRIES_NEVER_HELP);
        assertThat(advice.operation()).isEqualTo("charge");
        assertThat(advice.policy()).isEqualTo("RETRY_STEADY");
        assertThat(advice.setting()).isEqualTo("fail-on");
        assertThat(advice.figures())
                .containsEntry("category", "network")
                .containsEntry("records", 6)
                .containsEntry("retries", 18L);
        assertThat(advice.sentence())
                .isEqualTo("Retries of charge (policy RETRY_STEADY) after network never succeeded: 18 retries of 6"
                        + " records, all in vain. Do not retry these exceptions (fail-on), or lower max-attempts.");
    }

    @Test
    void attemptAfterWhichNothingSucceedsIsNamed() {
        charge("k", 6, 0, network());
        charge("l", 6, 2, network());
        RetryAdvice advice = only(RetryAdvice.Kind.LATE_ATTEMPTS_NEVER_HELP);
        assertThat(advice.setting()).isEqualTo("max-attempts");
        assertThat(advice.sentence())
                .isEqualTo("Nothing of charge (policy RETRY_STEADY) succeeded after attempt 2: 12 later attempts of up"
                        + " to 4 were in vain. Lower max-attempts to 2.");
    }

    @Test
    void lastAttemptsThatOftenSucceedSuggestMore() {
        charge("k", 5, 4, network());
        charge("l", 10, 2, network());
        RetryAdvice advice = only(RetryAdvice.Kind.TOO_FEW_ATTEMPTS);
        assertThat(advice.sentence())
                .isEqualTo("5 of 15 retried records of charge (policy RETRY_STEADY) succeeded only with the last of 4"
                        + " attempts. Raise max-attempts to 6.");
    }

    @Test
    void backoffShorterThanTheRetryAfterIsNamed() {
        charge("k", 5, 2, Failure.of(Category.RATE_LIMITED, "slow").withRetryAfter(Duration.ofSeconds(20)));
        RetryAdvice advice = only(RetryAdvice.Kind.BACKOFF_SHORTER_THAN_RETRY_AFTER);
        assertThat(advice.setting()).isEqualTo("backoff");
        assertThat(advice.sentence())
                .isEqualTo("The backoff of charge (policy RETRY_STEADY) was shorter than the Retry-After in 5 of 5"
                        + " failures: at most 1000 ms, but up to 20000 ms were asked for. Start the backoff at 20000"
                        + " ms.");
    }

    @Test
    void retryAfterBeyondThePolicyIsNamed() {
        charge("k", 5, 2, Failure.of(Category.UPSTREAM_ERROR, "slow").withRetryAfter(Duration.ofHours(3)));
        assertThat(only(RetryAdvice.Kind.RETRY_AFTER_TOO_LONG).sentence())
                .contains("5 records of charge", "up to 10800000 ms", "Raise max-retry-after");
    }

    @Test
    void operationThatSpendsMostRetriesIsNamed() {
        engine.handle(MAIL, (mail, tx) -> {
            throw network().asException();
        });
        for (int i = 0; i < 8; i++) {
            engine.send(MAIL, Message.of(ACME, Key.of("m" + i), "mail"));
        }
        for (int round = 0; round < 5; round++) {
            while (engine.duties().worker().turn()) {
                // until a round finds nothing
            }
            time.advance(Duration.ofMinutes(1));
        }
        charge("k", 1, 2, network());
        RetryAdvice advice = only(RetryAdvice.Kind.MOST_RETRIES);
        assertThat(advice.operation()).isEqualTo("mail");
        assertThat(advice.sentence())
                .isEqualTo("mail (policy RETRY_STEADY) spends 24 of 25 retries (96 %). Look at its failures first; on a"
                        + " channel retry-budget bounds them.");
    }

    @Test
    void ratesAreThoseOfTheHighestMinute() {
        charge("k", 3, 2, network());
        time.advance(Duration.ofMinutes(5));
        charge("l", 1, 2, network());
        charge("m", 1, 2, Failure.of(Category.TIMEOUT, "slow"));
        RetryRates rates = Operator.on(store).retryRates(ALL, Instant.EPOCH, null);
        assertThat(rates.above(2)).singleElement().satisfies(rate -> {
            assertThat(rate.operation()).isEqualTo("charge");
            assertThat(rate.category()).isEqualTo("network");
            assertThat(rate.highest()).isEqualTo(3);
            assertThat(rate.total()).isEqualTo(4);
        });
        assertThat(rates.above(3)).isEmpty();
        assertThat(Operator.on(store).retryRates(ALL, Instant.EPOCH, "timeout").rates())
                .singleElement()
                .satisfies(rate -> assertThat(rate.total()).isEqualTo(1));
    }
}
