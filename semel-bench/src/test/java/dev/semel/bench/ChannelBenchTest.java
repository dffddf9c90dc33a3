package dev.semel.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.testkit.PrivatePostgres;
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
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A moment of everything: that it is measured, that nothing is lost, and that it is reported; never how fast it is. */
class ChannelBenchTest {
    private static final ChannelPlan.ChannelVolume MOMENT = new ChannelPlan.ChannelVolume(40, 80, 10, 1, 4, 2);

    private final List<String> told = new ArrayList<>();

    private Report bench(String url, ComparedLibrary... others) {
        return new ChannelBench(
                        new ChannelPlan(url, Duration.ofMillis(50), MOMENT),
                        ComparedLibraries.of(List.of(others)),
                        told::add)
                .run();
    }

    private static Stream<String> names(Report report) {
        return report.results().stream().map(Report.Result::name).distinct();
    }

    @Test
    void postgresqlIsMeasuredBesideOthersInSeparateSchemasAndNothingIsLeft() throws SQLException {
        PrivatePostgres postgres = PrivatePostgres.shared();
        String database = postgres.freshDatabase();
        Report report = bench(
                postgres.url(database),
                new PlainQueue("db-scheduler of the test", PlainQueue.Fault.NONE),
                new PlainQueue("another", PlainQueue.Fault.NONE));
        assertThat(report.machine()).containsKeys("postgresql", "others");
        assertThat(names(report))
                .containsExactlyInAnyOrder(
                        "postgresql bare effect",
                        "postgresql send",
                        "postgresql send in an atomic operation",
                        "postgresql send in an atomic operation, by hand",
                        "postgresql send in a transaction that Semel commits",
                        "postgresql send in a transaction of the caller's",
                        "postgresql raw multi-row, records with events",
                        "postgresql sendAll",
                        "raw claim and finish, 40",
                        "raw claim and finish with events, 40",
                        "postgresql drain, 40",
                        "postgresql drain atomic, 40",
                        "postgresql drain, 40 in 10 lanes",
                        "postgresql drain, 40 in one lane",
                        "db-scheduler of the test drain",
                        "another drain",
                        "raw claim and finish with events, 80",
                        "postgresql drain, 80",
                        "postgresql drain, 80 in 10 lanes",
                        "postgresql drain, 80 in one lane",
                        "db-scheduler of the test drain, 80",
                        "postgresql end to end, a transaction for each send",
                        "postgresql end to end, a transaction of the caller's for each send",
                        "postgresql end to end, send by send",
                        "db-scheduler of the test end to end",
                        "another end to end",
                        "postgresql idle",
                        "db-scheduler of the test idle",
                        "another idle");
        assertThat(report.results())
                .allSatisfy(result -> assertThat(result.speed().opsPerSecond()).isPositive());
        assertThat(report.targets())
                .extracting(Report.Target::name)
                .containsExactly(
                        "postgresql send in an atomic operation at 8 callers, of the bare effect",
                        "postgresql drain with the audit on, of db-scheduler's",
                        "postgresql drain of a backlog of 80, of one of 40",
                        "postgresql drain of 10 lanes, of no lanes",
                        "postgresql drain of a single lane, of no lanes",
                        "postgresql end to end with one transaction per send, of the best of the others",
                        "postgresql idle latency, p50 in ms");
        assertThat(report.targets())
                .allSatisfy(target -> assertThat(target.measured()).isPositive());
        try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl(database));
                Statement statement = connection.createStatement();
                ResultSet left = statement.executeQuery(
                        "SELECT count(*) FROM information_schema.schemata WHERE schema_name LIKE 'semel%'")) {
            assertThat(left.next()).isTrue();
            assertThat(left.getInt(1)).isZero();
        }
    }

    @Test
    void withoutTheOthersTheirTargetsAreMissedAndItIsSaid() {
        PrivatePostgres postgres = PrivatePostgres.shared();
        Report report = bench(postgres.url(postgres.freshDatabase()));
        assertThat(report.missed())
                .filteredOn(target -> target.note() != null && target.note().startsWith("not measured"))
                .extracting(Report.Target::target)
                .containsExactly(">= 6", ">= 1.5");
        assertThat(report.machine()).containsEntry("others", "none on the class path");
        assertThat(told)
                .contains("postgresql: the other libraries are not on the class path, so Semel runs without them");
    }

    @Test
    void whoLosesOrRepeatsAMessageEndsTheBench() {
        PrivatePostgres postgres = PrivatePostgres.shared();
        for (PlainQueue.Fault fault : List.of(PlainQueue.Fault.LOSES, PlainQueue.Fault.REPEATS)) {
            PlainQueue bad = new PlainQueue("bad", fault);
            ChannelTasks tasks = new ChannelTasks("bad", handler -> OnPlace.open(postgres.url(), bad, handler), 0);
            assertThatThrownBy(() -> AlternatingRuns.once(
                            new AlternatingRuns.MeasuredRun("bad", 1, () -> tasks.drain(10, Duration.ofMinutes(1)))))
                    .hasMessageContaining("bad: of 10 messages");
        }
    }

    @Test
    void laneOutOfOrderIsNoticed() {
        HandledMessages sink = new HandledMessages(4, 2);
        List.of(0, 3, 1, 2).forEach(sink::accept);
        assertThatThrownBy(() -> sink.verify("lanes", 4)).hasMessageContaining("1 out of the order of their lane");
    }

    @Test
    void sqliteIsMeasuredBesideTheLedgerThatIsNamedAndNothingIsLeft(@TempDir Path directory) throws IOException {
        Report report = bench("sqlite:" + directory.resolve("orders.db"));
        assertThat(names(report))
                .contains(
                        "sqlite send",
                        "sqlite send in an atomic operation",
                        "sqlite sendAll",
                        "sqlite drain, 40",
                        "sqlite drain atomic, 40",
                        "sqlite drain, 40 in 10 lanes",
                        "sqlite drain, 40 in one lane",
                        "sqlite end to end, send by send",
                        "sqlite idle");
        assertThat(report.targets()).isEmpty();
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void onlyTheNamedPartsAreMeasured() {
        PrivatePostgres postgres = PrivatePostgres.shared();
        ChannelPlan plan = new ChannelPlan(
                postgres.url(postgres.freshDatabase()), Duration.ofMillis(50), MOMENT, Set.of(ChannelPlan.Part.IDLE));
        Report report = new ChannelBench(plan, ComparedLibraries.of(List.of()), told::add).run();
        assertThat(names(report)).containsExactly("postgresql idle");
    }

    @Test
    void storeWithoutABenchIsRejected() {
        assertThatThrownBy(() -> bench("memory:")).isInstanceOf(SemelException.Misconfigured.class);
    }

    @Test
    void missingJarHasNoContenders(@TempDir Path directory) throws IOException {
        try (ComparedLibraries none = ComparedLibraries.of(directory.resolve("none.jar"));
                ComparedLibraries installed = ComparedLibraries.installed()) {
            assertThat(none.all()).isEmpty();
            assertThat(installed.all()).isEmpty();
        }
    }
}
