package dev.semel.examples.desk.demo;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.databind.json.JsonMapper;

/**
 * A person in Slack: what they type and press reaches the desk as Slack sends it, signed.
 *
 * @param port of the desk; another one after it was started again
 */
public record SlackUser(String name, String channel, String signingSecret, IntSupplier port) {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** The HTTP request of something that was typed or pressed; sent again, it is a redelivery. */
    public record Delivery(String contentType, String body, Map<String, String> headers) {
        /** As Slack sends it the next time. */
        public Delivery again(int number) {
            return new Delivery(
                    contentType,
                    body,
                    Map.of("X-Slack-Retry-Num", Integer.toString(number), "X-Slack-Retry-Reason", "http_timeout"));
        }
    }

    /** {@code /quote TEXT}. */
    public Delivery command(String trigger, String text) {
        return form(Map.of(
                "command", "/quote", "text", text, "trigger_id", trigger, "user_name", name, "channel_name", channel));
    }

    /** A button. */
    public Delivery press(String trigger, String action, String value) {
        String payload = JsonMapper.shared()
                .writeValueAsString(Map.of(
                        "type",
                        "block_actions",
                        "trigger_id",
                        trigger,
                        "user",
                        Map.of("id", "U-" + name, "name", name),
                        "channel",
                        Map.of("name", channel),
                        "actions",
                        new Object[] {Map.of("action_id", action, "value", value)}));
        return form(Map.of("payload", payload));
    }

    /** A form that was filled in. */
    public Delivery submit(String trigger, Map<String, String> fields) {
        Map<String, Object> values = fields.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, field -> Map.of("value", field.getValue())));
        String payload = JsonMapper.shared()
                .writeValueAsString(Map.of(
                        "type",
                        "view_submission",
                        "trigger_id",
                        trigger,
                        "user",
                        Map.of("id", "U-" + name, "name", name),
                        "view",
                        Map.of("private_metadata", channel, "state", Map.of("values", values))));
        return form(Map.of("payload", payload));
    }

    /** A sentence to the bot. */
    public Delivery mention(String event, String text) {
        String body = JsonMapper.shared()
                .writeValueAsString(Map.of(
                        "type",
                        "event_callback",
                        "event_id",
                        event,
                        "event",
                        Map.of("type", "app_mention", "user", name, "channel", channel, "text", text)));
        return new Delivery("application/json", body, Map.of());
    }

    private static Delivery form(Map<String, String> fields) {
        String body = fields.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return new Delivery("application/x-www-form-urlencoded", body, Map.of());
    }

    /** Sends it to the desk, which has three seconds. */
    public HttpResponse<String> send(Delivery delivery) throws IOException, InterruptedException {
        long now = System.currentTimeMillis() / 1000;
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + port.getAsInt() + "/slack"))
                .header("Content-Type", delivery.contentType())
                .header("X-Slack-Request-Timestamp", Long.toString(now))
                .header("X-Slack-Signature", signature(now, delivery.body()))
                .POST(HttpRequest.BodyPublishers.ofString(delivery.body()));
        delivery.headers().forEach(request::header);
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private String signature(long now, String body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(signingSecret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            byte[] digest = mac.doFinal(("v0:" + now + ":" + body).getBytes(StandardCharsets.UTF_8));
            return "v0=" + HexFormat.of().formatHex(digest);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has HmacSHA256; this one has not.", e);
        }
    }
}
