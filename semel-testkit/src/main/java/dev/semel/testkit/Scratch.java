package dev.semel.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Temporary directories that are removed however this JVM ends: by itself, by {@code kill -9} or by a build that is cancelled.
 * All of a JVM are in one parent directory. A shell waits for the end of a pipe whose other end this JVM holds; when the pipe
 * closes it stops the PostgreSQL servers whose data is in there and removes the parent. Thread-safe.
 */
public final class Scratch {
    /** Ignores the signals that end a whole group of processes: it has to outlive them. */
    private static final String GUARDIAN = """
            trap '' INT TERM HUP
            cat > /dev/null
            for file in "$1"/*/data/postmaster.pid; do
              [ -f "$file" ] || continue
              pid=$(head -n 1 "$file")
              tr '\\0' ' ' < "/proc/$pid/cmdline" 2> /dev/null | grep -qF "$1" && kill -QUIT "$pid"
            done
            for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
              rm -rf "$1" 2> /dev/null
              [ -e "$1" ] || exit 0
              sleep 0.5
            done
            """;

    private Scratch() {}

    /** Makes an empty directory. Its owner may list it, others may only pass through. */
    public static Path directory(String name) {
        try {
            return Files.createTempDirectory(Parent.PATH, name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes a directory and what is in it, now. */
    public static void remove(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            // gone already, or still in use: then it goes with the JVM
        }
    }

    private static final class Parent {
        static final Path PATH = make();

        private static Path make() {
            try {
                Path parent = Files.createTempDirectory("semel-scratch-");
                if (Files.getFileStore(parent).supportsFileAttributeView("posix")) {
                    Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwx--x--x"));
                }
                guard(parent);
                return parent;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void guard(Path parent) {
            try {
                new ProcessBuilder(List.of("sh", "-c", GUARDIAN, "semel-scratch", parent.toString()))
                        .directory(parent.getRoot().toFile())
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
            } catch (IOException e) {
                // no shell on this machine: a JVM that ends by itself still removes it
                Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(parent), "semel-scratch-remove"));
            }
        }
    }
}
