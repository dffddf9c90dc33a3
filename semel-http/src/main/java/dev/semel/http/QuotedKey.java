package dev.semel.http;

import org.jspecify.annotations.Nullable;

/** Parses keys in the syntax of structured fields (RFC 8941): a quoted string. A key without quotes stays as it is. */
final class QuotedKey {
    private QuotedKey() {}

    /** Null when the quotes are unbalanced. */
    static @Nullable String unquoted(@Nullable String header) {
        if (header == null || !header.startsWith("\"")) {
            return header;
        }
        StringBuilder key = new StringBuilder(header.length());
        int last = header.length() - 1;
        if (last < 1 || header.charAt(last) != '"') {
            return null;
        }
        for (int i = 1; i < last; i++) {
            char c = header.charAt(i);
            if (c == '\\' && i + 1 < last && (header.charAt(i + 1) == '"' || header.charAt(i + 1) == '\\')) {
                key.append(header.charAt(++i));
            } else if (c == '\\' || c == '"') {
                return null;
            } else {
                key.append(c);
            }
        }
        return key.toString();
    }
}
