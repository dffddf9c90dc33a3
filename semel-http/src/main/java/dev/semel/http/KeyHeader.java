package dev.semel.http;

import dev.semel.http.shared.HeaderToken;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The header for keys, for the filter and for clients. Clients may lack the servlet API, so this does not use it. */
final class KeyHeader {
    static final String NAME = "Idempotency-Key";

    /** Methods of requests that need a key. */
    static final List<String> METHODS = List.of("POST", "PUT", "PATCH", "DELETE");

    private KeyHeader() {}

    /** 1 to 128 visible ASCII characters. */
    static boolean isValid(@Nullable String text) {
        return HeaderToken.isValid(text);
    }
}
