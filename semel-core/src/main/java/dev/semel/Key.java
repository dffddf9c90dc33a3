package dev.semel;

import java.util.List;

/**
 * What makes two calls "the same". Compared to the letter: case, trailing space, Unicode form and NUL all count. The ways of
 * deriving one from a message are in {@code dev.semel.key.Keys}.
 *
 * <p>A key with {@code neighbours} is one whose text carries a time bucket: a record under any of the neighbours counts as
 * this one's, and lookup and insertion happen under one lock on {@code lock}, the text without its bucket.
 *
 * @param text 1 to 255 characters
 * @param lock what is locked while the record is looked up and made; the text itself unless there are neighbours
 * @param neighbours other texts under which the same piece of work may already be recorded
 */
public record Key(String text, String lock, List<String> neighbours) {
    /** The longest key in characters. */
    public static final int MAX_LENGTH = 255;

    public Key {
        Text.check("key", text, MAX_LENGTH);
        Text.check("key's lock", lock, MAX_LENGTH);
        neighbours = List.copyOf(neighbours);
        neighbours.forEach(n -> Text.check("neighbouring key", n, MAX_LENGTH));
        if (neighbours.isEmpty() && !lock.equals(text)) {
            throw new SemelException.Invalid(
                    "A key without neighbours is its own lock. Give neighbours, or use Key.of(text).");
        }
    }

    public static Key of(String text) {
        return new Key(text, text, List.of());
    }

    /** The text is not shown: keys may be secrets of the caller, and logs are read by many. */
    @Override
    public String toString() {
        return "Key[" + text.length() + " characters]";
    }
}
