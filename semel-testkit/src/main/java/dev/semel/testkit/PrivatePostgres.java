package dev.semel.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A real, private PostgreSQL: a temporary data directory, a free port on loopback, trust authentication, and durable
 * settings unless others are given. A fault test may kill it without affecting others. It is stopped and removed when
 * closed, and at the latest when the JVM ends in any way. Run by root, the server runs as {@code postgres} or {@code
 * nobody}. Thread-safe.
 */
public final class PrivatePostgres implements AutoCloseable {
    /** Settings for tests of function, where a crash of the machine is of no interest. */
    public static final Map<String, String> FAST =
            Map.of("fsync", "off", "synchronous_commit", "off", "full_page_writes", "off");

    private static final String USER = "postgres";
    private static final int FIRST_PORT = 20_000;
    private static final int LAST_PORT = 32_000;
    private static final Duration BOUND = Duration.ofSeconds(90);

    private final AtomicInteger databases = new AtomicInteger();
    private final Path scratch;
    private final Path bin;
    private final OrdinaryUser user;
    private final int port;
    private final Thread atExit = new Thread(this::remove, "private-postgres-remove");

    /** Makes the data directory of a new server. */
    @FunctionalInterface
    private interface Data {
        void make(PrivatePostgres fresh) throws IOException;
    }

    private PrivatePostgres(Path scratch, Data data) throws IOException {
        this.scratch = scratch;
        this.bin = PostgresBinaries.find(scratch);
        this.user = OrdinaryUser.in(scratch, List.of(USER, "nobody"));
        this.port = freePort();
        data.make(this);
    }

    /** Starts one with durable settings. */
    public static PrivatePostgres start() {
        return start(Map.of());
    }

    /**
     * Starts one.
     *
     * @param settings as in {@code postgresql.conf}; they win over the defaults
     * @throws Unavailable when this machine cannot run a PostgreSQL
     */
    public static PrivatePostgres start(Map<String, String> settings) {
        return start(fresh -> fresh.initialise(settings));
    }

    /** Starts another one on a copy of this one's data, as a restored backup would be. This one must be stopped. */
    public PrivatePostgres startCopy() {
        return start(fresh -> fresh.copyFrom(dataDirectory()));
    }

    /**
     * Starts a standby that is streamed what this one writes; returns when it has received what is written by now. Where there is
     * no {@code pg_basebackup} the calling test is aborted with the reason; with the environment variable {@code CI} set it
     * fails.
     */
    public PrivatePostgres startStandby() {
        Path copier = bin.resolve("pg_basebackup");
        if (!Files.isExecutable(copier)) {
            String reason = "No " + copier + " was found, which makes a standby. Install a complete PostgreSQL.";
            return orAbort(new Unavailable(reason, null), System.getenv("CI") != null);
        }
        PrivatePostgres standby = start(fresh -> fresh.streamFrom(port));
        String written = text("SELECT pg_current_wal_lsn()::text");
        standby.until("SELECT pg_last_wal_replay_lsn() >= '" + written + "'::pg_lsn");
        return standby;
    }

    /** Of a standby: receives nothing more, as if the network to its primary were cut. */
    public void cutOff() {
        text("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()::text");
        until("SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)");
    }

    /** Of a standby: becomes a primary with what it has received; returns when it can be written. */
    public void promote() {
        control("-w", "promote");
    }

    private void until(String question) {
        long since = System.nanoTime();
        while (!text("SELECT (" + question + ")::text").equals("true")) {
            if (System.nanoTime() - since > BOUND.toNanos()) {
                throw new IllegalStateException("PostgreSQL on port " + port + ": not so within " + BOUND.toSeconds()
                        + " s: " + question + ". Look into " + log() + ".");
            }
            Thread.onSpinWait();
        }
    }

    /** The answer to the last of them. */
    private String text(String... statements) {
        try (Connection connection = DriverManager.getConnection(jdbcUrl());
                Statement statement = connection.createStatement()) {
            String answer = "";
            for (String each : statements) {
                if (statement.execute(each)) {
                    try (ResultSet found = statement.getResultSet()) {
                        found.next();
                        answer = found.getString(1);
                    }
                }
            }
            return answer;
        } catch (SQLException e) {
            throw new IllegalStateException(String.join("; ", statements) + " failed on " + url() + ".", e);
        }
    }

    private static PrivatePostgres start(Data data) {
        try {
            Path scratch = Scratch.directory("postgres");
            PrivatePostgres postgres = null;
            try {
                postgres = new PrivatePostgres(scratch, data);
                Runtime.getRuntime().addShutdownHook(postgres.atExit);
                postgres.launch();
                return postgres;
            } catch (IOException | RuntimeException e) {
                if (postgres == null) {
                    Scratch.remove(scratch);
                } else {
                    postgres.close();
                }
                throw e;
            }
        } catch (IOException e) {
            throw new Unavailable("PostgreSQL could not be started on this machine: " + e.getMessage(), e);
        }
    }

    /**
     * The one that all tests of this JVM share, with settings that are {@link #FAST}; never kill it, and take a
     * {@link #freshDatabase}. Where none can be had the calling test is aborted with the reason; with the environment
     * variable {@code CI} set it fails.
     */
    public static PrivatePostgres shared() {
        try {
            return Shared.get();
        } catch (Unavailable e) {
            return orAbort(e, System.getenv("CI") != null);
        }
    }

    static <T> T orAbort(Unavailable reason, boolean mustHave) {
        if (mustHave) {
            throw reason;
        }
        return Assumptions.abort(reason.getMessage());
    }

    /** Semel's URL of the database that is there from the start. */
    public String url() {
        return url(USER);
    }

    /** Semel's URL of a database. */
    public String url(String database) {
        return "postgresql://" + USER + "@127.0.0.1:" + port + "/" + database;
    }

    /** The driver's URL of the database that is there from the start. */
    public String jdbcUrl() {
        return jdbcUrl(USER);
    }

    /** The driver's URL of a database. */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=" + USER;
    }

    public int port() {
        return port;
    }

    public Path dataDirectory() {
        return scratch.resolve("data");
    }

    /** Makes an empty database and returns its name, for {@link #url(String)} and {@link #jdbcUrl(String)}. */
    public String freshDatabase() {
        String name = "t" + databases.incrementAndGet();
        try (Connection connection = DriverManager.getConnection(jdbcUrl());
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + name);
            return name;
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot make the database " + name + " on " + url() + ".", e);
        }
    }

    /** Stops the server and its children at once with SIGKILL, as a crash would, and returns when all of them are gone. */
    public synchronized void kill() {
        try {
            List<ProcessHandle> family = family();
            if (!family.isEmpty()) {
                Commands.signal(scratch, "STOP", family.get(0).pid());
                family = family();
            }
            family.forEach(ProcessHandle::destroyForcibly);
            CompletableFuture.allOf(family.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new))
                    .join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Holds the server and its children still with SIGSTOP. */
    public synchronized void pause() {
        signalAll("STOP");
    }

    /** Resumes them. */
    public synchronized void resume() {
        signalAll("CONT");
    }

    /** Stops the server in good order if it runs, cutting its connections; returns when it is down. */
    public synchronized void stop() {
        if (!family().isEmpty()) {
            control("-m", "fast", "-w", "stop");
        }
    }

    /** Starts the server again on the same port and data, and returns when it answers. Does nothing while it runs. */
    public synchronized void restart() {
        if (family().isEmpty()) {
            try {
                launch();
            } catch (IOException e) {
                throw new UncheckedIOException("PostgreSQL on port " + port + " did not start again.", e);
            }
        }
    }

    /** Whether the server's process is there. */
    public synchronized boolean running() {
        return !family().isEmpty();
    }

    /** Kills the server if it runs, and removes its data. */
    @Override
    public void close() {
        remove();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // the JVM is ending and the hook runs anyway
        }
    }

    private void remove() {
        kill();
        Scratch.remove(scratch);
    }

    private void initialise(Map<String, String> settings) throws IOException {
        Path data = Files.createDirectory(dataDirectory());
        user.own(data);
        run("initdb", "-D", data.toString(), "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync");
        Map<String, String> all = new LinkedHashMap<>();
        all.put("listen_addresses", "127.0.0.1");
        all.put("port", Integer.toString(port));
        all.put("unix_socket_directories", "");
        all.put("fsync", "on");
        all.put("synchronous_commit", "on");
        all.put("full_page_writes", "on");
        all.put("max_connections", "200");
        all.putAll(settings);
        StringBuilder text = new StringBuilder();
        all.forEach((name, value) -> text.append(name)
                .append(" = '")
                .append(value.replace("'", "''"))
                .append("'\n"));
        Files.writeString(data.resolve("postgresql.conf"), text, StandardOpenOption.APPEND);
    }

    private void copyFrom(Path data) throws IOException {
        user.run(List.of("cp", "-a", data.toString(), dataDirectory().toString()));
        Files.writeString(
                dataDirectory().resolve("postgresql.conf"), "port = '" + port + "'\n", StandardOpenOption.APPEND);
    }

    private void streamFrom(int primary) throws IOException {
        run(
                "pg_basebackup",
                "-D",
                dataDirectory().toString(),
                "-h",
                "127.0.0.1",
                "-p",
                Integer.toString(primary),
                "-U",
                USER,
                "-R",
                "-X",
                "stream",
                "-c",
                "fast",
                "--no-sync");
        Files.writeString(
                dataDirectory().resolve("postgresql.conf"), "port = '" + port + "'\n", StandardOpenOption.APPEND);
    }

    private void launch() throws IOException {
        try {
            run("pg_ctl", "-D", dataDirectory().toString(), "-l", log().toString(), "-w", "-t", "90", "start");
        } catch (IOException e) {
            String log = Files.exists(log()) ? Files.readString(log(), StandardCharsets.UTF_8) : "";
            throw new IOException(e.getMessage() + "\n" + log.strip(), e);
        }
    }

    private Path log() {
        return dataDirectory().resolve("server.log");
    }

    private void control(String... arguments) {
        List<String> all = new ArrayList<>(List.of("-D", dataDirectory().toString()));
        all.addAll(List.of(arguments));
        try {
            run("pg_ctl", all.toArray(String[]::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run(String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(bin.resolve(program).toString()));
        command.addAll(List.of(arguments));
        user.run(command);
    }

    private void signalAll(String signal) {
        try {
            for (ProcessHandle process : family()) {
                Commands.signal(scratch, signal, process.pid());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The postmaster first; empty when it does not run. */
    private List<ProcessHandle> family() {
        Path file = dataDirectory().resolve("postmaster.pid");
        try {
            if (!Files.exists(file)) {
                return List.of();
            }
            long pid = Long.parseLong(Files.readAllLines(file).get(0));
            return ProcessHandle.of(pid)
                    .filter(this::isOurs)
                    .map(postmaster -> Stream.concat(Stream.of(postmaster), postmaster.descendants())
                            .toList())
                    .orElse(List.of());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A number in a file that a crash left behind may belong to another process by now. */
    private boolean isOurs(ProcessHandle process) {
        return process.isAlive()
                && process.info()
                        .commandLine()
                        .orElse("")
                        .contains(dataDirectory().toString());
    }

    /** Below the ports that the kernel hands to clients, so that a restart finds its port free. */
    static int freePort() throws IOException {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(FIRST_PORT, LAST_PORT);
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return port;
            } catch (java.net.BindException e) {
                // taken: another
            }
        }
    }

    private static final class Shared {
        /** Each test leaves a small database behind: autovacuum would go round hundreds of them all the time. */
        private static final Map<String, String> SHARED = new LinkedHashMap<>(FAST);

        static {
            SHARED.put("autovacuum", "off");
        }

        private static @Nullable PrivatePostgres instance;
        private static @Nullable Unavailable reason;

        static synchronized PrivatePostgres get() {
            if (instance == null && reason == null) {
                try {
                    instance = start(SHARED);
                } catch (Unavailable e) {
                    reason = e;
                }
            }
            if (instance == null) {
                throw reason;
            }
            return instance;
        }
    }

    /** This machine cannot run a PostgreSQL; the message says why and what to install. */
    public static final class Unavailable extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unavailable(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
