package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor;

/** An application that is processed ahead of time, compiled, and run on the JVM by its generated code. */
class AotTest {
    @TempDir
    private Path directory;

    @Test
    void applicationThatIsProcessedAheadOfTimeRunsByItsGeneratedCode() throws Exception {
        String[] arguments = {
            "--server.port=0",
            "--spring.datasource.url=" + Databases.SQLITE.fresh(),
            "--spring.main.banner-mode=off",
            "--spring.autoconfigure.exclude=" + Databases.JPA + "," + Web.SECURITY,
            "--semel.http.anonymous=true"
        };
        AbstractAotProcessor.Settings settings = AbstractAotProcessor.Settings.builder()
                .sourceOutput(directory.resolve("sources"))
                .resourceOutput(directory.resolve("classes"))
                .classOutput(directory.resolve("classes"))
                .groupId("dev.semel")
                .artifactId("aot")
                .build();
        new SpringApplicationAotProcessor(AotService.class, settings, arguments).process();
        compile(directory.resolve("sources"), directory.resolve("classes"));
        assertThat(directory.resolve("classes/dev/semel/spring/AotService__ApplicationContextInitializer.class"))
                .exists();
        run(arguments);
    }

    private static void compile(Path sources, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                Stream<Path> all = Files.walk(sources)) {
            List<Path> java =
                    all.filter(path -> path.toString().endsWith(".java")).toList();
            List<String> options = List.of(
                    "-nowarn",
                    "-proc:none",
                    "-d",
                    classes.toString(),
                    "-cp",
                    classes + ":" + System.getProperty("java.class.path"));
            assertThat(compiler.getTask(said, files, null, options, null, files.getJavaFileObjectsFromPaths(java))
                            .call())
                    .as(said.toString())
                    .isTrue();
        }
    }

    private void run(String[] arguments) throws IOException, InterruptedException {
        Path said = directory.resolve("said");
        ProcessBuilder process = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-Dspring.aot.enabled=true",
                "-cp",
                directory.resolve("classes") + ":" + System.getProperty("java.class.path"),
                AotService.class.getName());
        process.command().addAll(List.of(arguments));
        Process started =
                process.redirectErrorStream(true).redirectOutput(said.toFile()).start();
        try {
            assertThat(started.waitFor(120, TimeUnit.SECONDS))
                    .as(Files.readString(said))
                    .isTrue();
            assertThat(started.exitValue()).as(Files.readString(said)).isEqualTo(AotService.WORKS);
        } finally {
            started.destroyForcibly();
        }
    }
}
