package dev.semel.server.config;

import org.yaml.snakeyaml.error.Mark;

/**
 * The text of a setting.
 *
 * @param text with the values of its references; may be a secret
 * @param written as in the file; may be a secret that should not be there
 * @param masked as written, with one {@link #REFERENCE} in the place of each reference
 */
record ConfigText(String text, String written, String masked, Mark at) {
    /** From the private use area: the file cannot have it, see {@link ReferenceExpander}. */
    static final char REFERENCE = '\ue000';

    private static final int LONGEST_SHOWN = 60;

    boolean hasReference() {
        return masked.indexOf(REFERENCE) >= 0;
    }

    /** For messages about settings that are no secrets: as in the file, in quotes. */
    String shown() {
        return quoted(written);
    }

    static String quoted(String text) {
        String plain =
                text.replaceAll("[\\p{Cntrl}\\u0080-\\u009f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]", "?");
        if (plain.length() <= LONGEST_SHOWN) {
            return "'" + plain + "'";
        }
        int end = Character.isHighSurrogate(plain.charAt(LONGEST_SHOWN - 1)) ? LONGEST_SHOWN - 1 : LONGEST_SHOWN;
        return "'" + plain.substring(0, end) + "...'";
    }

    /** Without the text. */
    @Override
    public String toString() {
        return "ConfigText[line " + (at.getLine() + 1) + "]";
    }
}
