package dev.semel.http.ingress;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The secrets that a sender may sign with: one, or during a rotation two or more. Without any the endpoint is off and answers 503; it is
 * never open. Immutable.
 *
 * <pre>{@code
 * WebhookSecrets.of(newSecret, oldSecret)
 * }</pre>
 *
 * <p>The text of a secret appears in no log line, error or {@link #toString}.
 */
public final class WebhookSecrets {
    /** The most secrets that may be live at once. */
    public static final int MOST = 8;

    private final List<String> texts;

    private WebhookSecrets(List<String> texts) {
        this.texts = texts;
    }

    /**
     * @param secrets as the sender shows them. White space around one is removed, because files and variables often end in a line break;
     *     null and blank ones do not count, so a variable that is not set adds none
     */
    public static WebhookSecrets of(@Nullable String... secrets) {
        return new WebhookSecrets(Arrays.stream(secrets)
                .filter(Objects::nonNull)
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .toList());
    }

    /** No secret: the endpoint is off. */
    public static WebhookSecrets none() {
        return new WebhookSecrets(List.of());
    }

    List<String> texts() {
        return texts;
    }

    /** How many there are. */
    @Override
    public String toString() {
        return "WebhookSecrets[" + texts.size() + "]";
    }
}
