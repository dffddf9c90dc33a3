package dev.semel.examples.desk.slack;

import dev.semel.Answer;
import dev.semel.AtomicContext;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.http.ingress.Webhook;
import dev.semel.key.Keys;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Slack by WebSocket, for a desk that no request from outside reaches. An envelope is acknowledged when it is durable; what was not
 * acknowledged before a connection was lost comes again on the next one, and is recognised by its key.
 */
public final class SocketMode implements AutoCloseable {
    // region receive
    /** One attempt and no dead letters: what cannot be stored is not acknowledged, and Slack delivers it again. */
    static final Operation.Atomic<Envelope, Void> RECEIVE = Operation.atomic(
                    "slack.receive", Envelope.class, Void.class)
            .withPolicy(Policy.INGRESS_ACK)
            .withTransportFields("retryAttempt");
    // endregion

    private static final JsonMapper JSON = JsonMapper.shared();

    private final Semel semel;
    private final SlackApi slack;
    private final HttpClient http = HttpClient.newHttpClient();
    private final Thread thread = new Thread(this::stayConnected, "slack-socket");
    private volatile boolean closed;
    private volatile @Nullable WebSocket current;

    public SocketMode(Semel semel, SlackApi slack) {
        this.semel = semel;
        this.slack = slack;
    }

    /** Connects, and connects again whenever the connection is lost, until this is closed. */
    public void start() {
        thread.setDaemon(true);
        thread.start();
    }

    private void stayConnected() {
        while (!closed) {
            try {
                Connection connection = new Connection();
                current = semel.retry(
                        Call.Keyless.of("slack-socket.connect", Policy.SLACK_MESSAGE),
                        () -> http.newWebSocketBuilder()
                                .buildAsync(slack.openConnection(), connection)
                                .get(10, TimeUnit.SECONDS));
                connection.ended.join();
            } catch (SemelException e) {
                if (Thread.interrupted()) {
                    return;
                }
            }
        }
    }

    /**
     * Makes an envelope durable, once.
     *
     * @return whether it may be acknowledged
     */
    private boolean receive(JsonNode envelope) {
        String type = envelope.path("type").asString("");
        JsonNode payload = envelope.path("payload");
        Envelope received =
                new Envelope(type, payload, envelope.path("retry_attempt").asInt(0));
        Key key = Keys.event(
                "slack-socket", type, SlackRequest.ofEnvelope(type, payload).requestId());
        Answer<Void> answer =
                semel.run(RECEIVE, Call.of(Tenant.SINGLE, key, received), (stored, tx) -> enqueue(stored, key, tx));
        // A conflict will not become anything else: the first one is kept, and Slack need not send it again.
        return answer.isResult() || answer instanceof Answer.Conflict;
    }

    private static @Nullable Void enqueue(Envelope envelope, Key key, AtomicContext tx) {
        byte[] body = envelope.payload().toString().getBytes(StandardCharsets.UTF_8);
        Webhook.Transport transport = new Webhook.Transport(
                "application/json", Map.of(SlackRequest.ENVELOPE_HEADER, envelope.type()), Instant.EPOCH);
        tx.send(
                Inbox.REQUESTS,
                key,
                new Webhook("slack-socket", Keys.contentHash(body).text(), body, null, transport));
        return null;
    }

    @Override
    public void close() {
        closed = true;
        WebSocket open = current;
        if (open != null) {
            open.abort();
        }
        thread.interrupt();
    }

    /** One connection. Its methods are called one after the other. */
    private final class Connection implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();
        private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                JsonNode envelope = JSON.readTree(text.toString());
                text.setLength(0);
                take(socket, envelope);
            }
            socket.request(1);
            return null;
        }

        private void take(WebSocket socket, JsonNode envelope) {
            if (envelope.path("type").asString("").equals("disconnect")) {
                socket.abort();
                ended.complete(null);
            } else if (envelope.has("envelope_id") && receive(envelope)) {
                socket.sendText(
                        JSON.writeValueAsString(Map.of(
                                "envelope_id", envelope.path("envelope_id").asString(""))),
                        true);
            }
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            ended.complete(null);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            ended.complete(null);
        }
    }
}
