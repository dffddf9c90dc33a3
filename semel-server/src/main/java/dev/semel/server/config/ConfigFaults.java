package dev.semel.server.config;

import dev.semel.SemelException;
import java.util.List;

/** A configuration file is rejected. All its faults are named at once, each with its line; values of secrets are not shown. */
public final class ConfigFaults extends SemelException.Misconfigured {
    private static final long serialVersionUID = 1;
    private final transient List<ConfigFinding> findings;

    ConfigFaults(String file, List<ConfigFinding> findings) {
        super(
                "configuration " + file,
                findings.stream().map(ConfigFinding::toString).toList());
        this.findings = List.copyOf(findings);
    }

    /** Each fault, in the order of the file. */
    public List<ConfigFinding> findings() {
        return findings;
    }
}
