package dev.semel.examples.helpdesk.demo;

import dev.semel.examples.demo.ChildProcess;
import dev.semel.examples.helpdesk.Middleware;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/** The middleware in a process of its own, which can die at a checkpoint. At its start it fetches what it missed. */
public final class MiddlewareProcess {
    private MiddlewareProcess() {}

    /** Runs it until it is killed: {@code STORE HELPDESK SECRET CHECKPOINT}. */
    public static void main(String[] args) throws Exception {
        Middleware middleware = Middleware.open(
                new Middleware.Settings(args[0], URI.create(args[1]), args[2]),
                Middleware.Options.USUAL
                        .withCheckpoint(ChildProcess.haltAt(args[3]))
                        .withTimeout(Duration.ofSeconds(30))
                        .withLease(Duration.ofSeconds(2)));
        middleware.sendMissing();
        ChildProcess.serve(middleware.port());
    }

    /**
     * Starts one.
     *
     * @param checkpoint where it dies; {@link ChildProcess#NOWHERE} for nowhere
     */
    public static ChildProcess start(Middleware.Settings settings, String checkpoint) throws IOException {
        return ChildProcess.start(
                MiddlewareProcess.class,
                List.of(settings.store(), settings.helpdesk().toString(), settings.secret(), checkpoint));
    }
}
