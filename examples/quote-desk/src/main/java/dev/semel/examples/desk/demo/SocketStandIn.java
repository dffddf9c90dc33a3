package dev.semel.examples.desk.demo;

import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The stand-in for Slack's Socket Mode: what is not acknowledged is delivered again on the next connection. Thread-safe. */
public final class SocketStandIn implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.shared();

    private final Server server = new Server();
    private final int port;
    private final Map<String, ObjectNode> pending = new LinkedHashMap<>();
    private final List<String> acknowledged = new ArrayList<>();
    private @Nullable Session session;
    private int connections;

    public SocketStandIn() throws Exception {
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(WebSocketUpgradeHandler.from(
                server, container -> container.addMapping("/link", (request, response, callback) -> new Link())));
        server.start();
        port = connector.getLocalPort();
    }

    /** Where it listens. */
    public URI uri() {
        return URI.create("ws://127.0.0.1:" + port + "/link");
    }

    /** Delivers an envelope, now or when somebody is connected, until it is acknowledged. */
    public synchronized void deliver(String id, String type, JsonNode payload) {
        ObjectNode envelope = JSON.createObjectNode();
        envelope.put("envelope_id", id);
        envelope.put("type", type);
        envelope.set("payload", payload);
        envelope.put("retry_attempt", 0);
        pending.put(id, envelope);
        send(envelope);
    }

    /** Ends the connection without a word. */
    public synchronized void drop() {
        Session open = session;
        session = null;
        if (open != null) {
            open.disconnect();
        }
    }

    /** How often somebody connected. */
    public synchronized int connections() {
        return connections;
    }

    /** The ids of the envelopes in the order of their acknowledgements, each time. */
    public synchronized List<String> acknowledged() {
        return List.copyOf(acknowledged);
    }

    private synchronized void opened(Session opened) {
        session = opened;
        connections++;
        send(JSON.createObjectNode().put("type", "hello"));
        pending.values().forEach(envelope -> {
            envelope.put("retry_attempt", envelope.path("retry_attempt").asInt(0) + 1);
            send(envelope);
        });
    }

    private synchronized void received(String text) {
        String id = JSON.readTree(text).path("envelope_id").asString("");
        acknowledged.add(id);
        pending.remove(id);
    }

    private void send(JsonNode message) {
        Session open = session;
        if (open != null) {
            open.sendText(message.toString(), Callback.NOOP);
        }
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("The stand-in for Socket Mode did not stop.", e);
        }
    }

    /** One connection of a desk. */
    public final class Link implements Session.Listener.AutoDemanding {
        @Override
        public void onWebSocketOpen(Session opened) {
            opened(opened);
        }

        @Override
        public void onWebSocketText(String text) {
            received(text);
        }
    }
}
