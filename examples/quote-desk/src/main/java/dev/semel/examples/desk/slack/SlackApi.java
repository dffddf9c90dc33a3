package dev.semel.examples.desk.slack;

import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.examples.desk.outbox.Note;
import dev.semel.examples.desk.web.JsonService;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The calls of Slack's Web API that the desk makes. Thread-safe. */
public final class SlackApi {
    private final JsonService slack;
    private final Map<String, String> login;

    public SlackApi(JsonService slack, String token) {
        this.slack = slack;
        this.login = Map.of("Authorization", "Bearer " + token);
    }

    /**
     * Posts a message.
     *
     * @param token kept in the metadata of the message, so that {@link #find} finds it
     * @return its id, {@code ts}
     */
    public String post(String channel, String text, List<Note.Button> buttons, String token)
            throws InterruptedException {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("channel", channel);
        body.put("text", text);
        body.put("metadata", Map.of("event_type", "quote_desk", "event_payload", Map.of("token", token)));
        if (!buttons.isEmpty()) {
            body.put(
                    "blocks",
                    List.of(Map.of(
                            "type",
                            "actions",
                            "elements",
                            buttons.stream().map(SlackApi::element).toList())));
        }
        return call("chat.postMessage", body).path("ts").asString("");
    }

    /** Replaces the text of a message. However often this is done, there is one message. */
    public void update(String channel, String ts, String text) throws InterruptedException {
        call("chat.update", Map.of("channel", channel, "ts", ts, "text", text));
    }

    /** The message with this token, if it was posted before. */
    public Optional<String> find(String channel, String token) throws InterruptedException {
        JsonNode history =
                call("conversations.history", Map.of("channel", channel, "include_all_metadata", true, "limit", 200));
        for (JsonNode message : history.path("messages")) {
            if (message.at("/metadata/event_payload/token").asString("").equals(token)) {
                return Optional.of(message.path("ts").asString(""));
            }
        }
        return Optional.empty();
    }

    /**
     * A place for a file.
     *
     * @param address where its bytes go
     */
    public record UploadSlot(String file, URI address) {}

    /** Reserves a place for a file. Nothing is shown before {@link #complete}. */
    public UploadSlot reserve(String name, int length) throws InterruptedException {
        JsonNode slot = call("files.getUploadURLExternal", Map.of("filename", name, "length", length));
        return new UploadSlot(
                slot.path("file_id").asString(""),
                URI.create(slot.path("upload_url").asString("")));
    }

    /** Sends the bytes of a reserved file. */
    public void upload(UploadSlot slot, byte[] content) throws InterruptedException {
        slack.upload(slot.address(), content);
    }

    /** Shows an uploaded file in a channel. The same file is shown once. */
    public void complete(String file, String title, String channel) throws InterruptedException {
        call(
                "files.completeUploadExternal",
                Map.of("files", List.of(Map.of("id", file, "title", title)), "channel_id", channel));
    }

    /** The address of a new Socket Mode connection. */
    public URI openConnection() throws InterruptedException {
        return URI.create(call("apps.connections.open", Map.of()).path("url").asString(""));
    }

    private static Map<String, Object> element(Note.Button button) {
        return Map.of(
                "type",
                "button",
                "text",
                Map.of("type", "plain_text", "text", button.label()),
                "action_id",
                button.action(),
                "value",
                button.value());
    }

    private JsonNode call(String method, Map<String, Object> body) throws InterruptedException {
        JsonNode answer = slack.post("/api/" + method, body, login);
        if (!answer.path("ok").asBoolean(false)) {
            String error = answer.path("error").asString("no reason given");
            Category category = error.contains("auth") || error.contains("token") ? Category.AUTH : Category.VALIDATION;
            throw Failure.of(category, "Slack rejected the message: " + error).asException();
        }
        return answer;
    }
}
