package dev.semel.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One process of the demo. Guarded by the lock of its crew, except for reading its output. */
final class ChildProcess {
    private static final Path SHELL = Path.of("/bin/sh");

    /** The launcher's class data archive, with which a server starts in half the time. */
    private static final String ARCHIVE = "semel.archive";

    private static final Set<Integer> SIGNALLED = Set.of(128 + 2, 128 + 9, 128 + 15);

    /** What a process does. */
    enum Role {
        SERVER(ServerMain.class, "256m"),
        WORKER(ServerMain.class, "128m"),
        SENDER(SenderMain.class, "96m"),
        HANDWRITTEN(HandwrittenMain.class, "96m");

        private final Class<?> main;
        private final String heap;

        Role(Class<?> main, String heap) {
            this.main = main;
            this.heap = heap;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Role role;
    private final Process process;
    private final BufferedReader out;
    private final Writer in;
    private final Path complaints;
    private boolean ready;
    private boolean killed;

    private ChildProcess(Role role, Process process, Path complaints) {
        this.role = role;
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
        this.in = process.outputWriter(StandardCharsets.UTF_8);
        this.complaints = complaints;
    }

    /**
     * Starts the same Java with the same class path.
     *
     * @param directory for its error output, and for the library that the driver of SQLite unpacks
     * @param variables for what must not be seen in a list of processes
     */
    static ChildProcess start(Role role, Path directory, Map<String, String> variables, List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(SHELL)) {
            // Ctrl-C in a terminal reaches only the demo, which then lets its processes finish.
            command.addAll(List.of(SHELL.toString(), "-c", "trap '' INT; exec \"$@\"", "sh"));
        }
        String archive = System.getProperty(ARCHIVE, "");
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx" + role.heap,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-Xlog:disable",
                archive.isEmpty() ? "-Xshare:auto" : "-XX:SharedArchiveFile=" + archive,
                "-Dorg.sqlite.tmpdir=" + directory,
                "-Djava.io.tmpdir=" + directory,
                "-cp",
                System.getProperty("java.class.path"),
                role.main.getName()));
        command.addAll(arguments);
        try {
            Path complaints = Files.createTempFile(directory, role.word() + "-", ".err");
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(complaints.toFile());
            builder.environment().putAll(variables);
            return new ChildProcess(role, builder.start(), complaints);
        } catch (IOException e) {
            throw new UncheckedIOException("Starting a process of the demo failed: " + command.get(0), e);
        }
    }

    Role role() {
        return role;
    }

    @Nullable
    String read() throws IOException {
        return out.readLine();
    }

    int exit() throws InterruptedException {
        return process.waitFor();
    }

    void setReady() {
        ready = true;
    }

    /** Ready and alive. */
    boolean isWorking() {
        return ready && !killed;
    }

    void say(String line) {
        try {
            in.write(line + "\n");
            in.flush();
        } catch (IOException e) {
            // The process is dead; its reader sees the end of its output.
            return;
        }
    }

    /** Uses the handle: destroying the process itself would close its output with unread lines. */
    void kill() {
        killed = true;
        process.toHandle().destroyForcibly();
    }

    /** Whether it was killed, by the demo or from outside. */
    boolean wasKilled(int exit) {
        return killed || SIGNALLED.contains(exit);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String state() {
        return role.word() + " " + process.pid() + (killed ? " killed" : ready ? "" : " starting");
    }

    /** Its error output. */
    String complaint() {
        try {
            String text = Files.readString(complaints).strip();
            return text.isEmpty() ? "no error output." : text;
        } catch (IOException e) {
            return "reading its error output failed (" + e.getMessage() + ").";
        }
    }

    /** Closes its input; it ends when its work is done. */
    void dismiss() {
        try {
            in.close();
        } catch (IOException e) {
            // The process is already dead.
            return;
        }
    }

    /** Waits up to the limit, then kills it. */
    void awaitEnd(int seconds) {
        try {
            if (process.waitFor(seconds, TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        kill();
        process.onExit().join();
    }
}
