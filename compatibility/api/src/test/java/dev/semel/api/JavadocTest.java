package dev.semel.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Builds the Javadoc site of what users can reach, in {@code target/apidocs}: links, tags and HTML are right. */
class JavadocTest {
    private static final Path ROOT = Path.of("..", "..");
    private static final Path SITE = Path.of("target", "apidocs");

    @Test
    void siteIsBuiltWithoutWarnings() throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "-quiet",
                "-Werror",
                "-Xdoclint:all,-missing",
                "-notimestamp",
                "-encoding",
                "UTF-8",
                "--release",
                "17",
                "-doctitle",
                "Semel",
                "-windowtitle",
                "Semel",
                "-overview",
                ROOT.resolve("docs/overview.html").toString(),
                "-d",
                SITE.toString(),
                "-classpath",
                System.getProperty("java.class.path")));
        group(arguments, "Front door", "dev.semel:dev.semel.watch");
        group(arguments, "HTTP and Spring Boot", "dev.semel.http:dev.semel.spring");
        group(arguments, "Authors of stores", "dev.semel.store:dev.semel.key:dev.semel.time");
        group(arguments, "Checks from outside", "dev.semel.conformance");
        for (PublishedModule module : PublishedModule.values()) {
            for (String name : module.exported()) {
                arguments.addAll(sources(module, name));
            }
        }
        StringWriter told = new StringWriter();
        PrintWriter writer = new PrintWriter(told, true);
        int exit =
                ToolProvider.findFirst("javadoc").orElseThrow().run(writer, writer, arguments.toArray(String[]::new));
        assertThat(told.toString()).isEmpty();
        assertThat(exit).isZero();
        assertThat(SITE.resolve("index.html")).isRegularFile();
        assertThat(SITE.resolve("dev/semel/Semel.html")).isRegularFile();
        assertThat(SITE.resolve("dev/semel/engine")).doesNotExist();
    }

    private static void group(List<String> arguments, String title, String packages) {
        arguments.addAll(List.of("-group", title, packages));
    }

    private static List<String> sources(PublishedModule module, String name) throws IOException {
        Path folder = ROOT.resolve(module.artifact()).resolve("src/main/java").resolve(name.replace('.', '/'));
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(Path::toString)
                    .filter(file -> file.endsWith(".java"))
                    .sorted()
                    .toList();
        }
    }
}
