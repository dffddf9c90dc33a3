package dev.semel.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * A real, private PgBouncer in front of a {@link PrivatePostgres}: a temporary directory, a free port on loopback. It
 * is stopped and removed when closed, and at the latest when the JVM ends. Run by root, it runs as {@code postgres}
 * or {@code nobody}. Thread-safe.
 */
public final class PrivatePgBouncer implements AutoCloseable {
    private static final long BOUND_NANOS = TimeUnit.SECONDS.toNanos(120);

    private final Path scratch;
    private final int port;
    private final Thread atExit = new Thread(this::remove, "private-pgbouncer-remove");

    /** When a client gives its server connection back to the others. */
    public enum Mode {
        SESSION,
        TRANSACTION
    }

    private PrivatePgBouncer(Path scratch, int port) {
        this.scratch = scratch;
        this.port = port;
    }

    /**
     * Starts one. Where PgBouncer is not installed the calling test is aborted with the reason; with the environment variable
     * {@code CI} set it fails.
     *
     * @param servers how many connections to the server it keeps for each database
     */
    public static PrivatePgBouncer start(PrivatePostgres server, Mode mode, int servers) {
        Optional<Path> program = program();
        if (program.isEmpty()) {
            String reason = "No pgbouncer was found on PATH or in /usr/sbin. Install the package pgbouncer.";
            if (System.getenv("CI") != null) {
                throw new IllegalStateException(reason);
            }
            return Assumptions.abort(reason);
        }
        try {
            return start(program.get(), server, mode, servers);
        } catch (IOException e) {
            throw new UncheckedIOException("PgBouncer did not start: " + e.getMessage(), e);
        }
    }

    private static PrivatePgBouncer start(Path program, PrivatePostgres server, Mode mode, int servers)
            throws IOException {
        Path scratch = Scratch.directory("pgbouncer");
        OrdinaryUser user = OrdinaryUser.in(scratch, List.of("postgres", "nobody"));
        PrivatePgBouncer bouncer = new PrivatePgBouncer(scratch, PrivatePostgres.freePort());
        Runtime.getRuntime().addShutdownHook(bouncer.atExit);
        try {
            Path config = bouncer.configure(server, mode, servers);
            user.run(List.of(program.toString(), "-d", "-q", config.toString()));
            bouncer.await();
            return bouncer;
        } catch (IOException | RuntimeException e) {
            bouncer.close();
            throw e;
        }
    }

    private static Optional<Path> program() {
        List<Path> places = new ArrayList<>();
        for (String part : System.getenv().getOrDefault("PATH", "").split(":")) {
            if (!part.isEmpty()) {
                places.add(Path.of(part));
            }
        }
        places.add(Path.of("/usr/sbin"));
        return places.stream()
                .map(place -> place.resolve("pgbouncer"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** The driver sends extra_float_digits, and search_path if a schema is set, which PgBouncer does not know. */
    private Path configure(PrivatePostgres server, Mode mode, int servers) throws IOException {
        Path users = Files.writeString(scratch.resolve("users.txt"), "\"postgres\" \"\"\n");
        List<String> lines = List.of(
                "[databases]",
                "* = host=127.0.0.1 port=" + server.port(),
                "[pgbouncer]",
                "listen_addr = 127.0.0.1",
                "listen_port = " + port,
                "unix_socket_dir =",
                "auth_type = trust",
                "auth_file = " + users,
                "pool_mode = " + mode.name().toLowerCase(java.util.Locale.ROOT),
                "default_pool_size = " + servers,
                "max_client_conn = 500",
                "ignore_startup_parameters = extra_float_digits, search_path",
                "logfile = " + scratch.resolve("pgbouncer.log"),
                "pidfile = " + scratch.resolve("pgbouncer.pid"));
        return Files.writeString(scratch.resolve("pgbouncer.ini"), String.join("\n", lines) + "\n");
    }

    private void await() throws IOException {
        long since = System.nanoTime();
        while (true) {
            try {
                new Socket(InetAddress.getLoopbackAddress(), port).close();
                return;
            } catch (IOException e) {
                if (System.nanoTime() - since > BOUND_NANOS) {
                    throw e;
                }
                Thread.onSpinWait();
            }
        }
    }

    /** Semel's URL of a database. */
    public String url(String database) {
        return "postgresql://postgres@127.0.0.1:" + port + "/" + database;
    }

    /** The driver's URL of a database. */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=postgres";
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        remove();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // the JVM is ending and the hook runs anyway
        }
    }

    private synchronized void remove() {
        Path file = scratch.resolve("pgbouncer.pid");
        try {
            if (Files.exists(file)) {
                long pid = Long.parseLong(Files.readString(file).strip());
                ProcessHandle.of(pid).filter(this::isOurs).ifPresent(process -> {
                    process.destroyForcibly();
                    process.onExit().join();
                });
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            Scratch.remove(scratch);
        }
    }

    private boolean isOurs(ProcessHandle process) {
        return process.info().commandLine().orElse("").contains(scratch.toString());
    }
}
