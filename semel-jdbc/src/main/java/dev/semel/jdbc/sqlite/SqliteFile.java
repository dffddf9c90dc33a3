package dev.semel.jdbc.sqlite;

import dev.semel.SemelException;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessMode;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

/** The database file: where it is, whether it can serve, and how connections to it are made. */
record SqliteFile(Path path, TimeSource time, SqliteErrors errors) {
    static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rw-------");

    /** How long a statement waits for another process that writes. */
    static final int BUSY_MILLIS = 5_000;

    /** How long the writer is kept waiting for another process, before the next caller may try. */
    static final int BEGIN_MILLIS = 500;

    /** The same as long as the last one has waited in vain. */
    static final int BEGIN_AGAIN_MILLIS = 50;

    private static final List<String> PREFIXES = List.of("jdbc:sqlite:", "sqlite:");
    private static final byte[] MAGIC = "SQLite format 3\0".getBytes(StandardCharsets.ISO_8859_1);

    /** The purpose of a connection. */
    enum Role {
        WRITE(32_000, false),
        CHECKPOINT(1_000, false),
        READ(8_000, true);

        private final int cacheKilobytes;
        private final boolean queryOnly;

        Role(int cacheKilobytes, boolean queryOnly) {
            this.cacheKilobytes = cacheKilobytes;
            this.queryOnly = queryOnly;
        }
    }

    static boolean isUrl(String url) {
        return PREFIXES.stream().anyMatch(url::startsWith);
    }

    static SqliteFile of(String url, TimeSource time) {
        String prefix = PREFIXES.stream().filter(url::startsWith).findFirst().orElse("");
        String name = url.substring(prefix.length());
        SqliteErrors errors = new SqliteErrors("sqlite:" + name);
        if (name.isBlank()) {
            throw errors.refused("the URL names no file: write sqlite:relative/or/absolute.db");
        }
        if (name.startsWith(":memory:") || name.startsWith("file:") || name.contains("?")) {
            throw errors.refused("only a plain file path is accepted: a database in memory forgets everything (use"
                    + " memory: for that), and parameters could switch durability off");
        }
        try {
            return new SqliteFile(Path.of(name).toAbsolutePath().normalize(), time, errors);
        } catch (InvalidPathException e) {
            throw errors.refused("the path is not one of this system: " + e.getMessage());
        }
    }

    /**
     * Refuses what cannot serve, all faults at once; makes the file where there is none and there never was.
     *
     * @param sidecar the file that tells of a ledger that was here
     * @param create whether the file may be made
     */
    void prepare(SqliteSidecar sidecar, boolean create) {
        List<String> faults = new ArrayList<>();
        Path directory = path.getParent();
        if (directory == null || !Files.isDirectory(directory)) {
            faults.add("its directory " + directory + " does not exist or is not a directory: create it first");
        } else if (!Files.isWritable(directory)) {
            faults.add("its directory " + directory + " cannot be written by " + System.getProperty("user.name")
                    + ": SQLite keeps its log beside the file");
        }
        for (Path each : List.of(path, beside("-wal"), beside("-shm"), sidecar.path())) {
            fault(each).ifPresent(faults::add);
        }
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured(errors.store() + " cannot be opened", faults);
        }
        try {
            checkOrCreate(sidecar, create);
        } catch (SqliteSidecar.Damaged e) {
            throw errors.refused(e.getMessage() + ": put back an intact copy of it, or run semel store adopt");
        } catch (IOException e) {
            throw errors.refused("the file cannot be read or created: " + e);
        }
    }

    private void checkOrCreate(SqliteSidecar sidecar, boolean create) throws IOException {
        long size = Files.exists(path) ? Files.size(path) : 0;
        if (size == 0) {
            if (Files.exists(sidecar.path())
                    && !sidecar.read().map(SqliteSidecar.Content::unused).orElse(true)) {
                throw errors.refused("the file is " + (Files.exists(path) ? "empty" : "missing") + ", but "
                        + sidecar.path().getFileName() + " records a ledger in it: put the file back, or, to begin an"
                        + " empty ledger that knows nothing of what was done, delete " + sidecar.path());
            }
            if (!create) {
                throw errors.noLedger();
            }
            create();
            return;
        }
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            ByteBuffer start = ByteBuffer.allocate(MAGIC.length);
            while (start.hasRemaining() && channel.read(start) >= 0) {
                continue;
            }
            if (start.hasRemaining() || !Arrays.equals(start.array(), MAGIC)) {
                throw errors.refused("the file is damaged or is not a SQLite database: put back an intact copy, or name"
                        + " another file; it is never replaced by an empty ledger");
            }
        }
    }

    private void create() throws IOException {
        try {
            Files.createFile(path, PosixFilePermissions.asFileAttribute(PRIVATE));
            syncDirectory(path);
        } catch (FileAlreadyExistsException e) {
            // Another process is installing at the same time, or an earlier one began to.
            return;
        }
    }

    /** A connection with the settings that durability rests on; never one that makes the file. */
    SqliteSession connect(Role role) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.resetOpenMode(SQLiteOpenMode.CREATE);
        config.setBusyTimeout(BUSY_MILLIS);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setCacheSize(-role.cacheKilobytes);
        config.setTempStore(SQLiteConfig.TempStore.MEMORY);
        SqliteSession session = new SqliteSession(config.createConnection("jdbc:sqlite:" + path));
        if (role.queryOnly) {
            session.execute("PRAGMA query_only = ON");
        } else {
            session.execute("PRAGMA wal_autocheckpoint = 20000");
            session.execute("PRAGMA journal_size_limit = 67108864");
        }
        return session;
    }

    /** Tells the file from another one under the same name; empty when there is none. */
    Optional<Object> identity() {
        try {
            return Optional.ofNullable(
                    Files.readAttributes(path, BasicFileAttributes.class).fileKey());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Distinguishes this file on this machine from a copy: the number of the file, and the machine's start where the
     * system reports it. Empty where neither is known.
     */
    Optional<String> copy() {
        return identity().map(file -> {
            try {
                return Files.readString(Path.of("/proc/sys/kernel/random/boot_id"))
                                .strip() + " " + file;
            } catch (IOException e) {
                return file.toString();
            }
        });
    }

    /** Bytes that the disk has left. */
    long room() {
        return path.toFile().getUsableSpace();
    }

    Path beside(String suffix) {
        return path.resolveSibling(path.getFileName() + suffix);
    }

    static void syncDirectory(Path file) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /**
     * What is wrong with a file, if it is there. Each question is one call that tells "gone" from "forbidden": the log
     * and its index come and go as other processes open and close the database.
     */
    static Optional<String> fault(Path file) {
        try {
            if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
                return Optional.of(file + " is not a regular file");
            }
            file.getFileSystem().provider().checkAccess(file, AccessMode.READ, AccessMode.WRITE);
            return Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(file + " belongs to " + owner(file) + " and cannot be read and written by "
                    + System.getProperty("user.name") + ": change its owner or mode");
        }
    }

    private static String owner(Path file) {
        try {
            return Files.getOwner(file).getName();
        } catch (IOException e) {
            return "an unknown owner";
        }
    }
}
