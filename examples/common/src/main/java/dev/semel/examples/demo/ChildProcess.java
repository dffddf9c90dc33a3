package dev.semel.examples.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An example in a process of its own, which can die at a checkpoint as by {@code kill -9}: nothing is closed, nothing is written. */
public final class ChildProcess implements AutoCloseable {
    /** The exit code of a process that died at its checkpoint. */
    public static final int HALTED = 137;

    /** A checkpoint that is never reached. */
    public static final String NOWHERE = "nowhere";

    private static final String READY = "port ";

    private final Process process;
    private final int port;

    private ChildProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** In the child: ends the process at the point of this name. */
    public static Checkpoint haltAt(String name) {
        return point -> {
            if (point.equals(name)) {
                Runtime.getRuntime().halt(HALTED);
            }
        };
    }

    /** In the child: says where it listens, and lives as long as its parent. Does not return. */
    public static void serve(int port) throws IOException {
        System.out.println(READY + port);
        // the end of the input is the end of the parent
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
        Runtime.getRuntime().halt(0);
    }

    /**
     * Starts one and waits until it listens, or has died at its checkpoint: it continues what was left while it starts.
     *
     * @param main whose main method calls {@link #serve}
     * @param arguments of its main method
     */
    public static ChildProcess start(Class<?> main, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.awt.headless=true",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(READY)) {
                return new ChildProcess(process, Integer.parseInt(line.substring(READY.length())));
            }
        }
        int exit = process.onExit().join().exitValue();
        if (exit == HALTED) {
            return new ChildProcess(process, 0);
        }
        throw new IOException(main.getSimpleName() + " ended with exit code " + exit + " before it was ready.");
    }

    /** Where it listens. */
    public int port() {
        return port;
    }

    /** Waits until it has died by itself; returns its exit code. */
    public int awaitEnd() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("The process did not reach its checkpoint within a minute.");
        }
        return process.exitValue();
    }

    /** Kills it. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
