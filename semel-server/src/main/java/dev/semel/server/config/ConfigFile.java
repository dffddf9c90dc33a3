package dev.semel.server.config;

import java.nio.file.Path;
import java.util.List;

/**
 * The configuration file of {@code semel serve}, read and checked as a whole. Its settings are in {@code docs/server-configuration.md}.
 *
 * @param warnings what is allowed and probably not meant, in the order of the file
 */
public record ConfigFile(ServerConfig config, List<ConfigFinding> warnings) {
    public ConfigFile {
        warnings = List.copyOf(warnings);
    }

    /**
     * Reads a file. Opens nothing but the file and the files to which it refers.
     *
     * @throws ConfigFaults with every fault, each with its line and column
     */
    public static ConfigFile read(Path file, Secrets secrets) {
        FindingList findings = new FindingList();
        ReferenceExpander references = new ReferenceExpander(secrets, findings);
        ConfigReader reader = new ConfigReader(file, findings);
        ServerConfig config = new YamlNodes(findings)
                .read(file)
                .flatMap(root -> ConfigSection.file(root, findings, references))
                .flatMap(reader::read)
                .orElse(null);
        if (config == null || findings.count() > 0) {
            throw new ConfigFaults(file.toString(), findings.faults());
        }
        return new ConfigFile(config, findings.warnings());
    }
}
