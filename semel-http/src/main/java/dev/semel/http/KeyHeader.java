package dev.semel.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The header for keys, for the filter and for clients. Clients may lack the servlet API, so this does not use it. */
final class KeyHeader {
    static final String NAME = "Idempotency-Key";

    /** Methods of requests that need a key. */
    static final List<String> METHODS = List.of("POST", "PUT", "PATCH", "DELETE");

    private static final int LONGEST = 128;

    private KeyHeader() {}

    /** 1 to 128 visible ASCII characters. */
    static boolean isValid(@Nullable String text) {
        return text != null
                && !text.isEmpty()
                && text.length() <= LONGEST
                && text.chars().allMatch(c -> c > 0x20 && c < 0x7f);
    }
}
