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

/** One process as the demonstration sees it. Guarded by its crew's lock, but for the reading. */
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

    /** Another Java of the same kind and class path. The store's URL may hold a password and is no argument. */
    static DemoProcess start(int number, Path directory, String store, List<String> arguments) {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(SHELL)) {
            // Ctrl-C in a terminal is for the demonstration only, which then lets its processes finish.
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
            throw new UncheckedIOException("The demonstration cannot start another Java: " + command.get(0), e);
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

    /** Ready, alive, and in the middle of something. */
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
            // It is dead. Its reader finds the end of its output, and what it was asked for goes to another.
            return;
        }
    }

    /** By its handle: the process itself would also close its output, with acknowledgements that were not read yet. */
    void kill() {
        killed = true;
        process.toHandle().destroyForcibly();
    }

    /** Whether it was killed, by the demonstration or by someone else. */
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

    /** What it wrote before it ended. */
    String complaint() {
        try {
            String text = Files.readString(complaints).strip();
            return text.isEmpty() ? "it said nothing." : text;
        } catch (IOException e) {
            return "what it said cannot be read (" + e.getMessage() + ").";
        }
    }

    /** Its input ends, and so does it when it is done. */
    void dismiss() {
        try {
            in.close();
        } catch (IOException e) {
            // It is dead already.
            return;
        }
    }

    /** Waits so long, then kills it. */
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
