package dev.semel.examples.desk.slack;

import dev.semel.examples.desk.shared.Asked;
import dev.semel.http.ingress.Webhook;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What Slack sent, whichever way it came.
 *
 * @param requestId Slack's own id: the same in every redelivery
 * @param text of a command or a message; empty for buttons and forms
 * @param action that was pressed; empty for commands and messages
 * @param fields what a form or a button says
 */
record SlackRequest(Kind kind, String requestId, Place place, String text, String action, Map<String, String> fields) {
    /** The header under which Socket Mode keeps the type of an envelope. */
    static final String ENVELOPE_HEADER = "x-slack-envelope";

    /** The source of an operation key. */
    enum Kind {
        SLASH("slack_slash"),
        INTERACTION("slack_interactive"),
        EVENT("slack_event");

        private final String source;

        Kind(String source) {
            this.source = source;
        }
    }

    /** Who, and where. */
    record Place(String user, String channel) {}

    Asked asked(String correlationId) {
        return new Asked(kind.source, requestId, place.user, place.channel, correlationId);
    }

    /** Reads what the inbox has stored, from HTTP or from Socket Mode. */
    static SlackRequest of(Webhook webhook) {
        Optional<String> envelope = webhook.header(ENVELOPE_HEADER);
        if (envelope.isPresent()) {
            return ofEnvelope(envelope.get(), JsonMapper.shared().readTree(webhook.body()));
        }
        String type = String.valueOf(webhook.transport().contentType());
        if (type.startsWith("application/json")) {
            return event(JsonMapper.shared().readTree(webhook.body()));
        }
        Map<String, String> form = form(webhook.text());
        String payload = form.get("payload");
        return payload == null ? command(form) : interaction(JsonMapper.shared().readTree(payload));
    }

    static SlackRequest ofEnvelope(String type, JsonNode payload) {
        return switch (type) {
            case "slash_commands" -> {
                Map<String, String> form = new HashMap<>();
                payload.properties()
                        .forEach(each -> form.put(each.getKey(), each.getValue().asString("")));
                yield command(form);
            }
            case "interactive" -> interaction(payload);
            default -> event(payload);
        };
    }

    private static SlackRequest command(Map<String, String> form) {
        return new SlackRequest(
                Kind.SLASH,
                form.getOrDefault("trigger_id", ""),
                new Place(form.getOrDefault("user_name", ""), form.getOrDefault("channel_name", "")),
                form.getOrDefault("text", "").strip(),
                "",
                Map.of());
    }

    private static SlackRequest interaction(JsonNode payload) {
        Map<String, String> fields = new HashMap<>();
        payload.at("/view/state/values")
                .properties()
                .forEach(block -> fields.put(
                        block.getKey(), block.getValue().path("value").asString("")));
        JsonNode button = payload.at("/actions/0");
        if (!button.isMissingNode()) {
            fields.put("value", button.path("value").asString(""));
        }
        String action = button.isMissingNode()
                ? payload.path("type").asString("")
                : button.path("action_id").asString("");
        String channel = payload.at("/channel/name")
                .asString(payload.at("/view/private_metadata").asString(""));
        return new SlackRequest(
                Kind.INTERACTION,
                payload.path("trigger_id").asString(button.path("action_ts").asString("")),
                new Place(payload.at("/user/name").asString(""), channel),
                "",
                action,
                fields);
    }

    private static SlackRequest event(JsonNode body) {
        JsonNode event = body.path("event");
        return new SlackRequest(
                Kind.EVENT,
                body.path("event_id").asString(""),
                new Place(event.path("user").asString(""), event.path("channel").asString("")),
                event.path("text").asString(""),
                "",
                Map.of());
    }

    private static Map<String, String> form(String body) {
        Map<String, String> form = new HashMap<>();
        for (String pair : body.split("&")) {
            int at = pair.indexOf('=');
            if (at > 0) {
                form.put(
                        URLDecoder.decode(pair.substring(0, at), StandardCharsets.UTF_8),
                        URLDecoder.decode(pair.substring(at + 1), StandardCharsets.UTF_8));
            }
        }
        return form;
    }
}
