package dev.semel.bench;

import dev.semel.SemelException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A directory of the bench's own on the file system that is measured; removed when closed. */
final class SqliteDirectory implements AutoCloseable {
    private final Path directory;

    /** @param url of a ledger, beside which the directory is made and which is not touched; absent for a temporary one */
    SqliteDirectory(@Nullable String url) {
        try {
            if (url == null) {
                directory = Files.createTempDirectory("semel-bench");
            } else {
                String file = url.replaceFirst("^(jdbc:)?sqlite:(//)?", "").replaceFirst("\\?.*", "");
                Path parent = Path.of(file).toAbsolutePath().getParent();
                directory = Files.createTempDirectory(parent == null ? Path.of("/") : parent, "semel-bench");
            }
        } catch (IOException e) {
            throw new SemelException.StoreUnavailable(
                    "The bench cannot make its directory beside the ledger (" + e
                            + "). Give a path that can be written.",
                    e);
        }
    }

    Path directory() {
        return directory;
    }

    String semelUrl(String name) {
        return "sqlite:" + directory.resolve(name + ".db");
    }

    String jdbcUrl(String name) {
        return "jdbc:sqlite:" + directory.resolve(name + ".db");
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The bench's directory " + directory + " could not be removed.", e);
        }
    }
}
