package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.Await;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** A process that dies at the level MARKER after a transaction was committed that is not the request's own. */
class MarkerCrashTest {
    private static final int DIED = 137;
    private static final List<String> PATHS = List.of("apart-and-gone", "listened-and-gone", "nothing-and-gone");

    @TempDir
    private Path directory;

    /** A service in a process of its own, which sends itself the requests and dies when each has come to its point. */
    static final class Service {
        private Service() {}

        public static void main(String[] arguments) {
            Web web = Web.of(start(arguments[0]));
            for (String path : PATHS) {
                new Thread(() -> {
                            HttpResponse<String> response = web.post("/marker/" + path + "/" + path, path, null);
                            System.err.println(path + " was answered: " + response.statusCode() + response.body());
                            Runtime.getRuntime().halt(1);
                        })
                        .start();
                MarkerDetourController.WAITING_TO_DIE.acquireUninterruptibly();
            }
            Runtime.getRuntime().halt(DIED);
        }
    }

    private static ConfigurableApplicationContext start(String database) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(MarkerSuite.Application.class)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + database,
                        "spring.datasource.hikari.maximum-pool-size=8",
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.JPA + "," + Web.SECURITY,
                        "semel.http.anonymous=true",
                        "semel.policy.api.request.lease=1s",
                        "semel.policy.api.request.backoff=none")
                .run();
        context.getBean(JdbcTemplate.class).execute("CREATE TABLE IF NOT EXISTS effect (name VARCHAR(100) NOT NULL)");
        return context;
    }

    private void die(String database) throws IOException, InterruptedException {
        Path said = directory.resolve("said");
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Ddies=true",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Service.class.getName(),
                        database))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS))
                    .as(Files.readString(said))
                    .isTrue();
            assertThat(process.exitValue()).as(Files.readString(said)).isEqualTo(DIED);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Waits until the lease of the run that died has expired. */
    private static HttpResponse<String> decided(Web web, String path) {
        return Await.until(
                path + " is no longer in progress",
                () -> web.post("/marker/" + path + "/" + path, path, null),
                response -> !response.body().contains("idempotency.in_progress"));
    }

    @ParameterizedTest
    @EnumSource(Databases.class)
    void requestWhoseInnerTransactionWasCommittedIsUnknownAfterACrashAndOneThatWroteNothingIsRunAgain(Databases kind)
            throws Exception {
        String database = kind.fresh();
        die(database);
        try (ConfigurableApplicationContext context = start(database)) {
            Web web = Web.of(context);
            MarkerController controller = context.getBean(MarkerController.class);
            for (String path : PATHS.subList(0, 2)) {
                HttpResponse<String> again = decided(web, path);
                assertThat(again.body()).as(path).contains("idempotency.outcome_unknown");
                assertThat(again.statusCode()).as(path).isEqualTo(409);
                assertThat(controller.effects(path)).as(path).isEqualTo(1);
            }
            HttpResponse<String> again = decided(web, "nothing-and-gone");
            assertThat(again.body()).isEqualTo("done");
            assertThat(controller.effects("nothing-and-gone")).isZero();
        }
    }
}
