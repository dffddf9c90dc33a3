package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads the part on Spring Boot of docs/getting-started.md as a newcomer does: takes its files, and nothing else, into an empty
 * directory, compiles them, runs them, kills them in the middle of their work and runs them again.
 */
@Timeout(180)
class SpringGettingStartedTest {
    private static final Path PAGE = Path.of("..", "docs/getting-started.md");
    private static final String FILE = "ShopApplication.java";
    private static final String BOOK = "{\"id\":\"o-1\",\"item\":\"book\"}";
    private static final long PAUSE_NANOS = 20_000_000;
    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

    /** What the POM of the page does not bring, and other tests of this module do. */
    private static final Pattern NOT_NAMED = Pattern.compile(
            "test-classes|.*(security|hibernate|jpa|flyway|actuator|liquibase|springdoc|swagger).*\\.jar");

    @TempDir
    Path directory;

    private @Nullable Process process;

    @BeforeEach
    void build() throws Exception {
        Path classes = Files.createDirectories(directory.resolve("target/classes"));
        Path source = directory.resolve("src/main/java/shop").resolve(FILE);
        Files.createDirectories(source.getParent());
        Files.writeString(source, file("```java", FILE));
        Files.writeString(
                classes.resolve("application.properties"), file("```properties", "spring/application.properties"));
        int failed = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "--release",
                        "17",
                        "-parameters",
                        "-proc:none",
                        "-cp",
                        libraries(),
                        "-d",
                        classes.toString(),
                        source.toString());
        assertThat(failed).as("the compiler's exit code").isZero();
    }

    @AfterEach
    void kill() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }

    @Test
    void dependenciesOfThePageAreThoseOfThisModule() throws IOException {
        List<String> jars = Stream.of(libraries().split(File.pathSeparator))
                .map(entry -> Path.of(entry).getFileName().toString())
                .toList();
        Matcher named = Pattern.compile("<artifactId>(spring-boot-starter-\\w+)</artifactId>")
                .matcher(file("```xml", "spring/pom.xml"));
        List<String> starters =
                named.results().map(found -> found.group(1)).distinct().toList();
        assertThat(starters)
                .hasSize(2)
                .allSatisfy(starter -> assertThat(jars).anyMatch(jar -> jar.matches(starter + "-[0-9.]+\\.jar")));
    }

    @Test
    void secondPostOfThePageIsReplayedAlsoAfterAKill() throws Exception {
        Web web = start();
        HttpResponse<String> first = web.post("/orders", "k-1", BOOK);
        assertThat(first.statusCode()).isEqualTo(200);
        HttpResponse<String> second = web.post("/orders", "k-1", BOOK);
        assertThat(second.body()).isEqualTo(first.body()).isEqualTo(BOOK);
        assertThat(second.headers().firstValue("Idempotency-Replayed")).hasValue("true");
        assertThat(web.post("/orders", null, BOOK).body()).contains("idempotency.key_required");
        assertThat(web.post("/orders", "k-1", BOOK.replace("book", "pen")).body())
                .contains("idempotency.payload_mismatch");
        awaitCount(web, "1 orders, 1 shipments");
        kill();
        web = start();
        assertThat(web.post("/orders", "k-1", BOOK).body()).isEqualTo(BOOK);
        awaitCount(web, "1 orders, 1 shipments");
    }

    @Test
    void orderAndShipmentWhoseHandlersAreKilledAreThereOnceAfterwards() throws Exception {
        String url = Databases.POSTGRESQL.fresh();
        String[] settings = {
            "--spring.datasource.url=" + url,
            "--semel.policy.api.request.lease=1s",
            "--semel.policy.api.request.backoff=none",
            "--semel.policy.default.lease=1s"
        };
        Web web = start(settings);
        try (Connection lock = locked(url, "orders")) {
            CompletableFuture<HttpResponse<String>> answer = post(web);
            awaitBlockedStatement(url);
            kill();
            assertThat(answer).failsWithin(Duration.ofMinutes(1));
            lock.rollback();
        }
        web = start(settings);
        try (Connection lock = locked(url, "shipments")) {
            HttpResponse<String> response = web.post("/orders", "k-1", BOOK);
            while (response.body().contains("idempotency.in_progress")) {
                LockSupport.parkNanos(PAUSE_NANOS);
                response = web.post("/orders", "k-1", BOOK);
            }
            assertThat(response.body()).isEqualTo(BOOK);
            awaitBlockedStatement(url);
            kill();
            lock.rollback();
        }
        web = start(settings);
        awaitCount(web, "1 orders, 1 shipments");
        assertThat(web.post("/orders", "k-1", BOOK).headers().firstValue("Idempotency-Replayed"))
                .hasValue("true");
        awaitCount(web, "1 orders, 1 shipments");
    }

    private static CompletableFuture<HttpResponse<String>> post(Web web) {
        return CompletableFuture.supplyAsync(() -> web.post("/orders", "k-1", BOOK));
    }

    /** The text of a file that the page shows below its mark. */
    private static String file(String fence, String name) throws IOException {
        List<String> lines = Files.readAllLines(PAGE);
        for (int i = 0; i + 1 < lines.size(); i++) {
            if (lines.get(i).startsWith("<!-- file: " + name)
                    && lines.get(i + 1).equals(fence)) {
                List<String> rest = lines.subList(i + 2, lines.size());
                return String.join("\n", rest.subList(0, rest.indexOf("```"))) + "\n";
            }
        }
        throw new AssertionError(PAGE + " shows no file " + name);
    }

    private static String libraries() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !NOT_NAMED
                        .matcher(Path.of(entry).getFileName().toString())
                        .matches())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private Web start(String... settings) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                directory.resolve("target/classes") + File.pathSeparator + libraries(),
                "shop.ShopApplication",
                "--server.port=0"));
        command.addAll(List.of(settings));
        process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        StringBuilder said = new StringBuilder();
        BufferedReader output = process.inputReader();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            said.append(line).append('\n');
            Matcher started = PORT.matcher(line);
            if (started.find()) {
                Thread drain = new Thread(() -> output.lines().forEach(ignored -> {}), "drain");
                drain.setDaemon(true);
                drain.start();
                return new Web(Integer.parseInt(started.group(1)), null);
            }
        }
        throw new AssertionError("The application did not start:\n" + said);
    }

    private static void awaitCount(Web web, String expected) {
        while (!web.send("GET", "/count", null, null).body().strip().equals(expected)) {
            LockSupport.parkNanos(PAUSE_NANOS);
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
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            boolean blocked = false;
            while (!blocked) {
                try (ResultSet row = statement.executeQuery("SELECT count(*) FROM pg_stat_activity WHERE datname ="
                        + " current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO%'")) {
                    row.next();
                    blocked = row.getLong(1) > 0;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }
}
