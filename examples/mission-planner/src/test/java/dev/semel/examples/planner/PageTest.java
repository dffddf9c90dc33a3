package dev.semel.examples.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the page says is shown is shown by a test of that name, and its requests are answered as it says. */
class PageTest {
    private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w+Test)(?:\\.(\\w+))?`");
    private static final Pattern FILE =
            Pattern.compile("`((?:planning|effects|access)/\\w+\\.java|\\w+\\.(?:sql|yml))`");
    private static final Pattern CURL = Pattern.compile("(?m)^ {4}curl -si? localhost:8080(\\S+)((?:.*\\\\\\n)*.*)$");
    private static final Pattern HEADER = Pattern.compile("-H '([^:]+): ([^']+)'");
    private static final Pattern DATA = Pattern.compile("-d '([^']+)'");

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
    void everyFileNamedOnThePageExists() throws IOException {
        assertThat(FILE.matcher(page()).results()).hasSizeGreaterThan(10).allSatisfy(named -> {
            String name = named.group(1);
            Path folder = name.endsWith(".java")
                    ? Path.of("src/main/java/dev/semel/examples/planner")
                    : Path.of("src/main/resources");
            assertThat(folder.resolve(name)).exists();
        });
    }

    @ParameterizedTest
    @EnumSource
    void requestsOfThePageAreAnsweredAsItSays(Engine engine) throws IOException {
        List<MatchResult> requests = CURL.matcher(page()).results().toList();
        assertThat(requests).hasSize(4);
        MatchResult project = requests.get(0);
        PlannerResponse first = send(engine, project.group());
        PlannerResponse again = send(engine, project.group());
        assertThat(first).matches(heard -> heard.status() == 201 && !heard.isReplay());
        assertThat(again).matches(PlannerResponse::isReplay);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(send(engine, project.group().replace("Apollo", "Gemini")))
                .matches(heard -> heard.is(409, "idempotency.payload_mismatch"));
        assertThat(send(engine, project.group().replace("demo-ada", "demo-gus")))
                .matches(heard -> heard.status() == 201 && !heard.isReplay());

        assertThat(send(engine, requests.get(1).group())).matches(heard -> heard.status() == 202);
        assertThat(send(engine, requests.get(1).group().replace("demo-ada", "demo-gus")))
                .matches(heard -> heard.is(403, "feature.disabled"));
        assertThat(send(engine, requests.get(2).group()).json().size()).isEqualTo(1);
        assertThat(send(engine, requests.get(3).group()).json().size())
                .as("a project and an announcement")
                .isEqualTo(2);
    }

    /** Sends what a shell would have {@code curl} send. */
    private static PlannerResponse send(Engine engine, String command) {
        MatchResult parts = CURL.matcher(command).results().findFirst().orElseThrow();
        URI address = engine.planner().base().resolve(parts.group(1));
        HttpRequest.Builder request = HttpRequest.newBuilder(address);
        HEADER.matcher(parts.group(2)).results().forEach(header -> request.header(header.group(1), header.group(2)));
        DATA.matcher(parts.group(2))
                .results()
                .forEach(data -> request.POST(HttpRequest.BodyPublishers.ofString(data.group(1))));
        return Person.send(request);
    }
}
