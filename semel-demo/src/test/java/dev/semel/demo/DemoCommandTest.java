package dev.semel.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.cli.Main;
import dev.semel.testkit.Await;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command as a person runs it, in a process of its own where it ends that process. */
@Timeout(300)
class DemoCommandTest {
    private static final Pattern CONSOLE = Pattern.compile(
            "console: (http://127\\.0\\.0\\.1:\\d+/console/)\\s+one-time secret for the login: (semel_once_\\S+)");
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    private Path directory;

    private record Ran(int exit, String out, String err) {}

    @Test
    void jsonHasTheScoreAndNothingElse() {
        Ran demo = semel("demo", "--seconds", "1", "--workers", "2", "--json");
        assertThat(demo.err()).isEmpty();
        JsonNode score = JsonMapper.shared().readTree(demo.out());
        assertThat(score.propertyNames()).containsExactlyInAnyOrder("seconds", "semel", "kills", "bank", "violations");
        assertThat(score.get("semel").propertyNames())
                .containsExactlyInAnyOrder(
                        "asked",
                        "duplicates",
                        "acknowledged",
                        "delivered",
                        "doubled",
                        "lost",
                        "out_of_order",
                        "waiting",
                        "redelivered",
                        "refused");
        assertThat(score.get("kills").propertyNames()).containsExactlyInAnyOrder("workers", "senders", "receivers");
        assertThat(score.get("semel").get("doubled").asLong()).isZero();
        assertThat(score.get("semel").get("lost").asLong()).isZero();
        assertThat(score.get("semel").get("delivered").asLong()).isPositive();
        assertThat(score.get("kills").get("workers").asInt()).isPositive();
        assertThat(demo.exit()).isZero();
    }

    @Test
    void interruptedDemoPrintsItsScoreAndLeavesNothingBehind() throws Exception {
        Process demo = start("--workers", "1", "--without-semel");
        Await.until("webhooks are delivered", () -> output().matches("(?s).*delivered [1-9].*"));
        assertThat(figuresOfTheConsole())
                .containsExactly("Asked", "Duplicates", "Delivered", "Waiting", "Doubled", "Lost");
        List<ProcessHandle> children = demo.descendants().toList();
        assertThat(children).hasSizeGreaterThanOrEqualTo(3);
        // SIGTERM, which ends it as Ctrl-C does: where a build runs in the background, its processes ignore SIGINT
        demo.destroy();
        assertThat(demo.waitFor(240, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(directory.resolve("err"))).isEmpty();
        assertThat(output()).contains("each booked exactly once", "By hand: ");
        assertThat(demo.exitValue()).isZero();
        assertThat(children).noneMatch(ProcessHandle::isAlive);
        assertThat(leftovers()).isEmpty();
    }

    /** The names of the figures on the page, read with the address and the secret that were printed. */
    private List<String> figuresOfTheConsole() throws Exception {
        Matcher printed = CONSOLE.matcher(output());
        assertThat(printed.find()).as(output()).isTrue();
        URI console = URI.create(printed.group(1));
        HttpResponse<String> session = CLIENT.send(
                HttpRequest.newBuilder(console.resolve("/api/v1/session"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"secret\": \"" + printed.group(2) + "\"}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(session.statusCode()).isEqualTo(200);
        String token =
                JsonMapper.shared().readTree(session.body()).path("token").asString();
        HttpResponse<String> overview = CLIENT.send(
                HttpRequest.newBuilder(console.resolve("/api/v1/admin/overview"))
                        .header("Authorization", "Bearer " + token)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        List<String> names = new ArrayList<>();
        JsonMapper.shared()
                .readTree(overview.body())
                .path("program")
                .forEach(figure -> names.add(figure.path("name").asString()));
        return names;
    }

    @Test
    void demoThatIsInterruptedAtItsStartJudgesNothingAndLeavesNothingBehind() throws Exception {
        Process demo = start("--workers", "1");
        Await.until("the ledger is made", () -> !leftovers().isEmpty() || !demo.isAlive());
        demo.destroy();
        assertThat(demo.waitFor(240, TimeUnit.SECONDS)).isTrue();
        assertThat(output()).doesNotContain("exactly once");
        assertThat(demo.exitValue()).isNotZero();
        assertThat(leftovers()).isEmpty();
    }

    @Test
    void killedDemoLeavesNoProcessBehind() throws Exception {
        Process demo = start("--workers", "1");
        Await.until("the server listens", () -> output().contains("console: "));
        List<ProcessHandle> children = demo.descendants().toList();
        demo.destroyForcibly().waitFor();
        Await.until("its processes end", () -> children.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Test
    void storeThatProcessesCannotShareIsBadInput() {
        Ran ran = semel("demo", "--seconds", "1", "--store", "memory:");
        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains("memory:", "a database that several processes share");
    }

    @Test
    void unknownStoreIsBadInput() {
        Ran ran = semel("demo", "--seconds", "1", "--store", "oracle:x");
        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains("no store opens 'oracle:...'");
    }

    @Test
    void invalidNumbersAreReportedTogether() {
        Ran ran = semel("demo", "--seconds", "0", "--workers", "-1");
        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err()).contains("--seconds is 0", "--workers is -1: use 1 to 64");
        assertThat(semel("demo", "--seconds", "soon").exit()).isEqualTo(2);
    }

    @Test
    void helpExplainsTheScore() {
        Ran help = semel("demo", "--help");
        assertThat(help.exit()).isZero();
        assertThat(help.out()).contains("Usage: semel demo", "duplicates", "doubled", "lost", "--without-semel");
    }

    private static Ran semel(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        line.setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF));
        int exit = line.execute(args);
        return new Ran(exit, out.toString(), err.toString());
    }

    private Process start(String... args) throws IOException {
        Files.createDirectories(temporary());
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + temporary(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "demo"));
        command.addAll(List.of(args));
        return new ProcessBuilder(command)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile())
                .start();
    }

    private String output() throws IOException {
        return Files.readString(directory.resolve("out"));
    }

    private Path temporary() {
        return directory.resolve("tmp");
    }

    private List<Path> leftovers() throws IOException {
        try (Stream<Path> files = Files.list(temporary())) {
            return files.toList();
        }
    }
}
