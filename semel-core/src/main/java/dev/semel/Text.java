package dev.semel;

/**
 * The one rule for names and keys: present, bounded, well-formed; nothing is trimmed, folded or normalised. Only sentences
 * that are shown to people are repaired, by {@link #oneLine}.
 */
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

    /** As {@link #check}, and without NUL, which not every store can keep in a text. For what is not a name, such as a reason. */
    static void checkStored(String what, String value, int max) {
        check(what, value, max);
        int nul = value.indexOf('\0');
        if (nul >= 0) {
            throw new SemelException.Invalid("The " + what + " has a NUL character at position " + nul
                    + ": such text cannot be stored. Use 1 to " + max + " characters without NUL.");
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
                    + " are kept. Shorten it; of a key or a lane, hash the long part (Keys.contentHash).");
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

    /**
     * The text as one bounded line that is safe to show and log: control characters, line ends, half surrogates and
     * characters that turn the reading direction become a space, runs of spaces one, and what is too long ends in "...".
     */
    static String oneLine(String text, int max) {
        var line = new StringBuilder(Math.min(text.length(), max));
        boolean space = false;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            if (Character.isWhitespace(c) || !showable(c)) {
                space = line.length() > 0;
                continue;
            }
            int length = line.length() + (space ? 1 : 0) + Character.charCount(c);
            if (length > max) {
                return cut(line, max);
            }
            if (space) {
                line.append(' ');
                space = false;
            }
            line.appendCodePoint(c);
        }
        return line.toString();
    }

    private static boolean showable(int c) {
        boolean turnsDirection =
                c >= 0x202A && c <= 0x202E || c >= 0x2066 && c <= 0x2069 || c == 0x061C || c == 0x200E || c == 0x200F;
        int type = Character.getType(c);
        return type != Character.CONTROL && type != Character.SURROGATE && !turnsDirection;
    }

    private static String cut(StringBuilder line, int max) {
        int end = Math.min(line.length(), max - 3);
        if (Character.isHighSurrogate(line.charAt(end - 1))) {
            end--;
        }
        line.setLength(end);
        return line.append("...").toString();
    }
}
