package dev.semel.jdbc.fault;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** Tools of the machine. Where one cannot be had the test is aborted with the reason; with {@code CI} set it fails. */
final class MachineTools {
    private MachineTools() {}

    /** A file system that goes when closed. */
    record Mounted(Path path) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            try {
                run("umount", path.toString());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException(path + " may still be mounted.", e);
            }
        }
    }

    static void demand(String... command) throws InterruptedException {
        try {
            run(command);
        } catch (IOException e) {
            refuse(e);
        }
    }

    static Mounted tmpfs(Path at, int megabytes) throws IOException, InterruptedException {
        Files.createDirectories(at);
        demand("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "semel", at.toString());
        return new Mounted(at);
    }

    /** Mounts an image of a disk; the mount takes its loop device away with it. */
    static Mounted image(Path image, Path at) throws IOException, InterruptedException {
        Files.createDirectories(at);
        demand("mount", "-o", "loop", image.toString(), at.toString());
        return new Mounted(at);
    }

    /** Fills a file system up to so many bytes. */
    static Path fill(Path disk, long free) throws IOException {
        Path filler = disk.resolve("filler");
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (FileChannel channel = FileChannel.open(filler, options)) {
            try {
                while (true) {
                    channel.write(ByteBuffer.allocate(4096));
                }
            } catch (IOException full) {
                channel.truncate(Math.max(0, channel.size() - free));
            }
        }
        return filler;
    }

    static String run(String... command) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
        try {
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(List.of(command) + " failed: " + said.strip());
            }
            return said;
        } finally {
            process.destroyForcibly();
        }
    }

    private static void refuse(IOException reason) {
        if (System.getenv("CI") != null) {
            throw new AssertionError("This machine cannot show the scenario.", reason);
        }
        Assumptions.abort("This machine cannot show the scenario: " + reason.getMessage());
    }
}
