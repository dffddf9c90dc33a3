package dev.semel.execution;

import dev.semel.SemelException;
import dev.semel.audit.Events;
import dev.semel.audit.Redactor;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a handler notes about its present attempt, for the audit: in the form in which the event of the attempt's end tells it. Used by the
 * thread of the handler, and by the one that records its end afterwards.
 */
final class AttemptNotes {
    private static final int MOST = 10;
    private static final int LONGEST = 1_024;
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,39}");

    private final Map<String, Object> notes = new LinkedHashMap<>();

    void put(String name, String value) {
        add(name, shown(Redactor.text(value)));
    }

    void put(String name, long value) {
        add(name, value);
    }

    private void add(String name, Object value) {
        if (!NAME.matcher(name).matches()) {
            throw new SemelException.Invalid(
                    "The name of a note has characters that cannot be used, or more than 40: use"
                            + " lower-case letters, digits and underscores, and begin with a letter.");
        }
        if (notes.size() == MOST && !notes.containsKey(Events.NOTE + name)) {
            throw new SemelException.Invalid(
                    "An attempt has at most " + MOST + " notes; \"" + name + "\" is one more. Use fewer.");
        }
        notes.put(Events.NOTE + name, value);
    }

    /** Control characters as they are escaped in JSON, and the first characters of what is left. */
    private static String shown(String text) {
        StringBuilder shown = new StringBuilder(Math.min(text.length(), LONGEST));
        for (int i = 0; i < text.length() && shown.length() < LONGEST; ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            int type = Character.getType(c);
            String form = switch (c) {
                case '\n' -> "\\n";
                case '\r' -> "\\r";
                case '\t' -> "\\t";
                default ->
                    type == Character.CONTROL || type == Character.SURROGATE
                            ? String.format(Locale.ROOT, "\\u%04x", c)
                            : Character.toString(c);
            };
            if (shown.length() + form.length() > LONGEST) {
                break;
            }
            shown.append(form);
        }
        return shown.toString();
    }

    /** As fields of an event. */
    Map<String, Object> fields() {
        return notes.isEmpty() ? Map.of() : new LinkedHashMap<>(notes);
    }

    /** Another attempt begins. */
    void clear() {
        notes.clear();
    }
}
