package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operator's jar. The build runs this class after it has packaged the jar. */
class OperatorJarIT {
    private static final Path JAR = Path.of("target", "semel.jar");
    private static final Pattern NOT_FOR_OPERATORS = Pattern.compile(
            "^(dev/semel/(testkit|bench|demo|spring)|org/springframework|org/junit|org/assertj|net/jqwik|org/openjdk/jmh)/");

    @TempDir
    private Path directory;

    @Test
    void jarContainsNeitherTestKitNorBenchmarksNorTestLibraries() throws IOException {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            List<String> names = jar.stream().map(ZipEntry::getName).toList();
            assertThat(names)
                    .contains(
                            "dev/semel/cli/Main.class",
                            "dev/semel/conformance/Conformance.class",
                            "dev/semel/server/config/ConfigFile.class",
                            "dev/semel/http/ingress/WebhookServlet.class");
            assertThat(names.stream()
                            .filter(name -> NOT_FOR_OPERATORS.matcher(name).find()))
                    .isEmpty();
        }
    }

    @Test
    void commandsOfOperatorsRunFromTheJarAlone() throws Exception {
        String store = "sqlite:" + directory.resolve("orders.db");
        Shell conformance = semel("conformance", "--url", "http://127.0.0.1:1/");
        assertThat(conformance.exit()).as(conformance.err()).isEqualTo(Exit.STORE_UNAVAILABLE.code());
        Shell schema = semel("schema", "print", "--engine", "sqlite");
        assertThat(schema.exit()).as(schema.err()).isZero();
        Semel.open(store).close();
        Shell doctor = semel("doctor", "--store", store);
        assertThat(doctor.exit()).as(doctor.err()).isZero();
    }

    @Test
    void configurationIsWrittenAndCheckedFromTheJarAlone() throws Exception {
        String file = directory.resolve("semel.yaml").toString();
        Shell init = semel("init", "--preset", "github", "--file", file);
        assertThat(init.exit()).as(init.err()).isZero();
        Shell unset = semel("check", file);
        assertThat(unset.exit()).as(unset.err()).isEqualTo(Exit.CHECK_FAILED.code());
        assertThat(unset.out()).contains("the environment variable GITHUB_WEBHOOK_SECRET is not set");
        Map<String, String> variables =
                Map.of("GITHUB_WEBHOOK_SECRET", "0123456789abcdef", "APP_WEBHOOK_URL", "https://app.example/hooks");
        Shell set = semel(variables, "check", file);
        assertThat(set.exit()).as(set.out() + set.err()).isZero();
        assertThat(set.out()).contains("github", "https://app.example").doesNotContain("0123456789abcdef");
    }

    @Test
    void demoSaysThatItNeedsACheckout() throws Exception {
        Shell demo = semel("demo", "--seconds", "1");
        assertThat(demo.exit()).isEqualTo(Exit.BAD_INPUT.code());
        assertThat(demo.err())
                .startsWith("semel: demo: the demo is not part of this jar; run ./semel demo in a checkout");
        assertThat(semel("demo", "--help").exit()).isZero();
    }

    @Test
    void benchSaysThatItNeedsACheckout() throws Exception {
        Shell bench = semel("bench", "ledger", "--store", "memory:");
        assertThat(bench.exit()).isEqualTo(Exit.BAD_INPUT.code());
        assertThat(bench.err())
                .startsWith("semel: bench: the benchmarks are not part of this jar; run ./semel bench in a checkout");
    }

    private Shell semel(String... args) throws Exception {
        return semel(Map.of(), args);
    }

    private Shell semel(Map<String, String> variables, String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-jar",
                JAR.toAbsolutePath().toString()));
        command.addAll(List.of(args));
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().putAll(variables);
        Process process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Shell(process.exitValue(), Files.readString(out), Files.readString(err));
    }
}
