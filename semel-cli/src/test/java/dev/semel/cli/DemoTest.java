package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.semel.SemelException;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.time.TimeSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The demonstration with real processes that are really killed. */
@Timeout(300)
class DemoTest {
    @Test
    void killedProcessesAndDuplicatesPayExactlyOnce() {
        Shell shell = semel("demo", "--seconds", "2", "--processes", "2", "--json");
        assertThat(shell.err()).isEmpty();
        JsonNode score = JsonMapper.shared().readTree(shell.out());
        assertThat(score.propertyNames())
                .containsExactlyInAnyOrder(
                        "asked",
                        "executed",
                        "replayed",
                        "in_progress",
                        "retried",
                        "unanswered",
                        "payments",
                        "doubled",
                        "lost",
                        "crashes",
                        "taken_over",
                        "redelivered",
                        "seconds",
                        "calls_per_s");
        assertThat(score.get("doubled").asLong()).isZero();
        assertThat(score.get("lost").asLong()).isZero();
        assertThat(score.get("crashes").asInt()).isPositive();
        assertThat(score.get("executed").asLong()).isPositive();
        assertThat(score.get("payments").asLong())
                .isGreaterThanOrEqualTo(score.get("executed").asLong());
        assertThat(shell.exit()).isZero();
    }

    @Test
    void countWhileTheFileIsLockedKeepsTheLastCount(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("ledger.db");
        DemoTable table = new DemoTable("r");
        DemoScore.Effects last = new DemoScore.Effects(7, 1, 2);
        try (Store store = Stores.open("sqlite:" + file, StoreProvider.Options.DEFAULT)) {
            table.create(store);
            DemoCounter counter = new DemoCounter(store, table, true);
            DemoTraffic traffic = new DemoTraffic(TimeSource.system(), new SplittableRandom(1));
            try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                    Statement lock = other.createStatement()) {
                lock.execute("BEGIN IMMEDIATE");
                assertThat(counter.soFar(traffic, last)).isEqualTo(last);
                lock.execute("ROLLBACK");
            }
            assertThat(counter.soFar(traffic, last)).isEqualTo(new DemoScore.Effects(0, 0, 0));
        }
    }

    @Test
    void faultsWithoutSemelAreCounted() {
        Shell shell = semel("demo", "--seconds", "2", "--processes", "2", "--without-semel");
        assertThat(shell.err()).isEmpty();
        assertThat(shell.out()).contains(" payments too many, ", "This was without Semel.");
        assertThat(shell.exit()).isEqualTo(1);
    }

    @Test
    void storeThatProcessesCannotShareIsBadInput() {
        Shell shell = semel("demo", "--seconds", "1", "--store", "memory:");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).contains("memory:", "a database that several processes share");
    }

    @Test
    void unknownStoreIsBadInput() {
        Shell shell = semel("demo", "--seconds", "1", "--store", "oracle:x");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).contains("no store opens 'oracle:...'");
    }

    @Test
    void invalidNumbersAreReportedTogether() {
        Shell shell = semel("demo", "--seconds", "0", "--processes", "-1", "--callers", "1000");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.err()).contains("--seconds is 0", "--processes is -1", "--callers is 1000: use 1 to 256");
        assertThat(semel("demo", "--seconds", "soon").exit()).isEqualTo(2);
    }

    @Test
    void failedProcessEndsTheDemoWithItsErrorOutput(@TempDir Path directory) throws Exception {
        TimeSource time = TimeSource.system();
        DemoTraffic traffic = new DemoTraffic(time, new SplittableRandom(1));
        String nowhere = "sqlite:" + directory.resolve("nowhere/ledger.db");
        List<String> arguments = List.of("--run", "r", "--callers", "1");
        try (DemoProcesses crew =
                new DemoProcesses(traffic, number -> DemoProcess.start(number, directory, nowhere, arguments), 1)) {
            crew.hire(1);
            Throwable failure = null;
            while (failure == null) {
                time.sleep(Duration.ofMillis(20));
                failure = catchThrowable(crew::keepBusy);
            }
            assertThat(failure)
                    .isInstanceOf(SemelException.StoreUnavailable.class)
                    .hasMessageContaining("A demo process failed with exit code 2: semel: ")
                    .hasMessageContaining("nowhere");
        }
        assertThat(Files.exists(directory.resolve("nowhere"))).isFalse();
    }

    @Test
    void processesAreNotInTheHelp() {
        assertThat(semel("--help").out()).contains("demo").doesNotContain(DemoWorker.NAME);
    }
}
