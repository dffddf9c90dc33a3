package dev.semel.examples.desk;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.client.WireMock;
import dev.semel.examples.desk.quotes.Action;
import dev.semel.examples.desk.quotes.Command;
import dev.semel.examples.desk.quotes.Command.Target;
import dev.semel.examples.desk.shared.Asked;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import io.micrometer.core.instrument.Counter;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Section 8.3: the five metrics. */
class MetricsTest {
    private static double sum(Office office, String name, String... tags) {
        return office.meters.find(name).tags(tags).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    @Test
    void metric1_idempotencyHitRate() throws Exception {
        try (Office office = new Office()) {
            Asked asked = new Asked("scheduler", "r-1", "cron", "deals", "c-1");
            Command command = new Command(
                    Action.CREATE, asked, Target.NEW, Map.of("customer", "Acme", "product", "Pro", "quantity", "25"));
            for (int i = 0; i < 4; i++) {
                office.desk().commands().run(command);
            }
            double hits = sum(office, "idempotency_cache_hit_total", "operation", "quote.create");
            double misses = sum(office, "idempotency_cache_miss_total", "operation", "quote.create");
            assertThat(hits / (hits + misses)).isEqualTo(0.75);
        }
    }

    @Test
    void metric2And5_duplicatesAndTheTimeToAcknowledge() throws Exception {
        try (Office office = new Office()) {
            office.send(office.ada, office.ada.command("t1", "new Acme 25 Pro"));
            office.send(office.ada, office.ada.command("t1", "new Acme 25 Pro").again(1));
            office.send(office.ada, office.ada.command("t1", "new Acme 25 Pro").again(2));
            assertThat(sum(office, "semel.dedupe.hits", "operation", "slack-inbox"))
                    .isEqualTo(2);
            assertThat(office.meters
                            .get("semel.ingress.ack")
                            .tag("operation", "slack-inbox")
                            .timer()
                            .count())
                    .isEqualTo(3);
        }
    }

    @Test
    void metric3And4_retriesByAdapterAndDeadLettersByCategory() throws Exception {
        try (Office office = new Office()) {
            office.crm.fail("/crm/deals", 100, WireMock.aResponse().withStatus(503));
            office.approvedQuote("Acme");
            office.retryUntil(
                    "crm-writeback",
                    () -> !office.rows(State.FAILED_TERMINAL, "crm-writeback").isEmpty());
            assertThat(sum(
                            office,
                            "semel.retry.attempts",
                            "operation",
                            "crm-writeback",
                            "policy",
                            "RETRY_CRM_WRITEBACK"))
                    .isEqualTo(6);
            Await.until(
                    "it is counted",
                    () -> sum(office, "semel.dead_letters", "operation", "crm-writeback", "category", "upstream_error")
                            == 1);
        }
    }
}
