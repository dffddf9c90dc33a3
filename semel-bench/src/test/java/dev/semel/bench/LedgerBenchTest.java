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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A moment of everything: that it is measured and reported, never how fast it is. */
class LedgerBenchTest {
    private static final LedgerPlan.LedgerVolume MOMENT =
            new LedgerPlan.LedgerVolume(List.of(8, 64), 66, 16, 8, 20, 50);
    private static final LedgerPlan.LedgerVolume FEW = new LedgerPlan.LedgerVolume(List.of(8), 9, 16, 8, 20, 50);

    private final List<String> told = new ArrayList<>();

    private Report bench(@Nullable String url, LedgerPlan.LedgerVolume volume) {
        return new LedgerBench(new LedgerPlan(url, Duration.ofMillis(3), volume), told::add).run();
    }

    private static Stream<String> names(Report report) {
        return report.targets().stream().map(Report.Target::name);
    }

    @Test
    void memoryIsMeasured() {
        Report report = bench("memory:", FEW);
        assertThat(report.machine()).containsKeys("cores", "memory_mb", "os", "java", "fdatasync_4k_per_s");
        assertThat(report.results())
                .hasSize(6)
                .allSatisfy(result -> assertThat(result.speed().opsPerSecond()).isPositive());
        assertThat(names(report))
                .containsExactly(
                        "memory hit, p99 in us",
                        "memory overhead of a miss, p99 in us",
                        "replay in process, p99 in us",
                        "memory purge of 20 expired records, ms");
        assertThat(told).contains("memory: 8 callers");
    }

    @Test
    void sqliteIsMeasuredBesideTheLedgerThatIsNamedAndNothingIsLeft(@TempDir Path directory) throws IOException {
        Report report = bench("sqlite:" + directory.resolve("orders.db"), MOMENT);
        assertThat(report.results())
                .extracting(Report.Result::name)
                .contains("sqlite bare effect", "sqlite atomic first", "sqlite leased replay", "sqlite runAll atomic");
        assertThat(report.results())
                .filteredOn(result -> result.of() != null)
                .allSatisfy(result -> assertThat(result.ratio()).isPositive());
        assertThat(names(report))
                .containsExactly(
                        "sqlite atomic at 64 callers, of one commit per call",
                        "sqlite first calls with the history of activity, of the same without it",
                        "sqlite calls in batches with the history of activity, of the same without it",
                        "sqlite purge of 20 expired records, ms",
                        "heap per cached small result, bytes",
                        "intake by runAll, messages per second");
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void postgresqlIsMeasuredInASeparateSchemaAndNothingIsLeft() throws SQLException {
        PrivatePostgres postgres = PrivatePostgres.shared();
        String database = postgres.freshDatabase();
        Report report = bench(postgres.url(database), FEW);
        assertThat(report.machine()).containsKey("postgresql");
        assertThat(names(report))
                .containsExactly(
                        "postgresql transactions per first call",
                        "postgresql transactions per replay",
                        "postgresql WAL bytes per first call with audit",
                        "postgresql transactions per replay from the local cache",
                        "postgresql WAL bytes per first call without audit",
                        "postgresql atomic at 8 callers, of the bare effect",
                        "postgresql leased at 9 callers, of one by one",
                        "postgresql runAll atomic, of the raw multi-row limit",
                        "postgresql runAll leased, of the raw multi-row limit",
                        "postgresql first calls with the history of activity, of the same without it",
                        "postgresql calls in batches with the history of activity, of the same without it",
                        "postgresql purge of 20 expired records, ms",
                        "intake by runAll, messages per second");
        assertThat(report.results()).anySatisfy(result -> {
            assertThat(result.name()).isEqualTo("postgresql runAll atomic");
            assertThat(result.perOp()).isNotNull();
        });
        try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl(database));
                Statement statement = connection.createStatement();
                ResultSet left = statement.executeQuery(
                        "SELECT count(*) FROM information_schema.schemata WHERE schema_name LIKE 'semel%'")) {
            assertThat(left.next()).isTrue();
            assertThat(left.getInt(1)).isZero();
        }
    }

    @Test
    void withoutAStoreEveryTargetIsMeasuredInOneRun() {
        PrivatePostgres.shared();
        Report report = bench(null, MOMENT);
        assertThat(names(report)).hasSize(24).doesNotHaveDuplicates();
        assertThat(report.targets())
                .filteredOn(target -> target.name().contains("WAL"))
                .allSatisfy(target -> assertThat(target.note()).isEqualTo("full_page_writes off"));
        assertThat(told.get(0)).isEqualTo("starting a PostgreSQL with durable settings");
    }

    @Test
    void unknownStoreIsRejected() {
        assertThatThrownBy(() -> bench("floppy:a", FEW)).isInstanceOf(SemelException.Misconfigured.class);
    }

    @Test
    void directoryThatIsNotThereIsRejected(@TempDir Path directory) {
        assertThatThrownBy(() -> bench("sqlite:" + directory.resolve("none/orders.db"), FEW))
                .isInstanceOf(SemelException.StoreUnavailable.class)
                .hasMessageContaining("Give a path that can be written");
    }
}
