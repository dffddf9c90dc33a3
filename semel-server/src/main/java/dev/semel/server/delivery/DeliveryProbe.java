package dev.semel.server.delivery;

import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.server.config.DestinationConfig;
import dev.semel.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/**
 * Sends a test event to a destination, signed and by the same rules as every delivery. Its {@code webhook-id} begins with
 * {@code semel-test-}, its body is {@code {"type":"semel.test"}}. It is recorded nowhere and changes no health.
 */
public final class DeliveryProbe {
    static final String ID_PREFIX = "semel-test-";
    private static final byte[] BODY = "{\"type\":\"semel.test\"}".getBytes(StandardCharsets.UTF_8);

    private final DeliveryClient client;
    private final TimeSource time;

    public DeliveryProbe(DeliveryClient client, TimeSource time) {
        this.client = client;
        this.time = time;
    }

    /**
     * What came of it.
     *
     * @param delivered whether the destination answered 2xx
     * @param status of the answer; null when there was none
     * @param words the same as a sentence, for people
     * @param answer the first kilobyte of the answer as text, without credentials; empty when there was none
     */
    public record ProbeResult(boolean delivered, @Nullable Integer status, String words, String answer) {}

    /**
     * Sends one test event with a client of its own.
     *
     * @throws SemelException when a header, a secret or a network of the destination is not valid
     */
    public static ProbeResult run(DestinationConfig config) throws InterruptedException {
        try (DeliveryClient client = DeliveryClient.start()) {
            return new DeliveryProbe(client, TimeSource.system()).send(config);
        }
    }

    /**
     * Sends one test event.
     *
     * @throws SemelException when a header, a secret or a network of the destination is not valid
     */
    public ProbeResult send(DestinationConfig config) throws InterruptedException {
        DestinationCall call = new DestinationCall(config, client);
        Instant started = Instant.ofEpochMilli(time.millis());
        long before = time.nanos();
        HttpFields.Mutable headers = RequestHeaders.passedOn("application/json", Map.of());
        headers.put(RequestHeaders.ATTEMPT, "1");
        HttpAnswer answer;
        try {
            answer = call.post(ID_PREFIX + UUID.randomUUID(), headers, started, BODY);
        } catch (Failure.Thrown e) {
            return new ProbeResult(false, null, sentence(e.failure()), "");
        }
        Failure failure = call.judge(answer, Instant.ofEpochMilli(time.millis()));
        long millis = Duration.ofNanos(time.nanos() - before).toMillis();
        return new ProbeResult(
                failure == null,
                answer.status(),
                failure == null
                        ? "Test event delivered: destination " + config.name() + " answered HTTP " + answer.status()
                                + " in " + millis + " ms."
                        : sentence(failure),
                answer.excerpt());
    }

    private static String sentence(Failure failure) {
        return "Test event failed (" + failure.category().code() + "): " + failure.reason();
    }
}
