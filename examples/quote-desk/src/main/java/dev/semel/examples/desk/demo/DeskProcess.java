package dev.semel.examples.desk.demo;

import dev.semel.examples.desk.DeskSettings;
import dev.semel.examples.desk.DeskSettings.SlackLogin;
import dev.semel.examples.desk.QuoteDesk;
import dev.semel.examples.desk.shared.Checkpoint;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A desk in a process of its own, which can die at a checkpoint as by {@code kill -9}: nothing is closed, nothing is written. */
public final class DeskProcess implements AutoCloseable {
    /** The exit code of a desk that died at its checkpoint. */
    public static final int HALTED = 137;

    private static final String READY = "port ";

    private final Process process;
    private final int port;

    private DeskProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Runs a desk until it is killed: {@code FILE DOCUMENTS SLACK CRM MODEL SECRET CHECKPOINT}. */
    public static void main(String[] args) throws Exception {
        Checkpoint checkpoint = point -> {
            if (point.equals(args[6])) {
                Runtime.getRuntime().halt(HALTED);
            }
        };
        DeskSettings settings = new DeskSettings(
                Path.of(args[0]),
                Path.of(args[1]),
                URI.create(args[2]),
                new SlackLogin("xoxb-demo", args[5]),
                URI.create(args[3]),
                URI.create(args[4]));
        QuoteDesk desk = QuoteDesk.open(
                        settings,
                        QuoteDesk.Options.USUAL
                                .withCheckpoint(checkpoint)
                                .withTimeout(Duration.ofSeconds(2))
                                .withLease(Duration.ofSeconds(2)))
                .withSocketMode();
        System.out.println(READY + desk.port());
        // It lives as long as its parent: the end of the input is the end of the parent.
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
        Runtime.getRuntime().halt(0);
    }

    /**
     * Starts one and waits until it listens, or has died at its checkpoint: it continues what was left while it starts.
     *
     * @param checkpoint where it dies; anything else for nowhere
     */
    public static DeskProcess start(DeskSettings settings, String checkpoint) throws IOException {
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
                DeskProcess.class.getName()));
        command.addAll(List.of(
                settings.file().toString(),
                settings.documents().toString(),
                settings.slack().toString(),
                settings.crm().toString(),
                settings.model().toString(),
                settings.slackLogin().signingSecret(),
                checkpoint));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(READY)) {
                return new DeskProcess(process, Integer.parseInt(line.substring(READY.length())));
            }
        }
        if (process.onExit().join().exitValue() == HALTED) {
            return new DeskProcess(process, 0);
        }
        throw new IOException("The desk ended before it was ready.");
    }

    /** Where it listens. */
    public int port() {
        return port;
    }

    /** Waits until it has died by itself; returns its exit code. */
    public int awaitEnd() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("The desk did not reach its checkpoint within a minute.");
        }
        return process.exitValue();
    }

    /** Kills it. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
