package dev.semel.examples.helpdesk;

import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.Key;
import dev.semel.key.Keys;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A message of a customer.
 *
 * @param message the helpdesk's id of it; absent in some payloads
 * @param createdAt by the helpdesk's clock, the same in each delivery
 */
record TicketEvent(String conversation, @Nullable String message, String text, String createdAt) {
    static final String SOURCE = "rp";

    /** How far apart two deliveries of a message without an id may be. */
    static final Duration BUCKET = Duration.ofMinutes(2);

    /** Reads what the helpdesk sends. A missing field is an invalid payload, which is not retried. */
    static TicketEvent of(JsonNode json) {
        String message = json.path("message_id").asString("");
        TicketEvent event = new TicketEvent(
                required(json, "conversation_id"),
                message.isBlank() ? null : message,
                required(json, "text"),
                required(json, "created_at"));
        event.created();
        return event;
    }

    private static String required(JsonNode json, String field) {
        String value = json.path(field).asString("");
        if (value.isBlank()) {
            throw Failure.of(Category.VALIDATION, "The payload has no " + field + ".")
                    .asException();
        }
        return value;
    }

    private Instant created() {
        try {
            return Instant.parse(createdAt);
        } catch (DateTimeParseException e) {
            throw Failure.of(Category.VALIDATION, "The payload's created_at is not a time in ISO 8601.")
                    .asException();
        }
    }

    // region key
    /** The message's own id; without one, its text within a time bucket. */
    Key key() {
        return message != null
                ? Keys.event(SOURCE, conversation, message)
                : Keys.textInBucket(SOURCE + "/" + conversation, text, BUCKET, created());
    }
    // endregion
}
