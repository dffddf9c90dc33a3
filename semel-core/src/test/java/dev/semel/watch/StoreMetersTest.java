package dev.semel.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.engine.Engine;
import io.micrometer.core.instrument.DistributionSummary;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The meters of store calls, step by step, and of batch sizes. */
class StoreMetersTest extends WatchFixture {
    private final Engine engine = start(MicrometerWatch.of(meters));

    @Test
    void stepsOfAnAtomicCallAreTimed() {
        engine.run(CHARGE, call("k"), (payload, tx) -> "done");
        Map<String, Long> steps = Map.of(
                "step=begin store=memory", 1L,
                "step=open store=memory", 1L,
                "step=write store=memory", 1L,
                "step=commit store=memory", 1L);
        assertThat(counts("semel.store.duration")).isEqualTo(steps);
        assertThat(counts("idempotency_store_latency_ms")).isEqualTo(steps);
    }

    @Test
    void stepsOfALeasedCallAreTimed() {
        engine.run(REFUND, call("k"), (payload, run) -> "done");
        assertThat(counts("semel.store.duration"))
                .isEqualTo(Map.of("step=reserve store=memory", 1L, "step=move store=memory", 1L));
    }

    @Test
    void stepsOfAMessageAreTimed() {
        engine.handle(POST, (payload, tx) -> {});
        engine.send(POST, message("a"));
        engine.duties().worker().turn();
        assertThat(counts("semel.store.duration"))
                .isEqualTo(Map.of(
                        "step=enqueue store=memory", 1L,
                        "step=claim store=memory", 1L,
                        "step=begin store=memory", 1L,
                        "step=move store=memory", 1L,
                        "step=commit store=memory", 1L));
    }

    @Test
    void batchIsAsLargeAsItsCommit() {
        engine.runAll(NOTIFY, List.of(call("a"), call("b"), call("c")), (payload, run) -> "done");
        engine.sendAll(MAIL, List.of(message("a"), message("b")));
        assertThat(counts("semel.batch.size"))
                .isEqualTo(Map.of("step=reserve", 1L, "step=move", 1L, "step=enqueue", 1L));
        assertThat(size("reserve")).isEqualTo(3);
        assertThat(size("move")).isEqualTo(3);
        assertThat(size("enqueue")).isEqualTo(2);
    }

    private double size(String step) {
        DistributionSummary batches =
                meters.get("semel.batch.size").tag("step", step).summary();
        return batches.totalAmount();
    }
}
