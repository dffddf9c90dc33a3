package dev.semel.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Modules export the front door and what authors of stores implement, and nothing else; the class path needs no modules. */
class ModulesTest {
    private static final Path SHOP = Path.of("src", "test", "consumer");

    @TempDir
    private Path directory;

    private Path sources;
    private Path classes;

    @BeforeEach
    void copyShop() throws IOException {
        sources = Files.createDirectories(directory.resolve("sources/shop"));
        classes = directory.resolve("classes");
        Files.copy(SHOP.resolve("Shop.java"), sources.resolve("Shop.java"));
        Files.copy(SHOP.resolve("module-info.java"), sources.resolveSibling("module-info.java"));
    }

    @Test
    void frontDoorAndStoreSpiAreExportedAndNothingElse() {
        assertThat(PublishedModule.CORE.exported())
                .containsExactly("dev.semel", "dev.semel.key", "dev.semel.store", "dev.semel.time", "dev.semel.watch");
        assertThat(PublishedModule.JDBC.exported()).isEmpty();
        assertThat(PublishedModule.HTTP.exported()).containsExactly("dev.semel.http", "dev.semel.http.ingress");
        assertThat(PublishedModule.CONFORMANCE.exported()).containsExactly("dev.semel.conformance");
    }

    @Test
    void moduleUsesTheFrontDoor() throws Exception {
        assertThat(compile("--module-path", path())).isEmpty();
        assertThat(java("--module-path", classes + File.pathSeparator + path(), "--module", "shop/shop.Shop"))
                .isEqualTo("executed 1, replayed 1");
    }

    @Test
    void classPathNeedsNoModules() throws Exception {
        Files.delete(sources.resolveSibling("module-info.java"));
        assertThat(compile("--class-path", path())).isEmpty();
        assertThat(java("--class-path", classes + File.pathSeparator + path(), "shop.Shop"))
                .isEqualTo("executed 1, replayed 1");
    }

    @ParameterizedTest
    @EnumSource(names = {"CORE", "JDBC"})
    void internalPackagesCannotBeReached(PublishedModule module) throws IOException {
        Set<String> internal = new TreeSet<>(module.descriptor().packages());
        internal.removeAll(module.exported());
        String imports =
                internal.stream().map(name -> "import " + name + ".*;\n").collect(Collectors.joining());
        Files.writeString(sources.resolve("Curious.java"), "package shop;\n" + imports + "class Curious {}\n");
        Files.writeString(
                sources.resolveSibling("module-info.java"), "module shop { requires " + module.module() + "; }");
        Files.delete(sources.resolve("Shop.java"));
        String told = compile("--module-path", path());
        assertThat(internal)
                .isNotEmpty()
                .allSatisfy(name -> assertThat(told).contains("package " + name + " is not visible"));
    }

    @Test
    void internalPackagesAreExportedOnlyToModulesOfSemelAndToWhatReflects() {
        Set<String> targets = Stream.of(PublishedModule.values())
                .filter(PublishedModule::isNamed)
                .flatMap(module -> module.descriptor().exports().stream())
                .map(ModuleDescriptor.Exports::targets)
                .flatMap(Set::stream)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(targets)
                .isSubsetOf(
                        "dev.semel.console",
                        "dev.semel.http",
                        "dev.semel.jdbc",
                        "dev.semel.spring",
                        "dev.semel.testkit",
                        "org.postgresql.jdbc");
    }

    /** Everything that a service on SQLite has on its path. */
    private static String path() {
        Stream<Path> ours = Stream.of(PublishedModule.values())
                .filter(PublishedModule::isNamed)
                .map(PublishedModule::path);
        Stream<Path> libraries = PublishedModule.classPath().stream()
                .filter(path -> path.getFileName()
                        .toString()
                        .matches("(jackson-(core|databind|annotations)|slf4j-api|caffeine|resilience4j-\\w+|HikariCP"
                                + "|sqlite-jdbc|postgresql|jspecify|error_prone_annotations|checker-qual"
                                + "|jakarta\\.servlet-api)-\\d.*\\.jar"));
        return Stream.concat(ours, libraries).map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    private String compile(String option, String path) throws IOException {
        List<String> command = new ArrayList<>(List.of("--release", "17", option, path, "-d", classes.toString()));
        try (Stream<Path> files = Files.walk(directory.resolve("sources"))) {
            files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(command::add);
        }
        return Javac.run(command);
    }

    private String java(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dshop.ledger=" + directory.resolve("shop.db")));
        command.addAll(List.of(arguments));
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue() == 0 ? Files.readString(out).strip() : Files.readString(err);
    }
}
