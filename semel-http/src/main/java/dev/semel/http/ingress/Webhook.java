package dev.semel.http.ingress;

import dev.semel.Channel;
import dev.semel.Policy;
import dev.semel.key.ValueCodec;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A webhook in its channel. Source and digest decide whether a second webhook with the same key is a duplicate or a conflict. Everything
 * else is transport: a redelivery may differ in it.
 *
 * @param source name of the {@link WebhookSource}
 * @param digest of the body, without fields that the sender changes between deliveries
 * @param body the raw bytes, exactly as they were signed; do not change them
 * @param lane by the lane rule of the source; null without one
 * @param transport of the first delivery
 */
@SuppressWarnings("ArrayRecordComponent") // a message is read once; equality of webhooks is that of their keys
public record Webhook(
        String source, String digest, byte[] body, @Nullable String lane, Transport transport)
        implements ValueCodec.Own {

    /**
     * The policy of {@link #atomic} and {@link #leased}: {@code worker.job}, and messages are remembered for 30 days, longer than any
     * sender redelivers.
     */
    public static final Policy INBOX = Policy.WORKER_JOB.toBuilder()
            .withName("webhook.inbox")
            .withRetention(Policy.Retention.WEBHOOKS)
            .build();

    static final String[] TRANSPORT_FIELDS = {"body", "lane", "transport"};

    /**
     * How a delivery came in.
     *
     * @param contentType null when none was sent
     * @param headers the kept ones, by their names in lower case
     * @param received by the clock of the node
     */
    public record Transport(@Nullable String contentType, Map<String, String> headers, Instant received) {
        public Transport {
            headers = Map.copyOf(headers);
        }
    }

    /** A channel for webhooks whose handler writes to the ledger's own database. */
    public static Channel.Atomic<Webhook> atomic(String name) {
        return Channel.atomic(name, Webhook.class)
                .withTransportFields(TRANSPORT_FIELDS)
                .withLane(Webhook::lane)
                .withPolicy(INBOX);
    }

    /** A channel for webhooks whose handler calls out. */
    public static Channel.Leased<Webhook> leased(String name) {
        return Channel.leased(name, Webhook.class)
                .withTransportFields(TRANSPORT_FIELDS)
                .withLane(Webhook::lane)
                .withPolicy(INBOX);
    }

    /** The body as UTF-8 text. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** A kept header of the first delivery, by its name in any case. */
    public Optional<String> header(String name) {
        return Optional.ofNullable(transport.headers.get(name.toLowerCase(Locale.ROOT)));
    }

    /** Without the body, which may hold personal data. */
    @Override
    public String toString() {
        return "Webhook[" + source + ", " + body.length + " bytes]";
    }
}
