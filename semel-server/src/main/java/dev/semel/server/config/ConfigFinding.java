package dev.semel.server.config;

import java.util.Comparator;

/**
 * A fault or a warning, and its place in the file.
 *
 * @param line counted from 1
 * @param column counted from 1
 * @param message without the values of secrets
 */
public record ConfigFinding(int line, int column, String message) {
    static final Comparator<ConfigFinding> BY_PLACE = Comparator.comparingInt(ConfigFinding::line)
            .thenComparingInt(ConfigFinding::column)
            .thenComparing(ConfigFinding::message);

    /** As compilers print it: {@code semel.yaml:12:5: message}. */
    public String in(String file) {
        return file + ":" + line + ":" + column + ": " + message;
    }

    @Override
    public String toString() {
        return line + ":" + column + ": " + message;
    }
}
