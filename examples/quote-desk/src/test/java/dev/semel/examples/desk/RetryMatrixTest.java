package dev.semel.examples.desk;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.client.WireMock;
import dev.semel.Failure;
import dev.semel.examples.desk.documents.PdfRenderer;
import dev.semel.examples.desk.outbox.RenderJob;
import dev.semel.store.State;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Section 6: how often and after which delays each class is retried, and when it becomes a dead letter. */
class RetryMatrixTest {
    private static void assertDead(Office office, String channel) {
        assertThat(office.rows(State.FAILED_TERMINAL, channel)).hasSize(1);
        assertThat(office.audit(channel, "retry.exhausted")).hasSize(1);
        assertThat(office.audit(channel, "system.error")).hasSize(1);
    }

    /** Full jitter: anything from zero to the delay, which doubles from the base. */
    private static void assertFullJitter(List<Long> delays, int retries, long base, long cap) {
        assertThat(delays).hasSize(retries);
        for (int i = 0; i < retries; i++) {
            assertThat(delays.get(i)).isBetween(0L, Math.min(cap, base << i));
        }
    }

    @Test
    void row2_slackMessagesAreRetriedFiveTimes() throws Exception {
        try (Office office = new Office()) {
            office.slack.fail(
                    "/api/conversations.history", 100, WireMock.aResponse().withStatus(500));
            office.send(office.ada, office.ada.command("t1", "new Acme 25 Pro"));
            office.retryUntil(
                    "slack-status",
                    () -> !office.rows(State.FAILED_TERMINAL, "slack-status").isEmpty());
            assertFullJitter(office.delays("slack-status"), 5, 250, 30_000);
            assertDead(office, "slack-status");
        }
    }

    @Test
    void row2_rejectedMessagesAreNotRetried() throws Exception {
        try (Office office = new Office()) {
            office.slack.fail(
                    "/api/conversations.history",
                    1,
                    WireMock.jsonResponse("{\"ok\":false,\"error\":\"channel_not_found\"}", 200));
            office.send(office.ada, office.ada.command("t1", "new Acme 25 Pro"));
            office.retryUntil(
                    "slack-status",
                    () -> !office.rows(State.FAILED_TERMINAL, "slack-status").isEmpty());
            assertThat(office.delays("slack-status")).isEmpty();
        }
    }

    @Test
    void row3_crmWritebackIsRetriedSixTimes() throws Exception {
        try (Office office = new Office()) {
            office.crm.fail("/crm/deals", 100, WireMock.aResponse().withStatus(503));
            office.approvedQuote("Acme");
            office.retryUntil(
                    "crm-writeback",
                    () -> !office.rows(State.FAILED_TERMINAL, "crm-writeback").isEmpty());
            assertFullJitter(office.delays("crm-writeback"), 6, 500, 60_000);
            assertDead(office, "crm-writeback");
        }
    }

    @Test
    void row4_renderingIsRetriedTwiceAfterOneAndThreeSeconds() throws Exception {
        try (Office office = new Office(options -> options.withRenderer(new PdfRenderer() {
            @Override
            public byte[] render(RenderJob job) {
                throw Failure.of(Failure.Category.RENDER, "The renderer failed.")
                        .asException();
            }
        }))) {
            office.approvedQuote("Acme");
            office.retryUntil(
                    "pdf-render",
                    () -> !office.rows(State.FAILED_TERMINAL, "pdf-render").isEmpty());
            assertThat(office.delays("pdf-render")).containsExactly(1000L, 3000L);
            assertDead(office, "pdf-render");
        }
    }

    @Test
    void row5_extractionIsRetriedThreeTimesWithBoundedJitter() throws Exception {
        try (Office office = new Office()) {
            office.model.fail("/v1/extract", 100, WireMock.aResponse().withStatus(503));
            office.send(office.ada, office.ada.mention("Ev1", "25 Pro for Acme"));
            office.retryUntil(
                    "llm-extract",
                    () -> !office.rows(State.FAILED_TERMINAL, "llm-extract").isEmpty());
            List<Long> delays = office.delays("llm-extract");
            assertThat(delays).hasSize(3);
            for (int i = 0; i < 3; i++) {
                assertThat(delays.get(i)).isBetween(150L << i, 450L << i);
            }
            assertDead(office, "llm-extract");
        }
    }
}
