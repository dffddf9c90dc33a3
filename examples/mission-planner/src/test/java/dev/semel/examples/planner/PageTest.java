package dev.semel.examples.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the page says is shown is shown by a test of that name. */
class PageTest {
    private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w+Test)(?:\\.(\\w+))?`");

    @Test
    void everyTestNamedOnThePageExists() throws IOException {
        String page = Files.readString(Path.of("README.md"));
        assertThat(NAMED.matcher(page).results()).hasSizeGreaterThan(30).allSatisfy(named -> {
            Class<?> type = Class.forName(PageTest.class.getPackageName() + "." + named.group(1));
            if (named.group(2) != null) {
                assertThat(Arrays.stream(type.getDeclaredMethods()).map(Method::getName))
                        .contains(named.group(2));
            }
        });
    }
}
