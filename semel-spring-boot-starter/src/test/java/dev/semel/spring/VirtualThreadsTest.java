package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.testkit.NewerJava;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * On which threads requests and deliveries run, by {@code spring.threads.virtual.enabled}. The baseline has no virtual threads,
 * so a service is also started by a newer Java, where one is installed beside the present one.
 */
@Timeout(300)
class VirtualThreadsTest {
    private static final Channel.Atomic<String> PARCELS = Channel.atomic("parcels", String.class);

    @TempDir
    private Path directory;

    /** What a service tells of one request, its repetition, and one delivery. */
    record Seen(String request, String repeated, String delivery) {
        static Seen on(boolean virtual) {
            return new Seen(kind(virtual), kind(virtual), kind(virtual));
        }

        private static String kind(boolean virtual) {
            return virtual ? "virtual" : "platform";
        }

        /** Of the calling thread, by name of the method: the baseline does not have it. */
        static String here() {
            try {
                return kind((boolean) Thread.class.getMethod("isVirtual").invoke(Thread.currentThread()));
            } catch (NoSuchMethodException e) {
                return kind(false);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @RestController
    static class Parcels {
        private final CompletableFuture<String> delivered = new CompletableFuture<>();

        @PostMapping("/parcels")
        public String place() {
            return Seen.here();
        }

        @SemelChannel("parcels")
        public void deliver(String parcel) {
            delivered.complete(Seen.here());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Parcels.class)
    static class Application {}

    /** Services in a process of its own, one after the other. It is given databases and settings, and prints what it saw of each. */
    static final class Services {
        private Services() {}

        public static void main(String[] arguments) throws Exception {
            for (int i = 0; i < arguments.length; i += 2) {
                Seen seen = seen(arguments[i], Boolean.parseBoolean(arguments[i + 1]));
                System.out.println("SEEN " + seen.request + " " + seen.repeated + " " + seen.delivery);
            }
            System.exit(0);
        }
    }

    private static Seen seen(String database, boolean enabled) throws Exception {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + database,
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.JPA + "," + Web.SECURITY,
                        "spring.threads.virtual.enabled=" + enabled,
                        "semel.http.anonymous=true")
                .run()) {
            Web web = new Web(
                    Integer.parseInt(String.valueOf(context.getEnvironment().getProperty("local.server.port"))), null);
            HttpResponse<String> first = web.post("/parcels", "k-1", "{}");
            HttpResponse<String> second = web.post("/parcels", "k-1", "{}");
            assertThat(second.headers().firstValue("Idempotency-Replayed")).hasValue("true");
            context.getBean(Semel.class).send(PARCELS, Message.of(Tenant.SINGLE, Key.of("p-1"), "parcel"));
            String delivery = context.getBean(Parcels.class).delivered.get(60, TimeUnit.SECONDS);
            return new Seen(first.body(), second.body(), delivery);
        }
    }

    @Test
    void settingDoesNoHarmOnThePresentRuntime() throws Exception {
        assertThat(seen(Databases.SQLITE.fresh(), true)).isEqualTo(Seen.on(NewerJava.isPresent()));
    }

    @Test
    void onANewerRuntimeRequestsAndDeliveriesAreOnVirtualThreadsExactlyWhenTheyAreEnabled() throws Exception {
        assertThat(byNewerJava(
                        Databases.SQLITE.fresh(), "true",
                        Databases.POSTGRESQL.fresh(), "true",
                        Databases.SQLITE.fresh(), "false"))
                .containsExactly(Seen.on(true), Seen.on(true), Seen.on(false));
    }

    private List<Seen> byNewerJava(String... databasesAndSettings) throws IOException, InterruptedException {
        Optional<Path> java = NewerJava.withVirtualThreads();
        assumeTrue(java.isPresent(), "No Java with virtual threads is installed beside this one.");
        Path said = directory.resolve("said");
        List<String> command = new ArrayList<>(List.of(
                java.orElseThrow().toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Services.class.getName()));
        command.addAll(List.of(databasesAndSettings));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            assertThat(process.waitFor(240, TimeUnit.SECONDS)).as(read(said)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(read(said)).isZero();
        return Files.readAllLines(said).stream()
                .filter(line -> line.startsWith("SEEN "))
                .map(line -> line.split(" "))
                .map(seen -> new Seen(seen[1], seen[2], seen[3]))
                .toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
