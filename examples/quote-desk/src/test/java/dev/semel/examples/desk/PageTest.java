package dev.semel.examples.desk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.examples.desk.demo.Conversation;
import dev.semel.testkit.Scratch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the page shows is what the example prints, and what it says is tested is tested. */
class PageTest {
    private static final Pattern NAMED = Pattern.compile("`((?:\\w+\\.)?[A-Z]\\w+Test)(?:\\.(\\w+))?`");
    private static final String FENCE = "```";

    private static String page() throws IOException {
        return Files.readString(Path.of("README.md"));
    }

    @Test
    void everyTestNamedOnThePageExists() throws IOException {
        assertThat(NAMED.matcher(page()).results()).hasSizeGreaterThan(30).allSatisfy(named -> {
            Class<?> type = Class.forName(PageTest.class.getPackageName() + "." + named.group(1));
            if (named.group(2) != null) {
                assertThat(Arrays.stream(type.getDeclaredMethods()).map(Method::getName))
                        .contains(named.group(2));
            }
        });
    }

    @Test
    void transcriptIsWhatTheExamplePrints() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        Conversation.play(
                new PrintStream(printed, true, StandardCharsets.UTF_8), Scratch.directory("quote-desk-conversation"));
        String page = page();
        int from = page.indexOf(FENCE + "text\n") + FENCE.length() + 5;
        String transcript = page.substring(from, page.indexOf(FENCE, from));
        // Two handlers may show something in either order.
        assertThat(lines(printed.toString(StandardCharsets.UTF_8)))
                .containsExactlyInAnyOrderElementsOf(lines(transcript));
    }

    private static List<String> lines(String text) {
        return text.lines()
                .filter(line -> !line.isBlank())
                .map(line -> line.replaceAll("\\(ref [^)]*\\)", "(ref ...)")
                        .replaceAll("sqlite:\\S+", "sqlite:...")
                        .replaceAll("after \\d+ calls", "after some calls"))
                .toList();
    }
}
