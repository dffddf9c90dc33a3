package dev.semel.architecture.planted.engine;

import dev.semel.architecture.planted.Host;
import java.util.Random;

public final class Machine {
    /** Downwards: allowed. */
    public Random defaultSource(Host host) {
        return new Random(host.hashCode());
    }
}
