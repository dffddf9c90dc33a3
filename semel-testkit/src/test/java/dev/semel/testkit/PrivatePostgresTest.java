package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

class PrivatePostgresTest {
    @Test
    void isDurableByDefaultAndKeepsCommitsWhenItIsKilled() throws SQLException {
        PrivatePostgres.shared();
        try (PrivatePostgres postgres = PrivatePostgres.start()) {
            assertThat(read(postgres.jdbcUrl(), "show fsync")).isEqualTo("on");
            assertThat(read(postgres.jdbcUrl(), "show synchronous_commit")).isEqualTo("on");
            execute(postgres.jdbcUrl(), "create table t as select 42 as n");

            postgres.kill();
            assertThat(postgres.running()).isFalse();
            assertThatThrownBy(() -> read(postgres.jdbcUrl(), "select 1")).isInstanceOf(SQLException.class);
            postgres.kill();

            postgres.restart();
            postgres.restart();
            assertThat(read(postgres.jdbcUrl(), "select n from t")).isEqualTo("42");

            postgres.stop();
            postgres.stop();
            assertThat(postgres.running()).isFalse();
            postgres.restart();
            postgres.pause();
            postgres.resume();
            assertThat(read(postgres.jdbcUrl(), "select n from t")).isEqualTo("42");
        }
    }

    @Test
    void leavesNothingBehindWhenClosed() {
        PrivatePostgres.shared();
        PrivatePostgres postgres = PrivatePostgres.start(PrivatePostgres.FAST);
        postgres.close();
        assertThat(postgres.running()).isFalse();
        assertThat(postgres.dataDirectory().getParent()).doesNotExist();
    }

    @Test
    void settingThatItDoesNotKnowIsReportedWithTheServersOwnWords() {
        PrivatePostgres.shared();
        assertThatThrownBy(() -> PrivatePostgres.start(Map.of("no_such_setting", "1")))
                .isInstanceOf(PrivatePostgres.Unavailable.class)
                .hasMessageContaining("no_such_setting");
    }

    @Test
    void sharedServerGivesEachCallerItsOwnDatabase() throws SQLException {
        PrivatePostgres postgres = PrivatePostgres.shared();
        String one = postgres.freshDatabase();
        String two = postgres.freshDatabase();
        execute(postgres.jdbcUrl(one), "create table t (n int)");
        execute(postgres.jdbcUrl(two), "create table t (n int)");
        assertThat(PrivatePostgres.shared()).isSameAs(postgres);
        assertThat(postgres.url(one)).isEqualTo("postgresql://postgres@127.0.0.1:" + postgres.port() + "/" + one);
        assertThat(postgres.url()).endsWith("/postgres");
    }

    @Test
    void packedBinariesAreUsableWhereTheMachineHasNone(@TempDir Path scratch) {
        assertThat(PostgresBinaries.unpacked(scratch))
                .hasValueSatisfying(bin ->
                        assertThat(Files.isExecutable(bin.resolve("initdb"))).isTrue());
    }

    @Test
    void whereNoneCanBeHadATestIsAbortedAndInCiItFails() {
        var reason = new PrivatePostgres.Unavailable("none", null);
        assertThatThrownBy(() -> PrivatePostgres.orAbort(reason, false)).isInstanceOf(TestAbortedException.class);
        assertThatThrownBy(() -> PrivatePostgres.orAbort(reason, true)).isSameAs(reason);
    }

    private static String read(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        }
    }

    private static void execute(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
