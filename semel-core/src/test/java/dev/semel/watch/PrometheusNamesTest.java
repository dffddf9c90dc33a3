package dev.semel.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The old names come out of Prometheus to the letter. */
class PrometheusNamesTest extends WatchFixture {
    private final PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @Test
    void oldNamesAreKeptToTheLetter() {
        new Scenario(start(MicrometerWatch.of(prometheus)), start(Watch.NONE), time, "k").calls();
        List<String> lines = prometheus.scrape().lines().toList();
        assertThat(lines)
                .contains(
                        "# TYPE idempotency_cache_hit_total counter",
                        "idempotency_cache_hit_total{operation=\"charge\"} 1.0",
                        "# TYPE idempotency_cache_miss_total counter",
                        "idempotency_cache_miss_total{operation=\"charge\"} 1.0",
                        "# TYPE idempotency_key_collision_total counter",
                        "idempotency_key_collision_total{operation=\"charge\"} 1.0",
                        "# TYPE idempotency_store_latency_ms histogram",
                        "idempotency_store_latency_ms_bucket{step=\"open\",store=\"memory\",le=\"1.0\"} 3",
                        "idempotency_store_latency_ms_count{step=\"open\",store=\"memory\"} 3");
        assertThat(lines)
                .contains(
                        "semel_calls_total{answer=\"executed\",operation=\"charge\"} 1.0",
                        "semel_call_duration_seconds_count{answer=\"executed\",operation=\"charge\"} 1");
    }

    @Test
    void everyMeterIsAccepted() {
        new Scenario(start(MicrometerWatch.of(prometheus)), start(Watch.NONE), time, "k").play();
        assertThat(prometheus.scrape())
                .contains(
                        "semel_retry_attempts_total{",
                        "semel_dead_letters_total{",
                        "semel_queue_depth{channel=\"mail\"}",
                        "semel_queue_oldest_age_seconds{channel=\"mail\"}",
                        "semel_ingress_ack_seconds_count{",
                        "semel_dedupe_hits_total{",
                        "semel_conflicts_total{",
                        "semel_takeovers_total{",
                        "semel_unknown_total{",
                        "semel_purged_total ",
                        "semel_batch_size_count{");
    }
}
