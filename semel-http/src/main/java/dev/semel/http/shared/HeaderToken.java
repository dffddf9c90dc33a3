package dev.semel.http.shared;

import org.jspecify.annotations.Nullable;

/** A key or an id in a header. Clients may lack the servlet API, so this does not use it. */
public final class HeaderToken {
    private static final int LONGEST = 128;

    private HeaderToken() {}

    /** 1 to 128 visible ASCII characters. */
    public static boolean isValid(@Nullable String text) {
        return text != null
                && !text.isEmpty()
                && text.length() <= LONGEST
                && text.chars().allMatch(c -> c > 0x20 && c < 0x7f);
    }
}
