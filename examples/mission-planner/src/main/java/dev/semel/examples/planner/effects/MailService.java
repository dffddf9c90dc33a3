package dev.semel.examples.planner.effects;

import dev.semel.Failure;
import dev.semel.http.RetryingClient;
import dev.semel.policy.Classifier;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import tools.jackson.databind.json.JsonMapper;

/** A mail service that is called by HTTP under the key of the delivery, so that it can detect duplicates. */
final class MailService implements Notifier {
    private static final int REDIRECTED = 300;

    private final URI address;
    private final Duration timeout;
    private final RetryingClient client;
    private final Clock clock = Clock.systemUTC();

    /** @param timeout of one call */
    MailService(URI address, Duration timeout, RetryingClient client) {
        this.address = address;
        this.timeout = timeout;
        this.client = client;
    }

    @Override
    public void tell(Note note, Delivery delivery) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address)
                .timeout(timeout)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", delivery.key())
                .header("X-Correlation-ID", delivery.correlationId())
                .POST(HttpRequest.BodyPublishers.ofString(JsonMapper.shared().writeValueAsString(note)));
        if (delivery.by().requestId() != null) {
            request.header("X-Request-ID", delivery.by().requestId());
        }
        HttpResponse<Void> answer = sent(request.build());
        if (answer.statusCode() >= REDIRECTED) {
            String wait = answer.headers().firstValue("Retry-After").orElse(null);
            throw Classifier.ofHttpStatus(answer.statusCode(), wait, clock.instant())
                    .asException();
        }
    }

    private HttpResponse<Void> sent(HttpRequest request) {
        try {
            return client.send(request, HttpResponse.BodyHandlers.discarding());
        } catch (IOException e) {
            throw new Failure.Thrown(
                    Failure.of(Failure.Category.NETWORK, "Connection to the mail service failed; retrying."), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure.Thrown(
                    Failure.of(Failure.Category.TIMEOUT, "Interrupted before the mail service responded."), e);
        }
    }
}
