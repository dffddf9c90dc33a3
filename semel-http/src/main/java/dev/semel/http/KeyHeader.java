package dev.semel.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the filter and clients both know of keys. Clients may be without servlets, so nothing here needs them. */
final class KeyHeader {
    static final String NAME = "Idempotency-Key";

    /** Of requests that need a key. */
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
