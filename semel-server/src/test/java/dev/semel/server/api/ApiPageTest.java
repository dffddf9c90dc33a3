package dev.semel.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.console.rest.ApiCode;
import dev.semel.server.api.ApiServer.LedgerKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The commands of docs/api.md print what the page shows, from its beginning to its end on one server. Fences, times and correlation ids differ from
 * run to run: a command gets those that the server has sent. When the page is wrong, the page as it should be is in the build's directory.
 */
class ApiPageTest {
    private static final Path PAGE = Path.of("..", "docs", "api.md");
    private static final Pattern VARYING =
            Pattern.compile("\"(fence|step_fence|lease_until|correlation_id)\":\"([^\"]*)\"");

    @Test
    void pageShowsTheOutputOfTheCommands() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")), "curl is not installed");
        List<String> page = Files.readAllLines(PAGE);
        List<String> played = new ArrayList<>();
        try (ApiServer server = LedgerKind.SQLITE.start()) {
            Map<String, String> actual = new HashMap<>();
            boolean transcript = false;
            for (int i = 0; i < page.size(); i++) {
                String line = page.get(i);
                transcript = line.startsWith("```") ? line.equals("```console") : transcript;
                played.add(line);
                if (transcript && line.startsWith("$ ")) {
                    List<String> shown = page.subList(i + 1, end(page, i + 1));
                    played.addAll(compared(shown, run(server, replaced(line.substring(2), actual)), actual));
                    i += shown.size();
                }
            }
        }
        if (!played.equals(page)) {
            Files.write(Path.of("target", "api.md"), played);
        }
        assertThat(played).isEqualTo(page);
        assertThat(page.stream().filter(line -> line.startsWith("$ "))).hasSizeGreaterThan(10);
    }

    private static int end(List<String> page, int from) {
        int end = from;
        while (!page.get(end).startsWith("$ ") && !page.get(end).startsWith("```")) {
            end++;
        }
        return end;
    }

    private static String replaced(String command, Map<String, String> actual) {
        String text = command;
        for (Map.Entry<String, String> each : actual.entrySet()) {
            text = text.replace(each.getKey(), each.getValue());
        }
        return text;
    }

    /** The output, with the page's ids in place of its own; remembers which stand for which. */
    private static List<String> compared(List<String> shown, List<String> printed, Map<String, String> actual) {
        List<String> result = new ArrayList<>();
        for (int i = 0; i < printed.size(); i++) {
            Matcher own = VARYING.matcher(printed.get(i));
            Matcher pages = VARYING.matcher(i < shown.size() ? shown.get(i) : "");
            StringBuilder line = new StringBuilder();
            while (own.find()) {
                String value = own.group(2);
                if (pages.find() && pages.group(1).equals(own.group(1))) {
                    String known = actual.putIfAbsent(pages.group(2), value);
                    boolean same = known == null || known.equals(value);
                    value = same ? pages.group(2) : value;
                }
                own.appendReplacement(line, Matcher.quoteReplacement("\"" + own.group(1) + "\":\"" + value + "\""));
            }
            result.add(own.appendTail(line).toString());
        }
        return result;
    }

    private static List<String> run(ApiServer server, String command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", command).redirectErrorStream(true);
        builder.environment().put("URL", server.url() + "/api/v1");
        builder.environment().put("TOKEN", "Authorization: Bearer " + ApiServer.ACME);
        Process process = builder.start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).as(command).isTrue();
        return printed.lines().toList();
    }

    @Test
    void tableOfCodesIsComplete() throws IOException {
        List<String> written = Files.readAllLines(PAGE).stream()
                .filter(line -> line.matches("\\| `[a-z]+\\.[a-z_0-9]+` \\| \\d+ \\|.*"))
                .map(line -> line.split("\\|")[1].strip() + line.split("\\|")[2].strip())
                .toList();
        assertThat(written)
                .containsExactlyElementsOf(Arrays.stream(ApiCode.values())
                        .map(code -> "`" + code.code() + "`" + code.status())
                        .toList());
    }
}
