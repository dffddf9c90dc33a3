package dev.semel.server.delivery;

import dev.semel.audit.Redactor;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a destination answered.
 *
 * @param retryAfter its header {@code Retry-After}, as it came
 * @param encoding its header {@code Content-Encoding}; nothing is decoded
 * @param beginning of its body, at most {@link #KEPT} bytes
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record HttpAnswer(
        int status, @Nullable String retryAfter, @Nullable String encoding, byte[] beginning) {
    /** So much of a body is kept. */
    static final int KEPT = 1 << 10;

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}&&[^\\n\\t]]");

    boolean isSuccess() {
        return status >= 200 && status < 300;
    }

    /** The beginning of the body as text for people, without credentials; empty when there was none. */
    String excerpt() {
        if (beginning.length > 0 && encoding != null && !encoding.equalsIgnoreCase("identity")) {
            return "(encoded, not decoded)";
        }
        String text =
                CONTROL.matcher(new String(beginning, StandardCharsets.UTF_8)).replaceAll(" ");
        String redacted = Redactor.text(text);
        return redacted.length() <= KEPT ? redacted : redacted.substring(0, KEPT);
    }
}
