package dev.semel.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Another Java of this machine, for what the baseline does not have. Where several are installed, they are neighbours. */
public final class NewerJava {
    private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

    private NewerJava() {}

    /** Whether the present one has virtual threads. */
    public static boolean isPresent() {
        return Runtime.version().feature() >= FIRST_WITH_VIRTUAL_THREADS;
    }

    /** The program of one with virtual threads; the present one if it has them. */
    public static Optional<Path> withVirtualThreads() throws IOException {
        Path home = Path.of(System.getProperty("java.home")).toRealPath();
        if (isPresent()) {
            return Optional.of(home.resolve("bin/java"));
        }
        try (Stream<Path> homes = Files.list(home.getParent())) {
            return homes.filter(each -> feature(each.resolve("release")) >= FIRST_WITH_VIRTUAL_THREADS)
                    .map(each -> each.resolve("bin/java"))
                    .filter(Files::isExecutable)
                    .findFirst();
        }
    }

    /** From a line such as {@code JAVA_VERSION="25.0.1"}. */
    private static int feature(Path release) {
        try (Stream<String> lines = Files.lines(release)) {
            return lines.filter(line -> line.startsWith("JAVA_VERSION="))
                    .mapToInt(line -> Integer.parseInt(line.replaceAll("^JAVA_VERSION=\"(\\d+).*", "$1")))
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }
}
