package dev.semel.examples.desk;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.client.WireMock;
import dev.semel.Sent;
import dev.semel.examples.desk.demo.SlackUser.Delivery;
import dev.semel.examples.desk.outbox.Channels;
import dev.semel.examples.desk.outbox.Note;
import dev.semel.examples.desk.outbox.RenderJob;
import dev.semel.examples.desk.shared.Asked;
import dev.semel.key.Keys;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.text.PDFTextStripper;
import org.junit.jupiter.api.Test;

/** Section 4: what each of the six classes of operations promises. */
class DeliveryClassesTest {
    private static final Asked ASKED = new Asked("cli", "r-1", "ada", "deals", "c-1");

    @Test
    void class1_mutationsHaveOneEffectHoweverOftenTheyAreDelivered() throws Exception {
        try (Office office = new Office()) {
            Delivery delivery = office.ada.command("t1", "new Acme 25 Pro");
            ExecutorService threads = Executors.newFixedThreadPool(4);
            List<Callable<String>> deliveries = IntStream.range(0, 12)
                    .mapToObj(i -> (Callable<String>) () -> office.send(office.ada, delivery.again(i)))
                    .toList();
            int accepted = 0;
            for (Future<String> each : threads.invokeAll(deliveries)) {
                accepted += each.get().equals("accepted") ? 1 : 0;
            }
            threads.shutdown();
            assertThat(accepted).isEqualTo(1);
            Await.until("the card is shown", () -> office.shows("deals", "draft"));
            assertThat(office.count("SELECT count(*) FROM quote")).isEqualTo(1);
        }
    }

    @Test
    void class2_evaluationHasOneSnapshotPerKeyAndAnotherForANewOne() throws Exception {
        try (Office office = new Office()) {
            office.send(office.ada, office.ada.command("t1", "new Acme 25 Pro 20%"));
            Await.until("the card is shown", () -> office.shows("deals", "draft"));
            office.send(office.ada, office.ada.command("t2", "price Q-1001"));
            office.send(office.ada, office.ada.command("t2", "price Q-1001").again(1));
            Await.until("it is priced", () -> office.shows("deals", "priced"));
            assertThat(office.count("SELECT count(*) FROM price")).isEqualTo(1);
            office.send(office.ada, office.ada.command("t3", "price Q-1001"));
            Await.until("it is priced anew", () -> office.count("SELECT count(*) FROM price") == 2);
            assertThat(office.count("SELECT count(DISTINCT total_cents) FROM price"))
                    .isEqualTo(1);
        }
    }

    @Test
    void class3_statusUpdatesConvergeOnOneMessage() throws Exception {
        try (Office office = new Office()) {
            office.workspace.loseReplies(2);
            office.send(office.ada, office.ada.command("t1", "new Acme 25 Pro"));
            office.retryUntil(
                    "slack-status",
                    () -> office.rows(State.COMPLETED, "slack-status").size() == 1);
            assertThat(office.slack.requests("/api/chat.postMessage")).isEqualTo(1);
            assertThat(office.slack.requests("/api/chat.update")).isEqualTo(2);
            assertThat(office.workspace.posts("deals")).hasSize(1);
        }
    }

    @Test
    void class4_noticesAreDeduplicatedByTheirToken() throws Exception {
        try (Office office = new Office()) {
            Note note = new Note("deals", "reminder:1", "Q-1 waits for you.", List.of(), ASKED);
            office.workspace.loseReplies(1);
            Sent.Accepted first = office.desk()
                    .semel()
                    .send(Channels.NOTICE, Channels.message(Keys.messageId(note.token()), note, ASKED))
                    .orThrow();
            Sent.Accepted again = office.desk()
                    .semel()
                    .send(Channels.NOTICE, Channels.message(Keys.messageId(note.token()), note, ASKED))
                    .orThrow();
            assertThat(first.first()).isTrue();
            assertThat(again.first()).isFalse();
            office.retryUntil(
                    "slack-notice",
                    () -> office.rows(State.COMPLETED, "slack-notice").size() == 1);
            assertThat(office.workspace.posts("deals"))
                    .singleElement()
                    .satisfies(post -> assertThat(post.token()).isEqualTo("reminder:1"));
        }
    }

    @Test
    void class5_crmKeepsOneDealForAReference() throws Exception {
        try (Office office = new Office()) {
            office.deals.loseReplies(2);
            office.approvedQuote("Acme");
            office.retryUntil(
                    "crm-writeback", () -> office.count("SELECT count(*) FROM crm_sync WHERE state = 'SYNCED'") == 1);
            assertThat(office.crm.requests("/crm/deals")).isEqualTo(3);
            assertThat(office.deals.deals()).containsOnlyKeys("Q-1001-v1");
        }
    }

    @Test
    void class6_documentsAreDeduplicatedByTheirChecksum() throws Exception {
        try (Office office = new Office()) {
            RenderJob job = new RenderJob("Q-7", "Quote Q-7", List.of("25 x Pro", "Total: 475.00 EUR"), ASKED);
            for (String key : List.of("render-1", "render-2")) {
                office.desk()
                        .semel()
                        .send(Channels.RENDER, Channels.message(Keys.messageId(key), job, ASKED))
                        .orThrow();
            }
            office.slack.fail(
                    "/api/files.completeUploadExternal", 1, WireMock.aResponse().withStatus(500));
            office.retryUntil("pdf-upload", () -> office.shows("deals", "Q-7.pdf"));
            Await.until(
                    "both are rendered",
                    () -> office.rows(State.COMPLETED, "pdf-render").size() == 2);
            try (Stream<Path> files = Files.list(office.settings().documents())) {
                assertThat(files).hasSize(1);
            }
            assertThat(office.workspace.files()).hasSize(1);
            byte[] uploaded = office.workspace.files().values().iterator().next();
            try (PDDocument document = Loader.loadPDF(uploaded)) {
                assertThat(new PDFTextStripper().getText(document)).contains("Quote Q-7", "Total: 475.00 EUR");
            }
        }
    }
}
