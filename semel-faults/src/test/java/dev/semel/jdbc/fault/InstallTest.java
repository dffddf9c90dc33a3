package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.SemelException;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.ServiceLoader;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** B11: the installation is killed half-way. */
@Timeout(300)
class InstallTest {
    private static final int KILLS = 12;

    @TempDir
    private Path directory;

    /** Opens a store for the first time; a byte before, a file after. */
    public static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws Exception {
            System.out.write(1);
            System.out.flush();
            try (Store store = new RunDatabases(arguments[0], arguments[1], "").open()) {
                Files.writeString(Path.of(arguments[2]), store.name());
            }
        }
    }

    /** A planted bug: installs without a transaction, and stops half-way with a byte for a kill to find it there. */
    public static final class Flawed {
        private Flawed() {}

        public static void main(String[] arguments) throws Exception {
            installHalf(new RunDatabases(arguments[0], arguments[1], ""));
            System.out.write(1);
            System.out.flush();
            new CountDownLatch(1).await();
        }

        private static void installHalf(RunDatabases place) throws SQLException {
            StoreProvider provider = ServiceLoader.load(StoreProvider.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(each -> each.accepts(place.store()))
                    .findFirst()
                    .orElseThrow();
            String[] statements = provider.ddl().replaceAll("--[^\n]*", "").split(";");
            try (Connection connection = place.connect();
                    Statement statement = connection.createStatement()) {
                // A block has semicolons of its own, so the half ends before the first one.
                for (int i = 0; i < statements.length / 2 && !statements[i].contains("$$"); i++) {
                    statement.execute(statements[i]);
                }
            }
        }
    }

    @Test
    void b11_installationOnSqliteThatIsKilledIsTakenUpAgain() throws Exception {
        int halfWay = 0;
        for (int i = 0; i < KILLS; i++) {
            RunDatabases place = RunDatabases.sqlite(Files.createDirectory(directory.resolve("d" + i)));
            halfWay += kill(Main.class, place, i) ? 1 : 0;
            assertTakenUpAgain(place, i);
        }
        assertThat(halfWay).as("kills before the installation had ended").isPositive();
    }

    @Test
    void b11_installationOnPostgresThatIsKilledIsTakenUpAgain() throws Exception {
        int halfWay = 0;
        for (int i = 0; i < KILLS; i++) {
            RunDatabases place = RunDatabases.postgres();
            halfWay += kill(Main.class, place, i) ? 1 : 0;
            assertTakenUpAgain(place, i);
        }
        assertThat(halfWay).as("kills before the installation had ended").isPositive();
    }

    @Test
    void b11_installationOnSqliteWithoutATransactionIsCaught() throws Exception {
        RunDatabases place = RunDatabases.sqlite(directory);
        assertThat(kill(Flawed.class, place, 0)).isTrue();
        assertThatThrownBy(() -> assertTakenUpAgain(place, 0)).isInstanceOf(SemelException.Misconfigured.class);
    }

    @Test
    void b11_installationOnPostgresWithoutATransactionIsCaught() throws Exception {
        RunDatabases place = RunDatabases.postgres();
        assertThat(kill(Flawed.class, place, 0)).isTrue();
        assertThatThrownBy(() -> assertTakenUpAgain(place, 0)).isInstanceOf(SemelException.StoreUnavailable.class);
    }

    /** Says whether the installation had not ended. */
    private boolean kill(Class<?> main, RunDatabases place, int number) throws Exception {
        Path log = directory.resolve("install" + number + ".log");
        Path done = directory.resolve("done" + number);
        Process process = Jvms.shared().start(main, log, List.of(place.store(), place.effects(), done.toString()));
        try {
            assertThat(process.getInputStream().read())
                    .as(Files.readString(log))
                    .isEqualTo(1);
            process.waitFor(new SplittableRandom(number).nextInt(400), TimeUnit.MILLISECONDS);
        } finally {
            process.destroyForcibly();
            process.waitFor();
        }
        return !Files.exists(done);
    }

    private void assertTakenUpAgain(RunDatabases place, int number) throws Exception {
        place.prepare();
        try (InProcessService node = new InProcessService(
                place, directory, "after" + number + place.store().hashCode())) {
            assertThat(node.ask(WorkKind.PAY, "k")).isInstanceOf(Answer.Executed.class);
        }
    }
}
