package dev.semel.demo;

import dev.semel.cli.Exit;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** Handles Ctrl-C and termination signals: the demo still prints its score, which decides the exit code. */
final class Interrupt implements AutoCloseable {
    private static final Duration ENDING = Duration.ofSeconds(120);

    private final TimeSource.Gate interrupted = TimeSource.system().gate();
    private final TimeSource.Gate ended = TimeSource.system().gate();
    private final AtomicReference<DemoRun> run = new AtomicReference<>();
    private final AtomicReference<Exit> exit = new AtomicReference<>(Exit.BUG);
    private final Thread hook = new Thread(this::stopAndWait, "demo-interrupt");

    Interrupt() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** The run that a signal stops: at once, if there was one already. */
    void stops(DemoRun started) {
        run.set(started);
        if (interrupted.isOpen()) {
            started.stop();
        }
    }

    Exit exitsWith(Exit value) {
        exit.set(value);
        return value;
    }

    private void stopAndWait() {
        interrupted.open();
        DemoRun running = run.get();
        if (running != null) {
            running.stop();
        }
        try {
            if (ended.await(ENDING)) {
                Runtime.getRuntime().halt(exit.get().code());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        ended.open();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The hook is running; it ends this process.
            return;
        }
    }
}
