package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.console.admin.ServerActions.ReloadResult;
import dev.semel.server.SemelServer;
import dev.semel.server.config.ConfigFaults;
import dev.semel.server.config.ConfigFile;
import dev.semel.server.config.Secrets;
import dev.semel.server.config.ServerConfig;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "serve",
        header = "Runs the server: takes webhooks in, routes them, delivers them.",
        description = {
            "Runs until it gets SIGTERM or SIGINT. Then it answers the requests under way, lets deliveries end and hands back the others.",
            "SIGHUP takes the changed file into use, or rejects it as a whole and goes on as before.",
            "Exits with 1 when the file has faults, or when the server did not drain within its bound."
        },
        mixinStandardHelpOptions = true)
final class Serve implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(Serve.class);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "FILE",
            arity = "0..1",
            defaultValue = "semel.yaml",
            description = "The configuration file. By default ${DEFAULT-VALUE}.")
    private Path file = Path.of("semel.yaml");

    @Option(
            names = "--log",
            paramLabel = "LEVEL",
            defaultValue = "info",
            description = "What to log on standard error: error, warn, info or debug. By default ${DEFAULT-VALUE}.")
    private String level = "info";

    private final TimeSource.Gate end = TimeSource.system().gate();

    @Override
    public Integer call() throws InterruptedException {
        ServerLog.start(level);
        try (SemelServer server = start()) {
            Signals.on("TERM", end::open);
            Signals.on("INT", end::open);
            Signals.on("HUP", () -> reload(server));
            end.await();
            LOG.info("Stopping: no new requests; waiting for requests and deliveries under way.");
            boolean drained = server.stop();
            LOG.info(
                    drained
                            ? "Stopped."
                            : "Stopped before everything under way had ended; it will be delivered again.");
            return (drained ? Exit.OK : Exit.CHECK_FAILED).code();
        } catch (ConfigFaults wrong) {
            wrong.findings()
                    .forEach(fault -> spec.commandLine().getErr().println(Screen.plain(fault.in(file.toString()))));
            return Exit.CHECK_FAILED.code();
        }
    }

    private SemelServer start() {
        try {
            return SemelServer.start(read(), this::read);
        } catch (IOException | GeneralSecurityException e) {
            throw new SemelException.Invalid("The server cannot start: " + e.getMessage(), e);
        }
    }

    private ServerConfig read() {
        ConfigFile read = ConfigFile.read(file, Secrets.ofProcess());
        read.warnings().forEach(warning -> LOG.warn("{}:{}: {}", file, warning.line(), warning.message()));
        return read.config();
    }

    /** When it is complete, the server says so. */
    private void reload(SemelServer server) {
        if (server.reload() instanceof ReloadResult.Rejected rejected) {
            LOG.error(
                    "Reload was rejected; the configuration in use stays. Faults: {}. Run semel check {}.",
                    String.join("; ", rejected.faults()),
                    file);
        }
    }
}
