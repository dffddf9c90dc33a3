package dev.semel.examples.helpdesk;

import dev.semel.Key;
import dev.semel.key.Keys;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** A message of which the ids are known and not its text: the rest can be fetched from the helpdesk. */
record MessageReference(String conversation, String message) {
    /** The ids in a payload that lacks required fields; empty if it is complete, or if an id is missing as well. */
    static Optional<MessageReference> ofIncomplete(JsonNode json) {
        MessageReference ids = new MessageReference(
                json.path("conversation_id").asString(""),
                json.path("message_id").asString(""));
        boolean complete = !json.path("text").asString("").isBlank()
                && !json.path("created_at").asString("").isBlank();
        boolean unknown = ids.conversation.isBlank() || ids.message.isBlank();
        return complete || unknown ? Optional.empty() : Optional.of(ids);
    }

    /** That of the message itself. */
    Key key() {
        return Keys.event(TicketEvent.SOURCE, conversation, message);
    }
}
