package dev.semel.api;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** A module that users depend on, as it is on the class path of these tests: a jar, or the directory of its classes. */
enum PublishedModule {
    CORE("semel-core", "dev.semel"),
    JDBC("semel-jdbc", "dev.semel.jdbc"),
    HTTP("semel-http", "dev.semel.http"),
    CONFORMANCE("semel-conformance", "dev.semel.conformance"),
    /** Spring is no named module, so its starter is none either. */
    STARTER("semel-spring-boot-starter", "dev.semel.spring");

    private final String artifact;
    private final String module;

    PublishedModule(String artifact, String module) {
        this.artifact = artifact;
        this.module = module;
    }

    String artifact() {
        return artifact;
    }

    String module() {
        return module;
    }

    boolean isNamed() {
        return this != STARTER;
    }

    Path path() {
        List<Path> found = classPath().stream()
                .filter(path -> path.toString().matches(".*[/\\\\]" + artifact + "([/\\\\]|-\\d)[^/\\\\]*.*"))
                .toList();
        if (found.size() != 1) {
            throw new IllegalStateException(artifact + " is on the class path as " + found);
        }
        return found.get(0);
    }

    static List<Path> classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .toList();
    }

    ModuleDescriptor descriptor() {
        return ModuleFinder.of(path())
                .find(module)
                .orElseThrow(() -> new IllegalStateException(path() + " is not the module " + module))
                .descriptor();
    }

    /** The packages that everybody may use. */
    Set<String> exported() {
        return isNamed()
                ? descriptor().exports().stream()
                        .filter(export -> !export.isQualified())
                        .map(ModuleDescriptor.Exports::source)
                        .collect(Collectors.toCollection(TreeSet::new))
                : Set.of(module);
    }

    Path reference() {
        return Path.of("reference", artifact + ".txt");
    }

    Api referenced() {
        try {
            return Api.parse(Files.exists(reference()) ? Files.readAllLines(reference()) : List.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Api present() {
        return ApiListing.of(System.getProperty("java.class.path"), exported());
    }
}
