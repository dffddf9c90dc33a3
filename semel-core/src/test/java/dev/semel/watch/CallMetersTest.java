package dev.semel.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Call;
import dev.semel.Failure.Category;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The exact meters of direct calls. */
class CallMetersTest extends WatchFixture {
    private final Engine engine = start(MicrometerWatch.of(meters));

    @Test
    void callsAreCountedByTheirAnswersAndTimed() {
        engine.run(CHARGE, call("k"), (payload, tx) -> {
            time.advance(Duration.ofMillis(40));
            return "done";
        });
        engine.run(CHARGE, call("k"), (payload, tx) -> "again");
        engine.run(CHARGE, call("k"), (payload, tx) -> "again");
        engine.run(CHARGE, otherPayload("k"), (payload, tx) -> "again");
        Map<String, Long> expected = Map.of(
                "answer=executed operation=charge", 1L,
                "answer=replayed operation=charge", 2L,
                "answer=conflict operation=charge", 1L);
        assertThat(counts("semel.calls")).isEqualTo(expected);
        assertThat(counts("semel.call.duration")).isEqualTo(expected);
        Timer executed =
                meters.get("semel.call.duration").tag("answer", "executed").timer();
        assertThat(executed.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(40);
    }

    @Test
    void removedMeterCountsAgainFromTheNextCall() {
        engine.run(CHARGE, call("k"), (payload, tx) -> "done");
        meters.clear();
        engine.run(CHARGE, call("l"), (payload, tx) -> "done");
        assertThat(counts("semel.calls")).isEqualTo(Map.of("answer=executed operation=charge", 1L));
        assertThat(counts("semel.call.duration")).isEqualTo(Map.of("answer=executed operation=charge", 1L));
        assertThat(meters.get("semel.store.duration").timers()).isNotEmpty();
    }

    @Test
    void hitsMissesAndCollisionsHaveTheirOldNamesToo() {
        engine.run(REFUND, call("k"), (payload, run) -> "done");
        engine.run(REFUND, call("k"), (payload, run) -> "again");
        engine.run(REFUND, call("k"), (payload, run) -> "again");
        engine.run(REFUND, call("l"), (payload, run) -> "done");
        engine.run(REFUND, otherPayload("l"), (payload, run) -> "again");
        assertThat(counts("semel.dedupe.hits")).isEqualTo(Map.of("operation=refund", 2L));
        assertThat(counts("idempotency_cache_hit_total")).isEqualTo(Map.of("operation=refund", 2L));
        assertThat(counts("idempotency_cache_miss_total")).isEqualTo(Map.of("operation=refund", 2L));
        assertThat(counts("semel.conflicts")).isEqualTo(Map.of("operation=refund", 1L));
        assertThat(counts("idempotency_key_collision_total")).isEqualTo(Map.of("operation=refund", 1L));
    }

    @Test
    void everyCallOfABatchIsCountedOnceWhicheverWayItGoes() {
        engine.run(CHARGE, call("there"), (payload, tx) -> "done");
        engine.runAll(CHARGE, List.of(call("a"), call("there"), call("a"), call("b")), (payload, tx) -> "done");
        engine.runAll(NOTIFY, List.of(call("a"), call("a"), otherPayload("a"), call("b")), (payload, run) -> "done");
        assertThat(counts("semel.calls"))
                .isEqualTo(Map.of(
                        "answer=executed operation=charge", 3L,
                        "answer=replayed operation=charge", 2L,
                        "answer=executed operation=notify", 2L,
                        "answer=replayed operation=notify", 1L,
                        "answer=conflict operation=notify", 1L));
    }

    @Test
    void batchThatIsRunAgainOneByOneCountsEachCallOnce() {
        engine.runAll(CHARGE, List.of(call("a"), call("b"), call("c")), (payload, tx) -> {
            if (tx.attempt() == 1) {
                throw failing(Category.UPSTREAM_ERROR);
            }
            return "done";
        });
        assertThat(counts("semel.calls")).isEqualTo(Map.of("answer=executed operation=charge", 3L));
        assertThat(counts("idempotency_cache_miss_total")).isEqualTo(Map.of("operation=charge", 3L));
    }

    @Test
    void callInsideAHandlerIsCountedSeparately() {
        engine.run(
                CHARGE,
                call("outer"),
                (payload, tx) ->
                        engine.run(CHARGE, call("inner"), (inner, in) -> "done").orThrow());
        assertThat(counts("semel.calls")).isEqualTo(Map.of("answer=executed operation=charge", 2L));
    }

    @Test
    void callThatIsRejectedAndOneThatThrowsAreCounted() {
        engine.run(CHARGE, call("outer"), (payload, tx) -> {
            assertThatThrownBy(() -> engine.run(REFUND, call("k"), (inner, run) -> "never"))
                    .isInstanceOf(SemelException.Invalid.class);
            return "done";
        });
        engine.run(
                CHARGE,
                dev.semel.Call.of(ACME, dev.semel.Key.of("huge"), "x".repeat(2 << 20)),
                (payload, tx) -> "never");
        assertThat(counts("semel.calls"))
                .isEqualTo(Map.of(
                        "answer=executed operation=charge", 1L,
                        "answer=error operation=refund", 1L,
                        "answer=rejected operation=charge", 1L));
    }

    @Test
    void failedAttemptsThatAreFollowedByAnotherAreRetries() {
        engine.run(CHARGE, call("a"), (payload, tx) -> {
            throw failing(Category.UPSTREAM_ERROR);
        });
        engine.run(NOTIFY, call("n"), (payload, run) -> {
            if (run.attempt() < 3) {
                throw failing(Category.NETWORK);
            }
            return "done";
        });
        engine.run(CHARGE, call("v"), (payload, tx) -> {
            throw failing(Category.VALIDATION);
        });
        assertThat(counts("semel.retry.attempts"))
                .isEqualTo(Map.of(
                        "category=upstream_error operation=charge policy=RETRY_STEADY", 2L,
                        "category=network operation=notify policy=RETRY_STEADY", 2L));
        assertThat(counts("semel.calls"))
                .isEqualTo(Map.of(
                        "answer=retry_later operation=charge", 1L,
                        "answer=executed operation=notify", 1L,
                        "answer=failed operation=charge", 1L));
        assertThat(counts("semel.dead_letters")).isEmpty();
    }

    @Test
    void workWithoutAKeyIsCountedAsACallAndByItsRetriesAndNotAsAMiss() {
        List<Integer> left = new ArrayList<>(List.of(1, 2));
        Call.Keyless connect = Call.Keyless.of("broker.connect", "steady");
        engine.retry(connect, () -> {
            if (!left.isEmpty()) {
                left.remove(0);
                throw failing(Category.NETWORK);
            }
            return "session";
        });
        assertThatThrownBy(() -> engine.retry(connect, () -> {
                    throw failing(Category.AUTH);
                }))
                .isInstanceOf(SemelException.RetryFailed.class);
        assertThat(counts("semel.retry.attempts"))
                .isEqualTo(Map.of("category=network operation=broker.connect policy=RETRY_STEADY", 2L));
        assertThat(counts("semel.calls"))
                .isEqualTo(Map.of(
                        "answer=executed operation=broker.connect", 1L,
                        "answer=failed operation=broker.connect", 1L));
        assertThat(counts("idempotency_cache_miss_total")).isEmpty();
    }

    @Test
    void directCallWithATooLongRetryAfterIsADeadLetter() {
        Duration tooLong = STEADY.retry().maxRetryAfter().plusSeconds(1);
        engine.run(CHARGE, call("a"), (payload, tx) -> {
            throw dev.semel.Failure.of(Category.RATE_LIMITED, "later")
                    .withRetryAfter(tooLong)
                    .asException();
        });
        engine.run(NOTIFY, call("n"), (payload, run) -> {
            throw dev.semel.Failure.of(Category.RATE_LIMITED, "later")
                    .withRetryAfter(tooLong)
                    .asException();
        });
        assertThat(counts("semel.dead_letters"))
                .isEqualTo(Map.of(
                        "category=rate_limited operation=charge", 1L,
                        "category=rate_limited operation=notify", 1L));
    }

    @Test
    void takeoversAndUnknownRunsAreCounted() {
        Engine other = start(Watch.NONE);
        other.run(NOTIFY, call("k"), (payload, run) -> {
            time.advance(LEASE.multipliedBy(2));
            engine.run(NOTIFY, call("k"), (p, r) -> "taken over");
            return "late";
        });
        engine.run(REFUND, call("t"), (payload, run) -> {
            throw failing(Category.TIMEOUT);
        });
        other.run(REFUND, call("u"), (payload, run) -> {
            time.advance(LEASE.multipliedBy(2));
            engine.run(REFUND, call("u"), (p, r) -> "never");
            return "late";
        });
        assertThat(counts("semel.takeovers")).isEqualTo(Map.of("operation=notify", 1L));
        assertThat(counts("semel.unknown")).isEqualTo(Map.of("operation=refund", 2L));
    }

    @Test
    void tenantIsATagOnlyWhereItIsSwitchedOn() {
        Engine tagged = start(MicrometerWatch.of(meters).withTenants());
        tagged.run(CHARGE, call("k"), (payload, tx) -> "done");
        assertThat(counts("semel.calls")).isEqualTo(Map.of("answer=executed operation=charge tenant=acme", 1L));
        assertThat(counts("idempotency_cache_miss_total")).isEqualTo(Map.of("operation=charge tenant=acme", 1L));
    }

    @Test
    void purgedRecordsAreCounted() {
        engine.run(CHARGE, call("a"), (payload, tx) -> "done");
        engine.run(CHARGE, call("b"), (payload, tx) -> "done");
        engine.duties().purger().purge();
        assertThat(counts("semel.purged")).isEmpty();
        time.advance(Policy.Retention.API.success());
        engine.duties().purger().purge();
        engine.duties().purger().purge();
        assertThat(counts("semel.purged")).isEqualTo(Map.of("", 2L));
    }
}
