package dev.semel.examples.helpdesk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.examples.demo.ExamplePage;
import dev.semel.examples.helpdesk.demo.Story;
import dev.semel.testkit.Scratch;
import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Rule;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the page shows is what the example prints, and what it says is tested is tested. */
class StoryTest {
    private static final List<Class<?>> RULES =
            List.of(EventRulesTest.class, RetryRulesTest.class, OperationRulesTest.class, CrashRulesTest.class);

    @Test
    void everyTestNamedOnThePageExistsAndEveryRuleIsOnThePage() throws IOException {
        ExamplePage page = ExamplePage.ofThisModule();
        assertThat(page.missingTests(StoryTest.class)).isEmpty();
        Stream<String> rules = RULES.stream()
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .map(Method::getName)
                .filter(name -> name.startsWith("rule"));
        assertThat(rules).hasSizeGreaterThan(25).allMatch(page::names);
    }

    @Test
    void transcriptIsWhatTheExamplePrintsAndTheCheckerAgrees() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        Judgement judgement =
                Story.play(new PrintStream(printed, true, StandardCharsets.UTF_8), Scratch.directory("helpdesk-story"));
        judgement.assertHolds(Rule.R1, Rule.R2, Rule.R7, Rule.R8, Rule.R9, Rule.R10);
        // A line of the helpdesk and one of its webhook may come in either order.
        assertThat(ExamplePage.lines(printed.toString(StandardCharsets.UTF_8)))
                .containsExactlyInAnyOrderElementsOf(ExamplePage.ofThisModule().transcript());
    }
}
