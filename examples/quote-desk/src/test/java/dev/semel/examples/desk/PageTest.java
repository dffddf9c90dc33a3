package dev.semel.examples.desk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.examples.demo.ExamplePage;
import dev.semel.examples.desk.demo.Conversation;
import dev.semel.testkit.Scratch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What the page shows is what the example prints, and what it says is tested is tested. */
class PageTest {
    @Test
    void everyTestNamedOnThePageExists() throws IOException {
        ExamplePage page = ExamplePage.ofThisModule();
        assertThat(page.namedTests()).isGreaterThan(30);
        assertThat(page.missingTests(PageTest.class)).isEmpty();
    }

    @Test
    void transcriptIsWhatTheExamplePrints() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        Conversation.play(
                new PrintStream(printed, true, StandardCharsets.UTF_8), Scratch.directory("quote-desk-conversation"));
        // Two handlers may show something in either order.
        assertThat(ExamplePage.lines(printed.toString(StandardCharsets.UTF_8)))
                .containsExactlyInAnyOrderElementsOf(ExamplePage.ofThisModule().transcript());
    }
}
