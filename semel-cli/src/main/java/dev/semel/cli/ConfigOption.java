package dev.semel.cli;

import dev.semel.server.config.ConfigFaults;
import dev.semel.server.config.ConfigFile;
import dev.semel.server.config.Secrets;
import dev.semel.server.config.ServerConfig;
import java.nio.file.Path;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** The configuration of a server. */
final class ConfigOption {
    @Option(
            names = "--file",
            paramLabel = "FILE",
            defaultValue = "semel.yaml",
            description = "The configuration file of the server. By default ${DEFAULT-VALUE}.")
    private Path file = Path.of("semel.yaml");

    /** @throws CheckFailed naming every fault of the file */
    ServerConfig read(Secrets secrets) {
        try {
            return ConfigFile.read(file, secrets).config();
        } catch (ConfigFaults wrong) {
            throw new CheckFailed(wrong.findings().stream()
                    .map(fault -> Screen.plain(fault.in(file.toString())))
                    .collect(Collectors.joining("\n")));
        }
    }
}
