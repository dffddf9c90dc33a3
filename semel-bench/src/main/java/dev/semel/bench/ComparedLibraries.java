package dev.semel.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The libraries that Semel is measured beside. They are no part of the command line: they come from a jar whose manifest
 * names the rest of their class path, which the launcher builds when they are wanted. Their threads look for classes there
 * too: opened and closed by the thread that measures.
 */
public final class ComparedLibraries implements AutoCloseable {
    private static final String PROPERTY = "semel.peers";

    private final List<ComparedLibrary> all;
    private final @Nullable URLClassLoader loader;
    private final @Nullable ClassLoader before = Thread.currentThread().getContextClassLoader();

    private ComparedLibraries(List<ComparedLibrary> all, @Nullable URLClassLoader loader) {
        this.all = all;
        this.loader = loader;
        if (loader != null) {
            Thread.currentThread().setContextClassLoader(loader);
        }
    }

    /** Those of the class path, and of the jar that the system property {@code semel.peers} names. */
    public static ComparedLibraries installed() {
        String jar = System.getProperty(PROPERTY, "");
        return jar.isBlank() ? none(ComparedLibraries.class.getClassLoader()) : of(Path.of(jar));
    }

    private static ComparedLibraries none(ClassLoader here) {
        return new ComparedLibraries(load(here), null);
    }

    /** Those of a jar; none when it is not there. */
    static ComparedLibraries of(Path jar) {
        if (!Files.isRegularFile(jar)) {
            return none(ComparedLibraries.class.getClassLoader());
        }
        try {
            URLClassLoader loader =
                    new URLClassLoader(new URL[] {jar.toUri().toURL()}, ComparedLibraries.class.getClassLoader());
            return new ComparedLibraries(load(loader), loader);
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ComparedLibraries of(List<ComparedLibrary> some) {
        return new ComparedLibraries(some, null);
    }

    private static List<ComparedLibrary> load(ClassLoader from) {
        Stream<ComparedLibrary> found =
                ServiceLoader.load(ComparedLibrary.class, from).stream().map(ServiceLoader.Provider::get);
        return found.sorted(Comparator.comparing(ComparedLibrary::name)).toList();
    }

    List<ComparedLibrary> all() {
        return all;
    }

    @Override
    public void close() {
        if (loader != null) {
            Thread.currentThread().setContextClassLoader(before);
            try {
                loader.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
