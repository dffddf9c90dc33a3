package dev.semel.examples.desk.outbox;

import dev.semel.examples.desk.shared.Asked;
import java.util.List;

/**
 * A message that is appended to a Slack channel.
 *
 * @param token by which a second delivery recognises the first; it is also the key of the message
 * @param buttons none for plain text
 */
public record Note(String channel, String token, String text, List<Button> buttons, Asked asked) {
    public Note {
        buttons = List.copyOf(buttons);
    }

    /**
     * A button under a message.
     *
     * @param action what Slack sends back when it is pressed
     * @param value what it is about
     */
    public record Button(String label, String action, String value) {}
}
