package dev.semel.examples.desk;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.client.WireMock;
import dev.semel.Failure;
import dev.semel.examples.desk.demo.SlackUser.Delivery;
import dev.semel.examples.desk.documents.PdfRenderer;
import dev.semel.examples.desk.outbox.RenderJob;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Section 5: each failure of the catalogue, and its recovery. */
class FailureCatalogueTest {
    /** Long enough that a service that answers at once is never timed out, on a busy machine either. */
    private static final Duration SHORT = Duration.ofSeconds(3);

    private static final int LONGER_MILLIS = 10_000;

    private static JsonNode slash(String trigger, String text) {
        return JsonMapper.shared()
                .valueToTree(Map.of("trigger_id", trigger, "text", text, "user_name", "ada", "channel_name", "deals"));
    }

    @Test
    void section5_1_duplicateDeliveryIsRecognisedAtTheDoor() throws Exception {
        try (Office office = new Office()) {
            Delivery event = office.ada.mention("Ev1", "25 Pro for Acme");
            assertThat(office.send(office.ada, event)).isEqualTo("accepted");
            assertThat(office.send(office.ada, event.again(1))).isEqualTo("duplicate");
            assertThat(office.send(office.ada, event.again(2))).isEqualTo("duplicate");
            Await.until("the card is shown", () -> office.shows("deals", "Acme"));
            assertThat(office.count("SELECT count(*) FROM quote")).isEqualTo(1);
            assertThat(office.model.requests("/v1/extract")).isEqualTo(1);
        }
    }

    @Test
    void section5_1_slowHandlerDoesNotDelayTheAcknowledgement() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        try (Office office = new Office(options -> options.withCheckpoint(point -> {
            if (point.equals("inbox.after-commit")) {
                awaitUninterruptibly(release);
            }
        }))) {
            // Acknowledged while the handler of the first request is still running.
            assertThat(office.send(office.ada, office.ada.command("t1", "new Acme 25 Pro")))
                    .isEqualTo("accepted");
            Await.until("the handler runs", () -> office.count("SELECT count(*) FROM quote") == 1);
            assertThat(office.send(
                            office.ada,
                            office.ada.command("t1", "new Acme 25 Pro").again(1)))
                    .isEqualTo("duplicate");
            assertThat(office.rows(State.COMPLETED, "slack-inbox")).isEmpty();
            release.countDown();
            Await.until(
                    "it is handled",
                    () -> office.rows(State.COMPLETED, "slack-inbox").size() == 1);
        } finally {
            release.countDown();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void section5_1_rateLimitIsObeyed() throws Exception {
        try (Office office = new Office()) {
            office.slack.fail(
                    "/api/conversations.history",
                    1,
                    WireMock.aResponse().withStatus(429).withHeader("Retry-After", "7"));
            office.send(office.ada, office.ada.command("t1", "new Acme 25 Pro"));
            office.retryUntil("slack-status", () -> office.shows("deals", "draft"));
            assertThat(office.audit("slack-status", "retry.attempt"))
                    .singleElement()
                    .satisfies(event -> {
                        assertThat(event.get("category")).isEqualTo("rate_limited");
                        assertThat((Long) event.get("delay_ms")).isGreaterThanOrEqualTo(7000);
                    });
        }
    }

    @Test
    void section5_1_lostSocketIsOpenedAgainAndNothingIsLostOrDoubled() throws Exception {
        try (Office office = new Office()) {
            office.desk().withSocketMode();
            office.socket.deliver("e1", "slash_commands", slash("t1", "new Acme 25 Pro"));
            Await.until("it is acknowledged", () -> office.socket.acknowledged().contains("e1"));
            office.socket.drop();
            office.socket.deliver("e2", "slash_commands", slash("t2", "new Globex 10 Team"));
            office.socket.deliver("e1-again", "slash_commands", slash("t1", "new Acme 25 Pro"));
            Await.until(
                    "both are acknowledged",
                    () -> office.socket.acknowledged().contains("e2")
                            && office.socket.acknowledged().contains("e1-again"));
            assertThat(office.socket.connections()).isGreaterThanOrEqualTo(2);
            Await.until("both quotes are made", () -> office.count("SELECT count(*) FROM quote") == 2);
            Await.until(
                    "everything is handled",
                    () -> office.rows(State.QUEUED, "slack-inbox").isEmpty()
                            && office.rows(State.IN_PROGRESS, "slack-inbox").isEmpty());
            assertThat(office.count("SELECT count(*) FROM quote")).isEqualTo(2);
        }
    }

    @Test
    void section5_2_crmTimeoutIsRetriedWithABound() throws Exception {
        try (Office office = new Office(options -> options.withTimeout(SHORT))) {
            office.crm.fail("/crm/deals", 2, WireMock.aResponse().withFixedDelay(LONGER_MILLIS));
            office.approvedQuote("Acme");
            office.retryUntil(
                    "crm-writeback",
                    () -> office.deals.deals().containsKey("Q-1001-v1")
                            && !office.rows(State.COMPLETED, "crm-writeback").isEmpty());
            assertThat(office.audit("crm-writeback", "retry.attempt"))
                    .extracting(event -> event.get("category"))
                    .containsOnly("timeout")
                    .hasSizeGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void section5_2_mappingErrorIsTerminalAndNamesTheField() throws Exception {
        try (Office office = new Office()) {
            office.crm.fail("/crm/deals", 1, WireMock.jsonResponse("{\"error\":\"field segment is unknown\"}", 422));
            office.approvedQuote("Acme");
            Await.until("the user is told", () -> office.shows("deals", "Q-1001 is not in the CRM"));
            assertThat(office.shows("deals", "CRM mapping mismatch: field segment is unknown"))
                    .isTrue();
            assertThat(office.crm.requests("/crm/deals")).isEqualTo(1);
            assertThat(office.count("SELECT count(*) FROM crm_sync WHERE state = 'FAILED'"))
                    .isEqualTo(1);
        }
    }

    @Test
    void section5_2_expiredLoginPausesTheChannelAndSaysWhatToDo() throws Exception {
        try (Office office = new Office()) {
            office.crm.fail("/crm/deals", 1, WireMock.aResponse().withStatus(401));
            office.approvedQuote("Acme");
            Await.until("the user is told", () -> office.shows("deals", "The CRM login has expired"));
            Await.until(
                    "the channel is paused",
                    () -> !office.audit("crm-writeback", "channel.paused").isEmpty());
            Await.until(
                    "it is handed back",
                    () -> office.rows(State.QUEUED, "crm-writeback").size() == 1);
            assertThat(office.rows(State.QUEUED, "crm-writeback")
                            .get(0)
                            .status()
                            .attempts())
                    .isZero();
            office.operator().resume("crm-writeback", null, new Warrant("ann", "login renewed"));
            Await.until("it is written", () -> office.deals.deals().containsKey("Q-1001-v1"));
        }
    }

    @Test
    void section5_3_rendererThatFailsOnceIsTriedAgain() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        try (Office office = new Office(options -> options.withRenderer(new PdfRenderer() {
            @Override
            public byte[] render(RenderJob job) {
                if (tries.incrementAndGet() == 1) {
                    throw Failure.of(Failure.Category.RENDER, "The renderer failed: no memory.")
                            .asException();
                }
                return super.render(job);
            }
        }))) {
            office.approvedQuote("Acme");
            office.retryUntil("pdf-render", () -> office.shows("deals", "Q-1001.pdf"));
            assertThat(tries).hasValue(2);
        }
    }

    @Test
    void section5_3_textThatCannotBePrintedIsTerminalWithDiagnostics() throws Exception {
        try (Office office = new Office()) {
            office.approvedQuote("\u5c71");
            Await.until("the user is told", () -> office.shows("deals", "There is no PDF of Q-1001"));
            assertThat(office.shows("deals", "cannot be rendered")).isTrue();
            assertThat(office.audit("pdf-render", "retry.attempt")).isEmpty();
        }
    }

    @Test
    void section5_3_failedUploadIsRepeatedWithoutRenderingAgain() throws Exception {
        AtomicInteger rendered = new AtomicInteger();
        try (Office office = new Office(options -> options.withRenderer(new PdfRenderer() {
            @Override
            public byte[] render(RenderJob job) {
                rendered.incrementAndGet();
                return super.render(job);
            }
        }))) {
            office.slack.fail(
                    "/api/files.completeUploadExternal", 2, WireMock.aResponse().withStatus(502));
            office.approvedQuote("Acme");
            office.retryUntil("pdf-upload", () -> office.shows("deals", "Q-1001.pdf"));
            assertThat(rendered).hasValue(1);
            assertThat(office.slack.requests("/api/files.getUploadURLExternal")).isEqualTo(1);
        }
    }

    @Test
    void section5_4_modelThatTimesOutIsReplacedByAForm() throws Exception {
        try (Office office = new Office(options -> options.withTimeout(SHORT))) {
            office.model.fail("/v1/extract", 10, WireMock.aResponse().withFixedDelay(LONGER_MILLIS));
            office.send(office.ada, office.ada.mention("Ev1", "25 Pro for Acme"));
            office.retryUntil(
                    "llm-extract",
                    () -> office.workspace.button("deals", "open_form").isPresent());
            assertThat(office.audit("llm-extract", "retry.attempt")).hasSize(3);
            office.send(
                    office.ada,
                    office.ada.submit("t1", Map.of("customer", "Acme", "product", "Pro", "quantity", "25")));
            Await.until("the quote is made", () -> office.shows("deals", "Acme | 25 x Pro | draft"));
        }
    }

    @Test
    void section5_4_invalidOutputBecomesAQuestion() throws Exception {
        try (Office office = new Office()) {
            office.send(office.ada, office.ada.mention("Ev1", "some Pro for Acme"));
            Await.until("the user is asked", () -> office.shows("deals", "I could not read the quantity."));
            assertThat(office.model.requests("/v1/extract")).isEqualTo(1);
            assertThat(office.count("SELECT count(*) FROM quote")).isZero();
        }
    }
}
