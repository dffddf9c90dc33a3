package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.operator.Operator;
import dev.semel.operator.UnresolvedMessages;
import dev.semel.store.RecordFilter;
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
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** D5: a replay of many, by the command line in a process of its own, which is killed in the middle of it. */
@Timeout(180)
class DeadReplayKillTest {
    private static final int LETTERS = 120;

    /** So many a page, and a page a second: the process is killed after the first of six. */
    private static final int RATE = 20;

    private static final UnresolvedMessages.MessageFilter LOST =
            new UnresolvedMessages.MessageFilter(new RecordFilter(null, "mail", true, Long.MAX_VALUE), null, null);
    private static final Pattern JOB = Pattern.compile("(replay-\\S+) is running\\..*");

    @TempDir
    private Path directory;

    /** Where the ledger is. */
    enum Place {
        SQLITE,
        POSTGRESQL;

        SampleShop shop(Path directory) {
            if (this == SQLITE) {
                return SampleShop.in(directory);
            }
            PrivatePostgres server = PrivatePostgres.shared();
            return SampleShop.at(server.url(server.freshDatabase()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void d5_replayThatIsKilledIsResumedAndReplaysEachLetterOnce(Place place) throws Exception {
        SampleShop shop = place.shop(directory).withLostMails(LETTERS);
        String job = killInTheMiddle(shop);
        endLease(shop, job);
        Process resumed = start(shop, "dead", "replay", "--resume", job);
        assertThat(output(resumed)).contains(job + " finished: " + LETTERS + " dead letters replayed, 0 left.");
        assertThat(resumed.waitFor()).isZero();
        List<JsonNode> ofTheJob = events(shop, "--operation", "semel.replays");
        assertThat(ofTheJob.stream().filter(event -> type(event).equals("operation.taken_over")))
                .hasSize(1);
        eachLetterWasReplayedOnce(shop);
    }

    @ParameterizedTest
    @EnumSource
    void d5_repeatedCommandAfterAKillReplaysTheRest(Place place) throws Exception {
        SampleShop shop = place.shop(directory).withLostMails(LETTERS);
        String killed = killInTheMiddle(shop);
        Process again = start(shop, "dead", "replay", "--operation", "mail", "--yes", "--reason", "once more");
        assertThat(output(again)).containsPattern("replay-\\S+ finished: \\d+ dead letters replayed, 0 left.");
        assertThat(again.waitFor()).isZero();
        endLease(shop, killed);
        eachLetterWasReplayedOnce(shop);
    }

    /** Begins a replay, and kills it when some letters are replayed and some are not; says which job it was. */
    private String killInTheMiddle(SampleShop shop) throws Exception {
        String rate = String.valueOf(RATE);
        Process first = start(
                shop,
                "dead",
                "replay",
                "--operation",
                "mail",
                "--rate",
                rate,
                "--yes",
                "--reason",
                "the network is back");
        String job;
        try (BufferedReader err = first.errorReader(StandardCharsets.UTF_8)) {
            Matcher told = JOB.matcher(String.valueOf(err.readLine()));
            assertThat(told.matches()).as("it says what its job is called").isTrue();
            job = told.group(1);
            while (left(shop) == LETTERS) {
                assertThat(first.waitFor(10, TimeUnit.MILLISECONDS)).isFalse();
            }
        } finally {
            first.destroyForcibly();
        }
        assertThat(first.waitFor()).isEqualTo(128 + 9);
        assertThat(left(shop)).isPositive().isLessThan(LETTERS);
        return job;
    }

    /** As if the minute had passed for which the killed process still holds its part of the job. */
    private static void endLease(SampleShop shop, String job) {
        try (Store store = Stores.open(shop.url(), StoreProvider.Options.EXISTING)) {
            Row part =
                    Operator.on(store).replays().progress(job, 1).orElseThrow().newest();
            assertThat(part.state()).isEqualTo(State.IN_PROGRESS);
            assertThat(store.ledger()
                            .renew(List.of(new Renewal(part.id(), part.status().fence(), 0))))
                    .containsExactly(true);
        }
    }

    private static long left(SampleShop shop) {
        try (Store store = Stores.open(shop.url(), StoreProvider.Options.EXISTING)) {
            return Operator.on(store).letters().preview(LOST).count();
        }
    }

    /** As the audit tells, and as the receiver sees. */
    private void eachLetterWasReplayedOnce(SampleShop shop) {
        List<JsonNode> replayed = events(shop, "--operation", "mail", "--type", "operator.replayed");
        assertThat(replayed.stream().map(event -> event.get("record").asString()))
                .hasSize(LETTERS)
                .doesNotHaveDuplicates();
        assertThat(replayed).allSatisfy(event -> {
            assertThat(event.get("actor").asString()).isEqualTo(System.getProperty("user.name"));
            assertThat(event.get("reason").asString()).isIn("the network is back", "once more");
        });
        shop.deliver();
        assertThat(shop.handled())
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, LETTERS).mapToObj(i -> "lost-" + i).toList());
        assertThat(left(shop)).isZero();
        assertThat(events(shop, "--operation", "mail", "--type", "operator.replayed"))
                .hasSize(LETTERS);
        assertThat(Shell.semel("audit", "verify", "--store", shop.url()).exit()).isZero();
    }

    private static List<JsonNode> events(SampleShop shop, String... which) {
        List<String> arguments =
                new ArrayList<>(List.of("audit", "tail", "-n", "10000", "--json", "--store", shop.url()));
        arguments.addAll(List.of(which));
        return Shell.semel(arguments.toArray(String[]::new))
                .out()
                .lines()
                .map(JsonMapper.shared()::readTree)
                .toList();
    }

    private static String type(JsonNode event) {
        return event.get("type").asString();
    }

    /** The command line as the launcher starts it. */
    private Process start(SampleShop shop, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.sqlite.tmpdir=" + Files.createDirectories(directory.resolve("library")),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("SEMEL_STORE", shop.url());
        return builder.start();
    }

    private static String output(Process process) throws IOException {
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            return String.join("\n", out.lines().toList());
        }
    }
}
