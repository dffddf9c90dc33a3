package dev.semel.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One process of the demo. Guarded by the lock of its crew, except for reading its output. */
final class DemoProcess {
    private static final Path SHELL = Path.of("/bin/sh");
    private static final Set<Integer> SIGNALLED = Set.of(128 + 2, 128 + 9, 128 + 15);

    private final Process process;
    private final BufferedReader out;
    private final Writer in;
    private final Path complaints;
    private final Map<Long, Integer> asked = new HashMap<>();
    private long ids;
    private boolean ready;
    private boolean killed;

    private DemoProcess(Process process, Path complaints) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.US_ASCII);
        this.in = process.outputWriter(StandardCharsets.US_ASCII);
        this.complaints = complaints;
    }

    /** Starts the same Java with the same class path. The store's URL may contain a password, so it is not an argument. */
    static DemoProcess start(int number, Path directory, String store, List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(SHELL)) {
            // Ctrl-C in a terminal reaches only the demo, which then lets its processes finish.
            command.addAll(List.of(SHELL.toString(), "-c", "trap '' INT; exec \"$@\"", "sh"));
        }
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.sqlite.tmpdir=" + directory,
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                DemoWorker.NAME));
        command.addAll(arguments);
        Path complaints = directory.resolve("process-" + number + ".err");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(complaints.toFile());
        builder.environment().put("SEMEL_STORE", store);
        try {
            return new DemoProcess(builder.start(), complaints);
        } catch (IOException e) {
            throw new UncheckedIOException("Starting a demo process failed: " + command.get(0), e);
        }
    }

    @Nullable
    String read() throws IOException {
        return out.readLine();
    }

    int exit() throws InterruptedException {
        return process.waitFor();
    }

    boolean isReady() {
        return ready;
    }

    /** Ready, alive and working. */
    boolean isWorking() {
        return ready && !killed && !asked.isEmpty();
    }

    void heard(String[] words, DemoTraffic traffic) {
        switch (words[0]) {
            case "ready" -> ready = true;
            case "answer" -> {
                Integer number = asked.remove(Long.parseLong(words[1]));
                if (number != null) {
                    traffic.answered(number, DemoAnswer.valueOf(words[2]));
                }
            }
            default -> {
                traffic.transfer(words[2], Integer.parseInt(words[3]), Integer.parseInt(words[4]));
                say("transferred " + words[1]);
            }
        }
    }

    void keepBusy(DemoTraffic traffic, int callers) {
        while (ready && !killed && asked.size() < callers) {
            OptionalInt next = traffic.next();
            if (next.isEmpty()) {
                return;
            }
            asked.put(++ids, next.getAsInt());
            say("pay " + ids + " " + next.getAsInt());
        }
    }

    private void say(String line) {
        try {
            in.write(line + "\n");
            in.flush();
        } catch (IOException e) {
            // The process is dead. Its reader sees the end of its output, and its payments go to another process.
            return;
        }
    }

    /** Uses the handle: destroying the process itself would close its output with unread acknowledgements. */
    void kill() {
        killed = true;
        process.toHandle().destroyForcibly();
    }

    /** Whether it was killed, by the demo or from outside. */
    boolean wasKilled(int exit) {
        return killed || SIGNALLED.contains(exit);
    }

    Collection<Integer> abandoned() {
        List<Integer> numbers = List.copyOf(asked.values());
        asked.clear();
        return numbers;
    }

    String state() {
        return process.pid() + (killed ? " killed" : ready ? " working" : " starting");
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
