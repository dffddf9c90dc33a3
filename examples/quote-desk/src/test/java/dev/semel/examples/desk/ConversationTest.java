package dev.semel.examples.desk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.examples.desk.demo.SlackWorkspace;
import dev.semel.testkit.Await;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The way of a quote through the desk, from a command in Slack to the CRM and the PDF. */
class ConversationTest {
    @Test
    void commandMakesAQuoteAndShowsItsCard() throws Exception {
        try (Office office = new Office()) {
            assertThat(office.send(office.ada, office.ada.command("t1", "new Acme 25 Pro")))
                    .isEqualTo("accepted");
            Await.until("the card is shown", () -> office.shows("deals", "Q-1001"));
            assertThat(office.workspace.posts("deals"))
                    .extracting(SlackWorkspace.Post::text)
                    .containsExactly("Q-1001 | Acme | 25 x Pro | draft");
            assertThat(office.count("SELECT count(*) FROM quote")).isEqualTo(1);
        }
    }

    @Test
    void quoteIsPricedRoutedApprovedWrittenBackAndPrinted() throws Exception {
        try (Office office = new Office()) {
            office.send(office.ada, office.ada.command("t1", "new Acme 25 Pro 20%"));
            Await.until("the card is shown", () -> office.shows("deals", "draft"));
            office.send(office.ada, office.ada.command("t2", "price Q-1001"));
            Await.until("it is priced", () -> office.shows("deals", "| priced | 380.00 EUR"));
            office.send(office.ada, office.ada.command("t3", "route Q-1001"));
            Await.until(
                    "it is asked for",
                    () -> office.workspace.button("deal-desk", "approve").isPresent());
            String approval = office.workspace.button("deal-desk", "approve").orElseThrow();
            office.send(office.bob, office.bob.press("t4", "approve", approval));
            Await.until("the PDF is shown", () -> office.shows("deals", "Q-1001.pdf"));
            Await.until("the deal is in the CRM", () -> office.deals.deals().containsKey("Q-1001-v3"));
            Await.until("the card is green", () -> office.shows("deals", "| approved | 380.00 EUR | by bob"));
            List<String> cards = office.workspace.posts("deals").stream()
                    .filter(post -> post.token().startsWith("card:"))
                    .map(SlackWorkspace.Post::text)
                    .toList();
            assertThat(cards).hasSize(1);
        }
    }

    @Test
    void sentenceBecomesAQuote() throws Exception {
        try (Office office = new Office()) {
            office.send(office.ada, office.ada.mention("Ev1", "please quote 40 Team for Globex, 5 % off"));
            Await.until("the card is shown", () -> office.shows("deals", "Globex | 40 x Team | 5 % off | draft"));
        }
    }
}
