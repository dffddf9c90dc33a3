package dev.semel;

/** The one rule for names and keys: present, bounded, well-formed; nothing is trimmed, folded or normalised. */
final class Text {
    private Text() {}

    /** As {@link #check}, and without control characters: names are shown, logged and typed. */
    static void checkName(String what, String value, int max) {
        check(what, value, max);
        for (int i = 0; i < value.length(); i++) {
            if (Character.isISOControl(value.charAt(i))) {
                throw new SemelException.Invalid("The " + what + " has a control character at position " + i
                        + ": it is shown and logged. Use printable text.");
            }
        }
    }

    static void check(String what, String value, int max) {
        int length = value.length();
        if (length == 0) {
            throw new SemelException.Invalid("The " + what + " is empty: it must have 1 to " + max
                    + " characters. Give it a stable, unique text.");
        }
        if (length > max) {
            throw new SemelException.Invalid("The " + what + " has " + length + " characters: at most " + max
                    + " are kept. Hash the long part (Keys.contentHash) and use the hash.");
        }
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            boolean paired =
                    Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(value.charAt(i + 1));
            if (paired) {
                i++;
            } else if (Character.isSurrogate(c)) {
                throw new SemelException.Invalid("The " + what + " has half of a surrogate pair at position " + i
                        + ": such text cannot be stored faithfully. Repair the text before it becomes a " + what + ".");
            }
        }
    }
}
