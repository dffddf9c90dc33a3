package dev.semel.operator;

import dev.semel.execution.BreakerStanding;
import java.util.Map;

/** The node that reads an overview: what the store does not tell, because it is in this process alone. Thread-safe. */
public interface ReadingNode {
    /** A process that runs nothing itself, such as a tool. */
    ReadingNode IDLE = new ReadingNode() {
        @Override
        public String name() {
            return "";
        }

        @Override
        public Map<String, BreakerStanding> breakers() {
            return Map.of();
        }

        @Override
        public void writeCounts() {
            // It counts nothing.
        }
    };

    /** By which people tell it from other nodes; empty when it has none. */
    String name();

    /** Its breakers, by operation. */
    Map<String, BreakerStanding> breakers();

    /** Writes what was counted here and is not in the store yet, so that what is read next contains it. */
    void writeCounts();
}
