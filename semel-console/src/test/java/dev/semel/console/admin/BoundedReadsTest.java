package dev.semel.console.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.console.admin.AdminReads.ReadRequest;
import dev.semel.console.admin.PostgresReads.RunStatement;
import dev.semel.jdbc.sqlite.SqliteReads;
import dev.semel.testkit.Scratch;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What people read touches indexes, and costs the same however many records there are. */
@Timeout(600)
class BoundedReadsTest {
    private static final int SOME = 1_000;
    private static final int REALISTIC = 20_000;
    private static final int MANY = 100_000;

    /** Rows of large tables that a request may look at. An overview looks at 10,000 of each of five states at most. */
    private static final long MOST_ROWS = 51_000;

    /** Steps of SQLite's machine that a request may take. */
    private static final long MOST_STEPS = 3_000_000;

    private static final String LOOKS_AT = " looks at ";

    @Test
    void everyEndpointThatReadsIsAskedWithEveryParameter() {
        AdminReads.demandEveryEndpointAndParameter();
    }

    private static boolean isWhole(ReadRequest request) {
        return AdminReads.WHOLE.contains(request.endpoint());
    }

    @Test
    void everyReadOnPostgresqlTouchesAnIndexAndIsBounded() {
        try (PostgresReads reads = new PostgresReads();
                AdminServer server = AdminServer.on(reads.url()).withTrouble().withShadow()) {
            FilledLedger ledger = new FilledLedger(reads.jdbcUrl());
            ledger.fill(1, SOME);
            ledger.analyse();
            // To read a table of a few pages as a whole is right.
            assertThat(faults(server, reads)).as("with %d records", SOME).noneMatch(fault -> fault.contains(LOOKS_AT));
            ledger.fill(SOME, REALISTIC);
            ledger.analyse();
            assertThat(faults(server, reads)).as("with %d records", REALISTIC).isEmpty();
            ledger.fill(REALISTIC, MANY);
            ledger.analyse();
            assertThat(faults(server, reads)).as("with %d records", MANY).isEmpty();
        }
    }

    private static List<String> faults(AdminServer server, PostgresReads reads) {
        List<String> faults = new ArrayList<>();
        for (ReadRequest first : AdminReads.all()) {
            List<ReadRequest> pages = new ArrayList<>(List.of(first));
            for (int i = 0; i < pages.size(); i++) {
                ReadRequest request = pages.get(i);
                List<RunStatement> run = reads.during(() -> {
                    String next = AdminReads.ask(server, request);
                    if (!next.isEmpty() && pages.size() == 1) {
                        pages.add(first.next(next));
                    }
                });
                faults.addAll(faults(request, run));
            }
        }
        return faults;
    }

    private static List<String> faults(ReadRequest request, List<RunStatement> run) {
        List<String> faults = new ArrayList<>();
        run.stream()
                .filter(each -> !each.wholeTables().isEmpty())
                .forEach(each -> faults.add(request + " reads all of " + each.wholeTables() + ": " + each.text()));
        long rows = run.stream().mapToLong(RunStatement::rows).sum();
        if (rows > MOST_ROWS && !isWhole(request)) {
            faults.add(request + LOOKS_AT + rows + " rows: " + run);
        }
        return faults;
    }

    @Test
    void readWithoutAnIndexIsFoundOnPostgresql() throws SQLException {
        try (PostgresReads reads = new PostgresReads();
                AdminServer server = AdminServer.on(reads.url()).withTrouble();
                Connection connection = DriverManager.getConnection(reads.reportedUrl());
                Statement statement = connection.createStatement()) {
            List<RunStatement> run = reads.during(() -> {
                try {
                    statement.execute("SELECT count(*) FROM semel_record WHERE key = 'k'");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            ReadRequest planted = new ReadRequest(AdminServer.VIEWER, "/records");
            assertThat(faults(planted, run)).singleElement().asString().contains("reads all of [semel_record]");
            assertThat(reads.during(() -> AdminReads.ask(server, planted))).isNotEmpty();
        }
    }

    @Test
    void everyReadOnSqliteTouchesAnIndexAndIsBounded() throws SQLException {
        Path file = Scratch.directory("reads").resolve("ledger.db");
        try (AdminServer server = AdminServer.on("sqlite:" + file).withTrouble().withShadow()) {
            FilledLedger ledger = new FilledLedger("jdbc:sqlite:" + file);
            SqliteReads reads = new SqliteReads(server.engine().store());
            ledger.fill(1, SOME);
            assertThat(faults(server, reads)).as("with %d records", SOME).isEmpty();
            ledger.fill(SOME, REALISTIC);
            assertThat(whole(file, reads.texts())).isEmpty();
            ledger.analyse();
            assertThat(whole(file, reads.texts())).isEmpty();
            ledger.fill(REALISTIC, MANY);
            assertThat(faults(server, reads)).as("with %d records", MANY).isEmpty();
        }
    }

    private static List<String> faults(AdminServer server, SqliteReads reads) {
        List<String> faults = new ArrayList<>();
        for (ReadRequest first : AdminReads.all()) {
            List<ReadRequest> pages = new ArrayList<>(List.of(first));
            for (int i = 0; i < pages.size(); i++) {
                ReadRequest request = pages.get(i);
                long steps = reads.stepsOf(() -> {
                    String next = AdminReads.ask(server, request);
                    if (!next.isEmpty() && pages.size() == 1) {
                        pages.add(first.next(next));
                    }
                });
                if (steps > MOST_STEPS && !isWhole(request)) {
                    faults.add(request + " takes " + steps + " steps");
                }
            }
        }
        return faults;
    }

    /** Statements that read a large table, or an index of it, from end to end. */
    private static Set<String> whole(Path file, Set<String> texts) throws SQLException {
        Set<String> whole = new TreeSet<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
            for (String text : texts) {
                try (Statement statement = connection.createStatement();
                        ResultSet plan = statement.executeQuery("EXPLAIN QUERY PLAN " + text)) {
                    while (plan.next()) {
                        String step = plan.getString("detail");
                        if (step.matches("SCAN semel_(record|audit)\\b.*")) {
                            whole.add(step + ": " + text);
                        }
                    }
                }
            }
        }
        return whole;
    }

    @Test
    void readWithoutAnIndexIsFoundOnSqlite() throws SQLException {
        Path file = Scratch.directory("reads").resolve("ledger.db");
        try (AdminServer server = AdminServer.on("sqlite:" + file).withTrouble()) {
            Set<String> planted = Set.of("SELECT count(*) FROM semel_record WHERE key = ?");
            assertThat(whole(file, planted)).singleElement().asString().startsWith("SCAN semel_record");
            AdminReads.ask(server, new ReadRequest(AdminServer.VIEWER, "/records"));
            assertThat(new SqliteReads(server.engine().store()).texts())
                    .anyMatch(text -> text.contains("FROM semel_record WHERE state ="));
        }
    }
}
