package dev.semel.examples.desk.demo;

import dev.semel.examples.demo.ChildProcess;
import dev.semel.examples.desk.DeskSettings;
import dev.semel.examples.desk.DeskSettings.SlackLogin;
import dev.semel.examples.desk.QuoteDesk;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A desk in a process of its own, which can die at a checkpoint. */
public final class DeskProcess {
    private DeskProcess() {}

    /** Runs a desk until it is killed: {@code FILE DOCUMENTS SLACK CRM MODEL SECRET CHECKPOINT}. */
    public static void main(String[] args) throws Exception {
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
                                .withCheckpoint(ChildProcess.haltAt(args[6]))
                                .withTimeout(Duration.ofSeconds(2))
                                .withLease(Duration.ofSeconds(2)))
                .withSocketMode();
        ChildProcess.serve(desk.port());
    }

    /**
     * Starts one.
     *
     * @param checkpoint where it dies; anything else for nowhere
     */
    public static ChildProcess start(DeskSettings settings, String checkpoint) throws IOException {
        return ChildProcess.start(
                DeskProcess.class,
                List.of(
                        settings.file().toString(),
                        settings.documents().toString(),
                        settings.slack().toString(),
                        settings.crm().toString(),
                        settings.model().toString(),
                        settings.slackLogin().signingSecret(),
                        checkpoint));
    }
}
