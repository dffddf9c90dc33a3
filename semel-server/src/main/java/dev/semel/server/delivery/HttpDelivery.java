package dev.semel.server.delivery;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.LeasedContext;
import dev.semel.SemelException;
import dev.semel.http.ingress.Webhook;
import dev.semel.server.config.DestinationConfig;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import org.eclipse.jetty.http.HttpFields;

/**
 * Delivers the webhooks of one destination by HTTP POST. The raw body is sent as it came, under a key that is the same in every attempt
 * ({@code Idempotency-Key}, {@code webhook-id}), with the fence and the number of the attempt. Every answer but 2xx is thrown as the failure
 * that it amounts to, by which the policy of the channel decides. What came of each attempt is noted for the audit. Thread-safe.
 */
public final class HttpDelivery implements Channel.LeasedDelivery<Webhook> {
    private final DestinationCall call;
    private final DestinationHealth health;
    private final TimeSource time;

    /**
     * @param client shared by all destinations
     * @throws SemelException when a header, a secret or a network of the destination is not valid
     */
    public HttpDelivery(DestinationConfig config, DeliveryClient client, DestinationHealth health, TimeSource time) {
        this.call = new DestinationCall(config, client);
        this.health = health;
        this.time = time;
    }

    @Override
    public void handle(Webhook webhook, LeasedContext run) throws InterruptedException {
        Instant started = Instant.ofEpochMilli(time.millis());
        long before = time.nanos();
        HttpAnswer answer = null;
        Failure.Thrown thrown = null;
        try {
            answer = call.post(run.downstreamKey(), headers(webhook, run), started, webhook.body());
            Failure failure = call.judge(answer, Instant.ofEpochMilli(time.millis()));
            thrown = failure == null ? null : failure.asException();
        } catch (Failure.Thrown noAnswer) {
            thrown = noAnswer;
        }
        Failure failure = thrown == null ? null : thrown.failure();
        AttemptRecord.note(run, answer, Duration.ofNanos(time.nanos() - before));
        if (!run.replayed()) {
            health.ended(failure);
        }
        if (thrown != null) {
            throw thrown;
        }
    }

    private static HttpFields.Mutable headers(Webhook webhook, LeasedContext run) {
        HttpFields.Mutable headers = RequestHeaders.passedOn(
                webhook.transport().contentType(), webhook.transport().headers());
        headers.put(RequestHeaders.FENCE, Long.toString(run.fence()));
        headers.put(RequestHeaders.ATTEMPT, Integer.toString(run.attempt()));
        if (RequestHeaders.isPrintable(run.correlationId())) {
            headers.put(RequestHeaders.CORRELATION, run.correlationId());
        }
        return headers;
    }
}
