package dev.semel.jdbc.sqlite;

import static dev.semel.jdbc.shared.ChannelFixture.claim;
import static dev.semel.jdbc.shared.ChannelFixture.drain;
import static dev.semel.jdbc.shared.ChannelFixture.finish;
import static dev.semel.jdbc.shared.ChannelFixture.move;
import static dev.semel.jdbc.shared.ChannelFixture.queue;
import static dev.semel.jdbc.shared.ChannelFixture.send;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claim;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.StoreProvider;
import dev.semel.time.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Behaviour of SQLite's queue only: one writer, one file, and no reads of other operations. */
@Timeout(180)
class SqliteQueueTest {
    private static final int MESSAGES = 2_000;

    @TempDir
    private Path directory;

    private Path file() {
        return directory.resolve("semel.db");
    }

    /** A process that claims and finishes until nothing is left. */
    public static final class Main {
        private Main() {}

        public static void main(String[] args) throws Exception {
            try (SqliteStore store = SqliteFixture.open(Path.of(args[0]))) {
                Files.write(Path.of(args[1]), drain(store, 32, 4));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100})
    void twoHandlesOnOneFileNeverClaimOneRecordTwice(int lanes) throws Exception {
        try (SqliteStore one = SqliteFixture.open(file());
                SqliteStore two = SqliteFixture.open(file())) {
            send(one, MESSAGES, lanes);
            Callable<List<String>> first = () -> drain(one, 32, 4);
            Callable<List<String>> second = () -> drain(two, 32, 4);
            List<String> handled = new ArrayList<>();
            ExecutorService threads = Executors.newFixedThreadPool(4);
            try {
                for (Future<List<String>> each : threads.invokeAll(List.of(first, second, first, second))) {
                    handled.addAll(each.get());
                }
            } finally {
                threads.shutdown();
            }
            assertThat(handled).hasSize(MESSAGES).doesNotHaveDuplicates();
        }
    }

    @Test
    void severalProcessesOnOneFileNeverClaimOneRecordTwice() throws Exception {
        try (SqliteStore store = SqliteFixture.open(file())) {
            send(store, MESSAGES, 50);
        }
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            processes.add(start(i));
        }
        List<String> handled = new ArrayList<>();
        for (int i = 0; i < processes.size(); i++) {
            assertThat(processes.get(i).waitFor(150, TimeUnit.SECONDS)).isTrue();
            assertThat(processes.get(i).exitValue())
                    .as(Files.readString(directory.resolve("log-" + i)))
                    .isZero();
            handled.addAll(Files.readAllLines(directory.resolve("out-" + i)));
        }
        assertThat(handled).hasSize(MESSAGES).doesNotHaveDuplicates();
    }

    private Process start(int number) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        file().toString(),
                        directory.resolve("out-" + number).toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log-" + number).toFile())
                .start();
    }

    @Test
    void claimThatFindsNothingCostsNoCommit() {
        try (SqliteStore store = SqliteFixture.open(file())) {
            send(store, 2, 1);
            List<Row> head = queue(store).claim(claim(store, 1, 1)).rows();
            long commits = store.commits();
            assertThat(queue(store).claim(claim(store, 10, 10)).rows()).isEmpty();
            assertThat(store.commits()).isEqualTo(commits);
            finish(store, head);
            assertThat(queue(store).claim(claim(store, 10, 10)).rows()).hasSize(1);
        }
    }

    @Test
    void budgetOfRetriesIsOneForAllHandles() {
        ManualTime time = new ManualTime(1_800_000_000_000L);
        StoreProvider.Options options = new StoreProvider.Options(time, false);
        Claim.Budget budget = new Claim.Budget(3);
        try (SqliteStore one = SqliteFixture.open(file(), options);
                SqliteStore two = SqliteFixture.open(file(), options)) {
            send(one, 10, 0);
            List<Row> rows = queue(one).claim(claim(one, 10, 1)).rows();
            one.ledger()
                    .move(rows.stream()
                            .map(row -> move(row, State.FAILED_RETRYABLE))
                            .toList());
            assertThat(queue(one).claim(claim(one, 2, 1, budget)).rows()).hasSize(2);
            assertThat(queue(two).claim(claim(two, 10, 1, budget)).rows()).hasSize(1);
            assertThat(queue(one).claim(claim(one, 10, 1, budget)).rows()).isEmpty();
            time.advance(Duration.ofSeconds(1));
            assertThat(queue(two).claim(claim(two, 10, 1, budget)).rows()).hasSize(3);
        }
    }

    @Test
    void everyLookGoesThroughAnIndexAndSortsNothing() throws Exception {
        SqliteFixture.open(file()).close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file())) {
            assertThat(plan(connection, SqliteClaim.DUE))
                    .containsExactly("SEARCH semel_record USING INDEX semel_record_due"
                            + " (operation=? AND tenant=? AND state=? AND at<?)");
            assertThat(plan(connection, SqliteClaim.IN_LANE))
                    .containsExactly("SEARCH semel_record USING INDEX semel_record_lane (lane=?)");
            assertThat(plan(connection, SqliteClaim.OVER))
                    .containsExactly("SEARCH semel_record USING INDEX semel_record_at (state=? AND at<?)");
            assertThat(plan(connection, SqliteLanes.PROMOTE))
                    .contains("SEARCH semel_record USING INDEX semel_record_lane (lane=?)")
                    .contains("SEARCH semel_record USING INTEGER PRIMARY KEY (rowid=?)");
            assertThat(plan(connection, SqliteEnqueue.INSERT))
                    .contains("SEARCH semel_record USING INDEX semel_record_lane (lane=?)");
            assertThat(plan(connection, SqliteClaim.GRANT))
                    .contains("SEARCH semel_record USING INTEGER PRIMARY KEY (rowid=?)");
            assertThat(plan(connection, SqliteQueue.OPERATIONS))
                    .contains("SEARCH semel_record USING INDEX semel_record_due (operation>?)")
                    .contains("SEARCH semel_record USING INDEX semel_record_parked (operation>?)")
                    .noneMatch(step -> step.contains("SCAN semel_record"));
            assertThat(plan(connection, SqliteClaimPreview.DUE_OF_ONE))
                    .contains("SEARCH semel_record USING INDEX semel_record_due"
                            + " (operation=? AND tenant=? AND state=? AND at<?)")
                    .noneMatch(step -> step.contains("SCAN semel_record") || step.contains("TEMP B-TREE"));
            assertThat(plan(connection, SqliteClaimPreview.DUE))
                    .contains("SEARCH semel_record USING INDEX semel_record_due (operation=? AND tenant>?)")
                    .contains("SEARCH semel_record USING INDEX semel_record_due"
                            + " (operation=? AND tenant=? AND state=? AND at<?)")
                    .noneMatch(step -> step.contains("SCAN semel_record") || step.contains("TEMP B-TREE"));
        }
    }

    private static List<String> plan(Connection connection, String sql) throws SQLException {
        List<String> steps = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("EXPLAIN QUERY PLAN " + sql)) {
            while (found.next()) {
                steps.add(found.getString("detail").replace(" COVERING", ""));
            }
        }
        return steps;
    }
}
