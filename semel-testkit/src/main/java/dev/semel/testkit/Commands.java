package dev.semel.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs programs of the machine to their end. */
final class Commands {
    private static final long BOUND_SECONDS = 120;

    private Commands() {}

    /** Its output goes through a file, because a daemon that it leaves behind would keep a pipe open. */
    static String run(Path scratch, List<String> command) throws IOException {
        Path output = Files.createTempFile(scratch, "command", ".out");
        Process process = new ProcessBuilder(command)
                .directory(scratch.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException(command + " did not end within " + BOUND_SECONDS + " s.");
            }
            String said = new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
            if (process.exitValue() != 0) {
                throw new IOException(command + " ended with " + process.exitValue() + ": " + said.strip());
            }
            return said;
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException(command + " was interrupted.", e);
        } finally {
            Files.deleteIfExists(output);
        }
    }

    static void signal(Path scratch, String signal, long pid) throws IOException {
        run(scratch, List.of("kill", "-" + signal, Long.toString(pid)));
    }
}
