package dev.semel.jdbc.shared;

import java.util.List;

/**
 * How an engine writes SQL, where engines differ.
 *
 * @param nameQuotes the characters that begin a quoted name; {@code [} is ended by {@code ]}, any other by itself
 * @param dollarQuotes whether {@code $tag$...$tag$} is a string
 * @param escapeStrings whether backslashes escape in {@code E'...'}
 * @param nestedComments whether comments contain comments
 * @param lineEnds the characters that end a comment to the end of the line
 * @param body which statements have a body with statements of its own
 */
public record SqlNotation(
        String nameQuotes,
        boolean dollarQuotes,
        boolean escapeStrings,
        boolean nestedComments,
        String lineEnds,
        BodyStart body) {
    /** Recognises the word that begins the body of a trigger or a function. */
    @FunctionalInterface
    public interface BodyStart {
        /** @param words of a statement that begins with CREATE, up to the word in question */
        boolean isLast(List<String> words);
    }
}
