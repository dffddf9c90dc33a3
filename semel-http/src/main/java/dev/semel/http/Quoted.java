package dev.semel.http;

import org.jspecify.annotations.Nullable;

/** Keys as structured fields write them (RFC 8941): a string in quotes. A bare one is taken as it is. */
final class Quoted {
    private Quoted() {}

    /** Nothing when the quotes do not fit. */
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
