package dev.semel.jdbc.sqlite;

import static dev.semel.jdbc.shared.EffectFixture.call;
import static dev.semel.jdbc.shared.EffectFixture.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.store.LookupResult;
import dev.semel.store.Transactions.Tx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class SqliteProcessesTest {
    private static final int KEYS = 300;

    @TempDir
    private Path directory;

    /** The second process: it calls the same keys as the others. */
    public static final class Main {
        private Main() {}

        public static void main(String[] args) throws Exception {
            int executed = 0;
            try (SqliteStore store = SqliteFixture.open(Path.of(args[0]))) {
                EffectFixture.makeTable(store);
                for (int i = 0; i < KEYS; i++) {
                    executed += call(store, "k" + i) ? 1 : 0;
                }
            }
            Files.writeString(Path.of(args[1]), String.valueOf(executed));
        }
    }

    @Test
    void b9_severalProcessesOnOneFileRunEachKeyOnceAndInstallItOnce() throws Exception {
        Path file = directory.resolve("semel.db");
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            processes.add(start(file, i));
        }
        int executed = 0;
        for (int i = 0; i < processes.size(); i++) {
            assertThat(processes.get(i).waitFor(150, TimeUnit.SECONDS)).isTrue();
            Path log = directory.resolve("log-" + i);
            assertThat(processes.get(i).exitValue()).as(Files.readString(log)).isZero();
            executed += Integer.parseInt(Files.readString(directory.resolve("out-" + i)));
        }
        assertThat(executed).isEqualTo(KEYS);
        try (SqliteStore store = SqliteFixture.open(file)) {
            assertThat(number(store, "SELECT count(*) FROM effect")).isEqualTo(KEYS);
            assertThat(number(store, "SELECT count(DISTINCT fence) FROM semel_record"))
                    .isEqualTo(KEYS);
            assertThat(number(store, "SELECT count(*) FROM semel_audit")).isEqualTo(KEYS);
        }
    }

    @Test
    void processThatEndsKeepsTheMarkOfOneThatContinues() throws Exception {
        Path file = directory.resolve("semel.db");
        try (SqliteStore server = SqliteFixture.open(file)) {
            EffectFixture.makeTable(server);
            call(server, "a");
            try (SqliteStore cli = SqliteFixture.open(file)) {
                call(cli, "b");
            }
            call(server, "c");
            SqliteSidecar.Content content = new SqliteSidecar(file).read().orElseThrow();
            assertThat(content.mark()).isGreaterThanOrEqualTo(number(server, "SELECT fence FROM semel_meta"));
        }
        SqliteFixture.open(file).close();
    }

    @Test
    void a14_joinedTransactionThatMeetsAnotherWriterMustBeRetried() throws Exception {
        Path file = directory.resolve("semel.db");
        try (SqliteStore store = SqliteFixture.open(file);
                Connection own = DriverManager.getConnection("jdbc:sqlite:" + file + "?busy_timeout=0")) {
            EffectFixture.makeTable(store);
            long modes = store.switchboard().modes().version();
            own.setAutoCommit(false);
            number(own, "SELECT count(*) FROM effect");
            call(store, "meanwhile");
            Tx joined = EffectFixture.transactions(store).join(own);
            assertThatThrownBy(() -> joined.lookUp(modes, List.of(EffectFixture.identity("k"))))
                    .isInstanceOf(SemelException.TransactionMustBeRetried.class);
            own.rollback();
            Tx again = EffectFixture.transactions(store).join(own);
            assertThat(again.lookUp(modes, List.of(EffectFixture.identity("k"))).get(0))
                    .isInstanceOf(LookupResult.Free.class);
            EffectFixture.insert(own, "k");
            again.write(List.of(EffectFixture.write("k")));
            own.commit();
            assertThat(call(store, "k")).isFalse();
        }
    }

    @Test
    void connectionWithoutATransactionOrToAnotherFileCannotBeJoined() throws Exception {
        Path file = directory.resolve("semel.db");
        Path other = directory.resolve("other.db");
        try (SqliteStore store = SqliteFixture.open(file);
                SqliteStore stranger = SqliteFixture.open(other);
                Connection idle = DriverManager.getConnection("jdbc:sqlite:" + file);
                Connection wrong = DriverManager.getConnection("jdbc:sqlite:" + other)) {
            long modes = stranger.switchboard().modes().version();
            Tx outside = EffectFixture.transactions(store).join(idle);
            assertThatThrownBy(() -> outside.lookUp(modes, List.of(EffectFixture.identity("k"))))
                    .isInstanceOf(SemelException.Invalid.class)
                    .hasMessageContaining("not in a transaction");
            wrong.setAutoCommit(false);
            Tx elsewhere = EffectFixture.transactions(store).join(wrong);
            assertThatThrownBy(() -> elsewhere.lookUp(modes, List.of(EffectFixture.identity("k"))))
                    .isInstanceOf(SemelException.Invalid.class)
                    .hasMessageContaining("another file");
            wrong.rollback();
        }
    }

    private Process start(Path file, int number) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        file.toString(),
                        directory.resolve("out-" + number).toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log-" + number).toFile())
                .start();
    }
}
