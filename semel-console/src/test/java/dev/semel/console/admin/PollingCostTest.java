package dev.semel.console.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.console.access.Person;
import dev.semel.console.access.Role;
import dev.semel.console.admin.AdminReads.ReadRequest;
import dev.semel.operator.Overviews;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** An open page costs the store less than one query a second: what it asks for is counted by the server of the store. */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PollingCostTest {
    private static final Pattern EVERY = Pattern.compile("\\bevery: .*?(\\d+)_000\\)?,");

    private final PostgresReads reads = new PostgresReads();
    private final FilledLedger ledger = new FilledLedger(reads.jdbcUrl());
    private AdminServer server;

    @BeforeAll
    void start() {
        server = AdminServer.on(reads.url()).withTrouble();
        ledger.fill(1, 2_000);
        ledger.analyse();
        // Whatever a connection asks for when it is new is not asked again.
        cost("/records", "/channels");
    }

    @AfterAll
    void stop() {
        server.close();
        reads.close();
    }

    /** The least of three times: a connection that is new asks for more. */
    private long cost(String... paths) {
        return LongStream.range(0, 3).map(any -> once(paths)).min().orElseThrow();
    }

    /** Queries of tables; settings of a transaction travel in front of them in the same round trip. */
    private long once(String... paths) {
        return reads
                .during(() -> {
                    for (String path : paths) {
                        AdminReads.ask(server, new ReadRequest(AdminServer.OPERATOR, path));
                    }
                })
                .stream()
                .filter(statement -> statement.text().contains("semel_"))
                .count();
    }

    /** How many seconds a page waits before it asks again. */
    private static int period(String page) {
        String name = "/dev/semel/console/static/pages/" + page + ".js";
        try (InputStream file = Objects.requireNonNull(PollingCostTest.class.getResourceAsStream(name))) {
            Matcher every = EVERY.matcher(new String(file.readAllBytes(), StandardCharsets.UTF_8));
            assertThat(every.find()).as("%s says how often it asks", name).isTrue();
            return Integer.parseInt(every.group(1));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void assertCheap(String page, String... paths) {
        assertThat(cost(paths)).as("queries of the page %s", page).isBetween(1L, period(page) - 1L);
    }

    @Test
    void listsOfRecordsAndEventsAreCheap() {
        assertCheap("records", "/records?limit=50");
        assertCheap("records", "/records?limit=50&lane=none&min_attempts=99");
        assertCheap("audit", "/audit/events?limit=50");
        assertCheap("audit", "/audit/events?limit=50&operation=nothing");
    }

    @Test
    void deadLettersByCauseAreCheap() {
        String filter = "?operation=nothing&category=mapping";
        assertThat(cost("/dead/groups" + filter, "/dead" + filter + "&limit=50"))
                .isBetween(1L, 9L);
        assertThat(cost("/dead/groups")).isBetween(1L, 9L);
    }

    @Test
    void retriesAreCheap() {
        assertCheap("retries", "/retries?window=7d", "/retries/rates?window=7d", "/retries/advice?window=7d");
    }

    @Test
    void recordIsCheap() {
        for (String id : List.of(
                AdminServer.id("acme", "fax", "f-1"),
                AdminServer.id("acme", "crm", "o-7b"),
                AdminServer.id("acme", "mail", "later"))) {
            assertCheap("record", "/records/" + id, "/records/" + id + "/story", "/records/" + id + "/tree");
        }
    }

    @Test
    void overviewIsReadOnceForAllWhoAskMeanwhile() {
        long fresh = Stream.of("week", "day", "hour")
                .mapToLong(window -> once("/overview?window=" + window))
                .min()
                .orElseThrow();
        assertThat(fresh).isBetween(1L, Overviews.FRESH.toSeconds() - 1);
    }

    @Test
    void channelsCostTheSameHoweverManyThereAre() throws SQLException {
        long few = cost("/channels");
        assertCheap("channels", "/channels");
        try (Connection connection = DriverManager.getConnection(reads.jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE semel_record SET operation = operation || fence % 40 WHERE place IS NOT NULL"
                    + " AND key LIKE 'k-%'");
        }
        assertThat(server.get(AdminServer.OPERATOR, "/channels")
                        .json()
                        .path("channels")
                        .size())
                .isGreaterThan(40);
        assertThat(cost("/channels")).isEqualTo(few);
    }

    @Test
    void streamOfEventsAsksTheStoreEveryOtherTime() {
        AuditFollower follower = new AuditFollower(
                server.engine().store().audit(),
                AuditFilter.ALL,
                new TenantSight(new Person("vera", Role.VIEWER, null), false),
                AuditRow.Position.END);
        long asked = reads.during(() -> {
                    for (int second = 0; second < 10; second++) {
                        assertThat(follower.poll()).isEmpty();
                    }
                })
                .size();
        assertThat(asked).isEqualTo(5);
    }
}
