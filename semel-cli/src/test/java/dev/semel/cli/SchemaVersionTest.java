package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.testkit.PrivatePostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** B11: commands meet a store whose schema is another version's. */
class SchemaVersionTest {
    private static final String OLD = "its schema is version 0, older than version 5";
    private static final String NEW = "its schema is version 99, newer than version 5";

    @TempDir
    private Path directory;

    /** Every command that opens a store. */
    private enum Command {
        DOCTOR("doctor"),
        AUDIT_VERIFY("audit", "verify"),
        ADOPT("store", "adopt", "--reason", "why"),
        FORGET("ops", "forget", "--tenant", "acme", "--operation", "charge", "--key", "k", "--reason", "why");

        private final List<String> words;

        Command(String... words) {
            this.words = List.of(words);
        }

        Shell on(String store) {
            List<String> all = new ArrayList<>(words);
            all.addAll(List.of("--store", store));
            return semel(all.toArray(String[]::new));
        }
    }

    @ParameterizedTest
    @EnumSource
    void b11_newerSchemaOnSqliteIsBadInputAndLeftAlone(Command command) throws Exception {
        refuses(command, sqlite(99), NEW);
    }

    @ParameterizedTest
    @EnumSource
    void b11_schemaOnSqliteOlderThanTheFirstIsBadInputAndLeftAlone(Command command) throws Exception {
        refuses(command, sqlite(0), OLD);
    }

    @ParameterizedTest
    @EnumSource
    void b11_newerSchemaOnPostgresIsBadInputAndLeftAlone(Command command) throws Exception {
        refuses(command, postgres(99), NEW);
    }

    @ParameterizedTest
    @EnumSource
    void b11_schemaOnPostgresOlderThanTheFirstIsBadInputAndLeftAlone(Command command) throws Exception {
        refuses(command, postgres(0), OLD);
    }

    private static void refuses(Command command, Ledger ledger, String why) throws Exception {
        Map<String, String> before = ledger.content();
        Shell shell = command.on(ledger.store());
        assertThat(shell.err()).contains(ledger.name(), why, "nothing was changed", "Use the Semel version");
        assertThat(shell.exit()).isEqualTo(2);
        assertThat(shell.out()).isEmpty();
        assertThat(ledger.content()).isEqualTo(before);
    }

    private Ledger sqlite(int version) throws SQLException {
        Path file = directory.resolve("orders.db");
        String store = "sqlite:" + file;
        Semel.open(store).close();
        execute("jdbc:sqlite:" + file, "UPDATE semel_meta SET version = " + version);
        return new Ledger(store, "orders.db", () -> files(directory));
    }

    private static Ledger postgres(int version) throws SQLException {
        PrivatePostgres server = PrivatePostgres.shared();
        String database = server.freshDatabase();
        Semel.open(server.url(database)).close();
        execute(server.jdbcUrl(database), "UPDATE semel_meta SET schema_version = " + version);
        return new Ledger(server.url(database), database, () -> tables(server.jdbcUrl(database)));
    }

    /**
     * @param name by which an error must tell of it
     * @param reading everything that is stored there
     */
    private record Ledger(String store, String name, Reading reading) {
        Map<String, String> content() throws Exception {
            return reading.read();
        }
    }

    private interface Reading {
        Map<String, String> read() throws Exception;
    }

    private static Map<String, String> files(Path directory) throws IOException {
        Map<String, String> content = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                content.put(file.toString(), HexFormat.of().formatHex(Files.readAllBytes(file)));
            }
        }
        return content;
    }

    /** What the catalogue and the tables hold. */
    private static Map<String, String> tables(String url) throws SQLException {
        Map<String, String> content = new TreeMap<>();
        try (Connection connection = DriverManager.getConnection(url)) {
            List<String> names = column(
                    connection, "SELECT concat(relkind, relname) FROM pg_class WHERE relname LIKE 'semel%' ORDER BY 1");
            content.put("names", names.toString());
            for (String name : names) {
                String relation = name.substring(1);
                if (name.startsWith("r")) {
                    content.put(
                            relation,
                            column(connection, "SELECT t::text FROM " + relation + " t")
                                    .toString());
                } else if (name.startsWith("S")) {
                    content.put(
                            relation,
                            column(connection, "SELECT last_value FROM " + relation)
                                    .toString());
                }
            }
        }
        return content;
    }

    private static List<String> column(Connection connection, String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                values.add(row.getString(1));
            }
        }
        return values;
    }

    private static void execute(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
