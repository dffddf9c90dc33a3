package dev.semel.readme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.readme.PagePom.Dependency;
import dev.semel.testkit.PrivatePostgres;
import java.io.File;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads docs/getting-started.md as a newcomer does: takes its files, and nothing else, into an empty directory, compiles them,
 * runs them, kills them in the middle of their work and runs them again.
 */
@Timeout(180)
class GettingStartedTest {
    private static final String PAGE = "docs/getting-started.md";
    private static final String FILE = "OrderService.java";

    @TempDir
    Path directory;

    private @Nullable RunningService service;

    @SuppressWarnings("NullAway.Init")
    private PageFiles page;

    @BeforeEach
    void build() throws Exception {
        page = PageFiles.of(PAGE);
        Path source = directory.resolve("src/main/java").resolve(FILE);
        Files.createDirectories(source.getParent());
        Files.writeString(source, page.file(FILE));
        Path classes = Files.createDirectories(directory.resolve("target/classes"));
        String libraries = PagePom.of(page.file("pom.xml")).compilePath().stream()
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "--release",
                        "17",
                        "-proc:none",
                        "-cp",
                        libraries,
                        "-d",
                        classes.toString(),
                        source.toString());
        assertThat(failed).as("the compiler's exit code").isZero();
    }

    @AfterEach
    void end() {
        if (service != null) {
            service.kill();
        }
    }

    private RunningService start(Map<String, String> environment) throws IOException {
        service = RunningService.start(directory, FILE.replace(".java", ""), environment);
        return service;
    }

    @Test
    void pomOfThePageNamesTheVersionsOfThisBuild() throws Exception {
        Path root = PageFiles.repository();
        PagePom build = PagePom.at(root.resolve("pom.xml"));
        for (String name : List.of("pom.xml", "spring/pom.xml")) {
            PagePom shown = PagePom.of(page.file(name));
            assertThat(shown.managed()).as(name).anySatisfy(each -> {
                assertThat(each.artifact()).isEqualTo("semel-bom");
                assertThat(each.version()).hasValue(build.version());
            });
            List<String> inBom = PagePom.at(root.resolve("semel-bom/pom.xml")).managed().stream()
                    .map(Dependency::artifact)
                    .toList();
            assertThat(shown.dependencies().stream()
                            .filter(each -> each.group().equals("dev.semel"))
                            .map(Dependency::artifact))
                    .as(name)
                    .isNotEmpty()
                    .isSubsetOf(inBom);
        }
        Map<String, String> versions = build.properties();
        assertThat(PagePom.of(page.file("pom.xml")).dependencies().stream()
                        .filter(each -> each.version().isPresent())
                        .collect(Collectors.toMap(
                                Dependency::artifact, each -> each.version().orElseThrow())))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "HikariCP", versions.get("hikari.version"),
                        "postgresql", versions.get("postgresql.version"),
                        "slf4j-simple", versions.get("slf4j.version")));
        assertThat(PagePom.of(page.file("spring/pom.xml")).managed().get(0).version())
                .hasValue(versions.get("spring-boot.version"));
    }

    @Test
    void serviceAnswersAsThePageShows() throws Exception {
        RunningService service = start(Map.of());
        HttpResponse<String> first = service.put("o-1", "book");
        assertThat(first.body()).startsWith("Executed: receipt ");
        String receipt = first.body().substring("Executed: ".length());
        assertThat(service.put("o-1", "book").body()).isEqualTo("Replayed: " + receipt);
        HttpResponse<String> other = service.put("o-1", "pen");
        assertThat(other.statusCode()).isEqualTo(409);
        assertThat(page.shows(other.body().strip())).as(other.body()).isTrue();
        service.awaitCount("1 orders, 1 shipments");
        assertThat(page.shows("1 orders, 1 shipments")).isTrue();
        assertThat(service.put("", "book").statusCode()).isEqualTo(400);
        service.stop();
    }

    @Test
    void ordersOfAServiceThatIsKilledBetweenThemAreThereOnceWhenTheyAreSentAgain() throws Exception {
        List<String> orders =
                IntStream.rangeClosed(1, 30).mapToObj(i -> "n-" + i).toList();
        RunningService killed = start(Map.of());
        for (String order : orders.subList(0, 15)) {
            assertThat(killed.put(order, "book").statusCode()).isEqualTo(200);
        }
        killed.kill();
        RunningService again = start(Map.of());
        for (String order : orders) {
            assertThat(again.putUntilDone(order, "book"))
                    .startsWith(orders.indexOf(order) < 15 ? "Replayed: " : "Executed: ");
        }
        again.awaitCount("30 orders, 30 shipments");
        again.stop();
    }

    @Test
    void orderAndShipmentWhoseHandlersAreKilledAreThereOnceAfterwards() throws Exception {
        PrivatePostgres server = PrivatePostgres.shared();
        String url = server.jdbcUrl(server.freshDatabase());
        Map<String, String> environment = Map.of("JDBC_URL", url);
        RunningService first = start(environment);
        try (Connection lock = locked(url, "orders")) {
            CompletableFuture<HttpResponse<String>> answer = first.putLater("o-1", "book");
            awaitBlockedStatement(url);
            first.kill();
            assertThat(answer).failsWithin(Duration.ofMinutes(1));
            lock.rollback();
        }
        RunningService second = start(environment);
        assertThat(second.putUntilDone("o-1", "book")).startsWith("Executed: ");
        second.awaitCount("1 orders, 1 shipments");
        try (Connection lock = locked(url, "shipments")) {
            assertThat(second.put("o-2", "pen").body()).startsWith("Executed: ");
            awaitBlockedStatement(url);
            second.kill();
            lock.rollback();
        }
        RunningService third = start(environment);
        third.awaitCount("2 orders, 2 shipments");
        assertThat(third.put("o-1", "book").body()).startsWith("Replayed: ");
        assertThat(third.put("o-2", "pen").body()).startsWith("Replayed: ");
        third.stop();
        try (Connection connection = DriverManager.getConnection(url)) {
            assertThat(number(connection, "SELECT count(*) FROM orders")).isEqualTo(2);
            assertThat(number(connection, "SELECT count(*) FROM shipments")).isEqualTo(2);
        }
    }

    /** Whoever writes to the table now stands still until this is rolled back. */
    private static Connection locked(String url, String table) throws Exception {
        Connection connection = DriverManager.getConnection(url);
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("LOCK TABLE " + table + " IN SHARE MODE");
        }
        return connection;
    }

    /** Until a handler's INSERT waits for the table. */
    private static void awaitBlockedStatement(String url) throws Exception {
        try (Connection connection = DriverManager.getConnection(url)) {
            while (number(
                            connection,
                            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                    + " AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO%'")
                    == 0) {
                LockSupport.parkNanos(20_000_000);
            }
        }
    }

    private static long number(Connection connection, String query) throws Exception {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
