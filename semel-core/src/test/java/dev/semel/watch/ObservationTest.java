package dev.semel.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Call;
import dev.semel.Failure.Category;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.execution.GatewayRuns;
import dev.semel.key.Identity;
import io.micrometer.observation.Observation;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Calls as those see them who trace. */
class ObservationTest extends WatchFixture {
    private final Observations observations = new Observations();
    private final Engine engine = start(MicrometerWatch.of(meters).withObservations(observations.registry));

    private static String hash(Operation<?, ?> operation, String key) {
        return Identity.of(ACME, operation.name(), Key.of(key)).id().prefix();
    }

    private Observations.Seen only() {
        assertThat(observations.seen).hasSize(1);
        return observations.seen.get(0);
    }

    @Test
    void callIsObservedWithItsAttemptFenceKeyHashAndTimeToLive() {
        AtomicReference<Long> fence = new AtomicReference<>();
        engine.run(REFUND, call("k"), (payload, run) -> {
            fence.set(run.fence());
            return "done";
        });
        assertThat(only())
                .isEqualTo(new Observations.Seen(
                        "semel.operation",
                        Map.of("operation", "refund", "answer", "executed", "cache.hit", "false"),
                        Map.of(
                                "attempt",
                                "1",
                                "fence",
                                String.valueOf(fence.get()),
                                "key.hash",
                                hash(REFUND, "k"),
                                "ttl",
                                "PT24H"),
                        false));
    }

    @Test
    void replayIsAHitWithTheFenceThatLeftItAndTheTimeItIsKeptFor() {
        engine.run(REFUND, call("k"), (payload, run) -> "done");
        Observations.Seen first = only();
        observations.seen.clear();
        time.advance(java.time.Duration.ofHours(1));
        engine.run(REFUND, call("k"), (payload, run) -> "never");
        assertThat(only().low()).isEqualTo(Map.of("operation", "refund", "answer", "replayed", "cache.hit", "true"));
        assertThat(only().high())
                .isEqualTo(Map.of("fence", first.high().get("fence"), "key.hash", hash(REFUND, "k"), "ttl", "PT23H"));
    }

    @Test
    void atomicCallIsObservedWithoutTheFenceThatItsTransactionDraws() {
        engine.run(CHARGE, call("k"), (payload, tx) -> {
            if (tx.attempt() == 1) {
                throw failing(Category.NETWORK);
            }
            return "done";
        });
        assertThat(only().high()).isEqualTo(Map.of("attempt", "2", "key.hash", hash(CHARGE, "k"), "ttl", "PT24H"));
    }

    @Test
    void gatewaysTransactionIsObservedWithItsTimeToLive() {
        Operation.Atomic<byte[], byte[]> operation = Operation.atomic("within", byte[].class, byte[].class);
        byte[] body = {1};
        engine.gatewayRuns()
                .within(
                        operation,
                        Call.of(ACME, Key.of("k"), body),
                        tx -> new GatewayRuns.GatewayEnd.AnswerAndEffect(body));
        assertThat(only().high()).isEqualTo(Map.of("attempt", "1", "key.hash", hash(operation, "k"), "ttl", "PT24H"));
    }

    @Test
    void leasedCallInsideAnAtomicHandlerIsObservedByItsRecord() {
        assertThatThrownBy(() -> engine.run(CHARGE, call("outer"), (payload, tx) -> {
                            engine.run(REFUND, call("inner"), (inner, run) -> "never");
                            return "never";
                        })
                        .orThrow())
                .isInstanceOf(SemelException.class);
        assertThat(observations.seen)
                .extracting(seen -> seen.high().get("key.hash"))
                .contains(hash(REFUND, "inner"));
    }

    @Test
    void observationsOfAHandlerAreInsideItsCall() {
        AtomicReference<Observation> atomic = new AtomicReference<>();
        AtomicReference<Observation> leased = new AtomicReference<>();
        engine.runAll(CHARGE, List.of(call("a"), call("b")), (payload, tx) -> {
            atomic.set(observations.registry.getCurrentObservation());
            return "done";
        });
        engine.run(NOTIFY, call("c"), (payload, run) -> {
            leased.set(observations.registry.getCurrentObservation());
            return "done";
        });
        assertThat(atomic.get().getContextView().getName()).isEqualTo("semel.operation");
        assertThat(leased.get().getContextView().getName()).isEqualTo("semel.operation");
        assertThat(observations.registry.getCurrentObservation()).isNull();
        assertThat(observations.seen).hasSize(3);
    }

    @Test
    void deliveriesAreObservedUnderTheirFences() {
        engine.handle(POST, (payload, tx) -> {
            assertThat(observations.registry.getCurrentObservation()).isNotNull();
        });
        engine.sendAll(POST, List.of(message("a"), message("b")));
        work(engine);
        assertThat(observations.seen).hasSize(2).allSatisfy(seen -> {
            assertThat(seen.low()).isEqualTo(Map.of("operation", "post", "answer", "executed", "cache.hit", "false"));
            assertThat(seen.high()).containsOnlyKeys("attempt", "fence", "key.hash", "ttl");
        });
    }

    @Test
    void everyObservationIsStopped() {
        new Scenario(engine, start(Watch.NONE), time, "k").play();
        engine.runAll(CHARGE, List.of(call("x"), call("y")), (payload, tx) -> {
            throw failing(Category.NETWORK);
        });
        engine.runAll(REFUND, List.of(call("x"), call("y"), call("x")), (payload, run) -> {
            throw failing(Category.VALIDATION);
        });
        assertThat(observations.open()).isZero();
        assertThat(observations.seen).hasSizeGreaterThan(10).allMatch(seen -> !seen.failed());
    }

    @Test
    void callWithoutAnAnswerIsObservedWithItsError() {
        engine.run(CHARGE, call("outer"), (payload, tx) -> {
            assertThatThrownBy(() -> engine.run(REFUND, call("k"), (inner, run) -> "never"))
                    .isInstanceOf(SemelException.Invalid.class);
            return "done";
        });
        assertThat(observations.seen).hasSize(2);
        assertThat(observations.seen.get(0).failed()).isTrue();
        assertThat(observations.seen.get(0).low()).containsEntry("answer", "error");
    }

    @Test
    void tenantIsAValueOnlyWhereItIsSwitchedOn() {
        start(MicrometerWatch.of(meters).withObservations(observations.registry).withTenants())
                .run(CHARGE, call("k"), (payload, tx) -> "done");
        assertThat(only().low()).containsEntry("tenant", "acme");
    }
}
