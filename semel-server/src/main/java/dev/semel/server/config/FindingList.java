package dev.semel.server.config;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.yaml.snakeyaml.error.Mark;

/** Gathers faults and warnings of one file. Only the first faults are kept, so that a hostile file cannot fill the memory. */
final class FindingList {
    static final int MOST = 200;

    private final Set<ConfigFinding> faults = new LinkedHashSet<>();
    private final Set<ConfigFinding> warnings = new LinkedHashSet<>();

    void fault(Mark at, String message) {
        fault(at.getLine() + 1, at.getColumn() + 1, message);
    }

    void fault(int line, int column, String message) {
        if (faults.size() < MOST) {
            faults.add(new ConfigFinding(line, column, message));
        }
    }

    void warn(Mark at, String message) {
        if (warnings.size() < MOST) {
            warnings.add(new ConfigFinding(at.getLine() + 1, at.getColumn() + 1, message));
        }
    }

    /** Whether further faults would not be kept, so that looking for them is of no use. */
    boolean isFull() {
        return faults.size() >= MOST;
    }

    /** How many faults there are so far. */
    int count() {
        return faults.size();
    }

    List<ConfigFinding> faults() {
        return sorted(faults);
    }

    List<ConfigFinding> warnings() {
        return sorted(warnings);
    }

    private static List<ConfigFinding> sorted(Set<ConfigFinding> findings) {
        List<ConfigFinding> all = new ArrayList<>(findings);
        all.sort(ConfigFinding.BY_PLACE);
        return all;
    }
}
