package dev.semel.server.routing;

import dev.semel.http.ingress.Webhook;
import dev.semel.key.Keys;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message that a client sent to a topic, in the form in which webhooks are routed and delivered: its body is the payload as JSON without
 * white space, its content type {@code application/json}. The deadline that the client set goes along, so that no destination gets the
 * message after it.
 */
public final class TopicMessage {
    private static final String CONTENT_TYPE = "application/json";

    /** Among the transport's headers. No destination gets it. Only messages of topics are asked for it: senders of webhooks set none. */
    private static final String DEADLINE = "semel-deadline";

    private TopicMessage() {}

    /**
     * @param json the payload; two with the same meaning are the same message
     * @param received by the clock of the node
     */
    public static Webhook of(
            String topic, byte[] json, @Nullable String lane, @Nullable Instant deadline, Instant received) {
        Map<String, String> headers = deadline == null ? Map.of() : Map.of(DEADLINE, deadline.toString());
        return new Webhook(
                topic, Keys.jsonHash(json).text(), json, lane, new Webhook.Transport(CONTENT_TYPE, headers, received));
    }

    /** As the client set it. */
    static Optional<Instant> deadline(Webhook message) {
        try {
            return message.header(DEADLINE).map(Instant::parse);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
