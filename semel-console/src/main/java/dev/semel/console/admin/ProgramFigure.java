package dev.semel.console.admin;

import java.util.Objects;

/**
 * A figure that the program in which a server runs adds to the overview, such as the score of a demonstration. It is text, and is shown
 * as text, to people of all tenants only.
 *
 * @param name what it counts
 * @param value as it is shown
 * @param note what it means, in a few words; may be empty
 */
public record ProgramFigure(String name, String value, String note, Tone tone) {
    public ProgramFigure {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(value, "value");
        Objects.requireNonNull(note, "note");
        Objects.requireNonNull(tone, "tone");
    }

    /** How a figure is coloured. */
    public enum Tone {
        PLAIN,
        WARN,
        BAD
    }
}
