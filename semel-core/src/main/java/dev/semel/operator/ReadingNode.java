package dev.semel.operator;

import java.util.Set;

/** The node that reads an overview: what the store does not tell, because it is in this process alone. Thread-safe. */
public interface ReadingNode {
    /** A process that runs nothing itself, such as a tool. */
    ReadingNode IDLE = new ReadingNode() {
        @Override
        public Set<String> openBreakers() {
            return Set.of();
        }

        @Override
        public void writeCounts() {
            // It counts nothing.
        }
    };

    /** The operations whose breakers do not let all calls through. */
    Set<String> openBreakers();

    /** Writes what was counted here and is not in the store yet, so that what is read next contains it. */
    void writeCounts();
}
