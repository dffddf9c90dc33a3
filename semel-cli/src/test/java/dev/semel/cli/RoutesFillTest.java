package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Renewal;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.testkit.PrivatePostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code semel routes fill}. */
@Timeout(180)
class RoutesFillTest {
    private static final Pattern JOB = Pattern.compile("(fill-\\S+) is running\\..*");

    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|\\S+");

    /** So many a commit, and a commit a second: the process is killed after the first of six. */
    private static final int RATE = 20;

    private static final int WEBHOOKS = 120;

    @TempDir
    private Path directory;

    private SampleRoutes sqlite(int webhooks) {
        return SampleRoutes.in(directory, "sqlite:" + directory.resolve("ledger.db"), webhooks);
    }

    private static Shell fill(SampleRoutes routes, String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("routes", "fill", "--file", routes.file().toString(), "--store", routes.store()));
        arguments.addAll(List.of("--from", "shop", "--to", "crm"));
        arguments.addAll(List.of(more));
        return Shell.semel(arguments.toArray(String[]::new));
    }

    @Test
    void previewCountsAndSaysFromWhenOnAndTheFillSendsAsMany() {
        SampleRoutes routes = sqlite(12);
        Shell preview = fill(routes, "--preview");
        assertThat(preview.exit()).isZero();
        assertThat(preview.out())
                .contains("12 messages would be sent from shop to crm; nothing was changed.")
                .contains("The oldest that the ledger keeps came in at ")
                .contains("what came in before was purged and cannot be sent.");
        assertThat(routes.filled()).isEmpty();
        Shell filled = fill(routes, "--yes", "--reason", "crm is new");
        assertThat(filled.exit()).as(filled.err()).isZero();
        assertThat(filled.out()).containsPattern("fill-\\S+ finished: 12 messages sent, 0 left\\.");
        assertThat(routes.filled())
                .isEqualTo(IntStream.rangeClosed(1, 12).boxed().toList());
        JsonNode again =
                JsonMapper.shared().readTree(fill(routes, "--preview", "--json").out());
        assertThat(again.get("matched").asInt()).isZero();
        assertThat(again.get("already").asInt()).isEqualTo(12);
        assertThat(again.get("oldest").asString()).isNotEmpty();
    }

    @Test
    void fillOfManyNeedsConfirmationAndAnEmptyOneSaysSo() {
        SampleRoutes routes = sqlite(2);
        Shell unconfirmed = fill(routes, "--reason", "crm is new");
        assertThat(unconfirmed.exit()).isNotZero();
        assertThat(unconfirmed.err()).contains("2 messages match, but confirmation needs a terminal");
        assertThat(routes.filled()).isEmpty();
        assertThat(fill(routes, "--yes", "--reason", "crm is new").exit()).isZero();
        Shell empty = fill(routes, "--yes", "--reason", "once more");
        assertThat(empty.exit()).isEqualTo(Exit.CHECK_FAILED.code());
        assertThat(empty.err()).contains("Nothing is left to send from shop to crm");
    }

    @Test
    void unknownRouteAndFaultyFileAreRejected() throws IOException {
        SampleRoutes routes = sqlite(1);
        Shell unknown = Shell.semel(
                "routes",
                "fill",
                "--file",
                routes.file().toString(),
                "--store",
                routes.store(),
                "--from",
                "shop",
                "--to",
                "cmr",
                "--preview");
        assertThat(unknown.exit()).isNotZero();
        assertThat(unknown.err()).contains("no destination \"cmr\"");
        Files.writeString(routes.file(), "store: sqlite:x.db\nrutes: []\n");
        Shell faulty = fill(routes, "--preview");
        assertThat(faulty.exit()).isEqualTo(Exit.CHECK_FAILED.code());
        assertThat(faulty.err()).contains("semel.yaml:2:1: unknown setting 'rutes'");
    }

    @Test
    void pageShowsTheOutputOfTheCommands() throws IOException {
        List<String> page = Files.readAllLines(Path.of("..", "docs", "server.md"));
        SampleRoutes routes = sqlite(WEBHOOKS);
        int shown = 0;
        for (int i = 0; i < page.size(); i++) {
            if (page.get(i).startsWith("$ semel routes fill ")) {
                int end = i + page.subList(i, page.size()).indexOf("```");
                List<String> arguments = new ArrayList<>();
                WORD.matcher(page.get(i).substring("$ semel ".length()))
                        .results()
                        .forEach(word -> arguments.add(word.group(1) == null ? word.group() : word.group(1)));
                arguments.addAll(List.of("--file", routes.file().toString(), "--store", routes.store()));
                Shell told = Shell.semel(arguments.toArray(String[]::new));
                List<String> lines = new ArrayList<>(told.err().lines().toList());
                lines.addAll(told.out().lines().toList());
                assertThat(lines.stream().map(RoutesFillTest::masked))
                        .containsExactlyElementsOf(page.subList(i + 1, end).stream()
                                .map(RoutesFillTest::masked)
                                .toList());
                shown++;
            }
        }
        assertThat(shown).isEqualTo(2);
    }

    /** Without what differs from run to run. */
    private static String masked(String line) {
        return line.replaceAll("fill-\\d+-[0-9a-f]{4}", "JOB").replaceAll("\\d{4}-\\d\\d-\\d\\d[T ][0-9:.]+Z?", "TIME");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void d5_fillThatIsKilledIsResumedAndSendsEachWebhookOnceInOrder(boolean onPostgres) throws Exception {
        PrivatePostgres postgres = onPostgres ? PrivatePostgres.shared() : null;
        SampleRoutes routes = postgres == null
                ? sqlite(WEBHOOKS)
                : SampleRoutes.in(directory, postgres.url(postgres.freshDatabase()), WEBHOOKS);
        String job = killInTheMiddle(routes);
        endLease(routes, job);
        Process resumed = start(routes, "--resume", job);
        try (BufferedReader out = resumed.inputReader(StandardCharsets.UTF_8)) {
            assertThat(String.join("\n", out.lines().toList()))
                    .contains(job + " finished: " + WEBHOOKS + " messages sent, 0 left.");
        }
        assertThat(resumed.waitFor()).isZero();
        assertThat(routes.filled())
                .isEqualTo(IntStream.rangeClosed(1, WEBHOOKS).boxed().toList());
    }

    /** Begins a fill, and kills it when some are sent and some are not; says which job it was. */
    private String killInTheMiddle(SampleRoutes routes) throws Exception {
        Process first = start(
                routes, "--from", "shop", "--to", "crm", "--rate", String.valueOf(RATE), "--yes", "--reason", "new");
        String job;
        try (BufferedReader err = first.errorReader(StandardCharsets.UTF_8)) {
            Matcher told = JOB.matcher(String.valueOf(err.readLine()));
            assertThat(told.matches()).as("it says what its job is called").isTrue();
            job = told.group(1);
            while (routes.filled().isEmpty()) {
                assertThat(first.waitFor(10, TimeUnit.MILLISECONDS)).isFalse();
            }
        } finally {
            first.destroyForcibly();
        }
        assertThat(first.waitFor()).isEqualTo(128 + 9);
        assertThat(routes.filled()).hasSizeBetween(1, WEBHOOKS - 1);
        return job;
    }

    /** As if the minute had passed for which the killed process still holds its part of the job. */
    private static void endLease(SampleRoutes routes, String job) {
        RecordId id = Identity.of(Tenant.of("semel.operators"), "semel.fills", Key.of(job + "/1"))
                .id();
        try (Store store = Stores.open(routes.store(), StoreProvider.Options.EXISTING)) {
            Row part = Objects.requireNonNull(store.ledger().find(List.of(id)).get(id));
            assertThat(part.state()).isEqualTo(State.IN_PROGRESS);
            assertThat(store.ledger()
                            .renew(List.of(new Renewal(part.id(), part.status().fence(), 0))))
                    .containsExactly(true);
        }
    }

    private Process start(SampleRoutes routes, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.sqlite.tmpdir=" + Files.createDirectories(directory.resolve("library")),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "routes",
                "fill",
                "--file",
                routes.file().toString(),
                "--store",
                routes.store()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).start();
    }
}
