package dev.semel.examples.desk.demo;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.client.WireMock;
import com.github.tomakehurst.wiremock.http.Request;
import dev.semel.examples.demo.StandIn;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What the stand-in for Slack knows: the messages of each channel and the files. Thread-safe. */
public final class SlackWorkspace implements StandIn.Responder {
    private static final JsonMapper JSON = JsonMapper.shared();

    private final List<Post> posts = new ArrayList<>();
    private final Map<String, byte[]> files = new LinkedHashMap<>();
    private final List<Consumer<Shown>> listeners = new ArrayList<>();
    private URI socket = URI.create("ws://127.0.0.1:1/link");
    private int lostReplies;

    /**
     * A message as people see it now.
     *
     * @param buttons the action and the value of each
     */
    public record Post(String ts, String channel, String text, JsonNode metadata, Map<String, String> buttons) {
        Post with(String changed) {
            return new Post(ts, channel, changed, metadata, buttons);
        }

        /** By which the desk recognises it. */
        public String token() {
            return metadata.at("/event_payload/token").asString("");
        }
    }

    /** Something that appears in a channel. */
    public record Shown(How how, Post post) {}

    /** How it appears. */
    public enum How {
        POSTED,
        UPDATED,
        FILE
    }

    /** Is told what people see, in order. */
    public synchronized void onShown(Consumer<Shown> listener) {
        listeners.add(listener);
    }

    /** Where {@code apps.connections.open} sends the desk. */
    public synchronized void useSocket(URI address) {
        socket = address;
    }

    /** The next so many posts and updates take effect, but their callers get an error. */
    public synchronized void loseReplies(int count) {
        lostReplies = count;
    }

    /** The messages of a channel. */
    public synchronized List<Post> posts(String channel) {
        return posts.stream().filter(post -> post.channel().equals(channel)).toList();
    }

    /** The uploaded files, by their ids; those without bytes are only reserved. */
    public synchronized Map<String, byte[]> files() {
        return Map.copyOf(files);
    }

    /** The value of the newest button with this action in a channel. */
    public synchronized Optional<String> button(String channel, String action) {
        return posts(channel).stream()
                .map(post -> post.buttons().get(action))
                .filter(value -> value != null)
                .reduce((first, second) -> second);
    }

    @Override
    public synchronized ResponseDefinitionBuilder answer(Request request) {
        String path = URI.create(request.getUrl()).getPath();
        if (path.startsWith("/upload/")) {
            files.put(path.substring("/upload/".length()), request.getBody());
            return ok(Map.of());
        }
        JsonNode body = JSON.readTree(request.getBody());
        return switch (path) {
            case "/api/chat.postMessage" -> reply(Map.of("ts", post(body)));
            case "/api/chat.update" -> reply(Map.of("ts", update(body)));
            case "/api/conversations.history" -> history(body.path("channel").asString(""));
            case "/api/files.getUploadURLExternal" -> reserve(request);
            case "/api/files.completeUploadExternal" -> complete(body);
            case "/api/apps.connections.open" -> ok(Map.of("url", socket.toString()));
            default -> WireMock.jsonResponse("{\"ok\":false,\"error\":\"unknown_method\"}", 200);
        };
    }

    private String post(JsonNode body) {
        Map<String, String> buttons = new LinkedHashMap<>();
        body.at("/blocks/0/elements")
                .forEach(each -> buttons.put(
                        each.path("action_id").asString(""), each.path("value").asString("")));
        Post post = new Post(
                "17000000" + (10 + posts.size()) + ".0001",
                body.path("channel").asString(""),
                body.path("text").asString(""),
                body.path("metadata"),
                buttons);
        posts.add(post);
        show(How.POSTED, post);
        return post.ts();
    }

    private String update(JsonNode body) {
        String ts = body.path("ts").asString("");
        for (int i = 0; i < posts.size(); i++) {
            if (posts.get(i).ts().equals(ts)) {
                Post changed = posts.get(i).with(body.path("text").asString(""));
                if (!changed.equals(posts.set(i, changed))) {
                    show(How.UPDATED, changed);
                }
            }
        }
        return ts;
    }

    private ResponseDefinitionBuilder history(String channel) {
        List<ObjectNode> messages = new ArrayList<>();
        for (Post post : posts(channel)) {
            ObjectNode message = JSON.createObjectNode();
            message.put("ts", post.ts());
            message.put("text", post.text());
            message.set("metadata", post.metadata());
            messages.add(0, message);
        }
        return ok(Map.of("messages", messages));
    }

    private ResponseDefinitionBuilder reserve(Request request) {
        String id = "F" + (files.size() + 1);
        files.put(id, new byte[0]);
        URI here = URI.create(request.getAbsoluteUrl());
        return ok(Map.of(
                "file_id", id, "upload_url", here.resolve("/upload/" + id).toString()));
    }

    private ResponseDefinitionBuilder complete(JsonNode body) {
        String channel = body.path("channel_id").asString("");
        String file = body.at("/files/0/id").asString("");
        boolean shown = posts.stream().anyMatch(post -> post.token().equals("file:" + file));
        if (!shown) {
            JsonNode metadata = JSON.valueToTree(Map.of("event_payload", Map.of("token", "file:" + file)));
            Post post = new Post(
                    "17000000" + (10 + posts.size()) + ".0001",
                    channel,
                    body.at("/files/0/title").asString("") + " (" + files.get(file).length + " bytes)",
                    metadata,
                    Map.of());
            posts.add(post);
            show(How.FILE, post);
        }
        return reply(Map.of());
    }

    private void show(How how, Post post) {
        listeners.forEach(listener -> listener.accept(new Shown(how, post)));
    }

    private ResponseDefinitionBuilder reply(Map<String, Object> fields) {
        if (lostReplies > 0) {
            lostReplies--;
            return WireMock.aResponse().withStatus(503);
        }
        return ok(fields);
    }

    private static ResponseDefinitionBuilder ok(Map<String, Object> fields) {
        Map<String, Object> all = new LinkedHashMap<>(fields);
        all.put("ok", true);
        return WireMock.jsonResponse(JSON.writeValueAsString(all), 200);
    }
}
