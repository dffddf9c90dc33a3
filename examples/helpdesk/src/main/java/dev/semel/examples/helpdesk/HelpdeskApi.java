package dev.semel.examples.helpdesk;

import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.policy.Classifier;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The helpdesk's API. Its errors are told in Semel's categories, by which the policy decides about retries. Thread-safe. */
final class HelpdeskApi {
    private static final JsonMapper JSON = JsonMapper.shared();

    private final URI base;
    private final Duration timeout;
    private final InstantSource clock;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();

    /**
     * @param timeout of one call
     * @param clock by which a Retry-After with a date is read
     */
    HelpdeskApi(URI base, Duration timeout, InstantSource clock) {
        this.base = base;
        this.timeout = timeout;
        this.clock = clock;
    }

    /** Does an action under its key, by which the helpdesk recognises a repetition. */
    void act(Action action) throws InterruptedException {
        Map<String, String> body = new LinkedHashMap<>();
        body.put("conversation_id", action.conversation());
        body.put("target", action.target() == null ? "" : action.target());
        body.put("text", action.text());
        exchange(HttpRequest.newBuilder(base.resolve("/" + action.kind()))
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", action.key().text())
                .POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body))));
    }

    /** The newest customer message of each ticket that has no tag of this name, as the helpdesk describes it. */
    List<JsonNode> ticketsWithout(String tag) throws InterruptedException {
        byte[] answer = exchange(HttpRequest.newBuilder(base.resolve("/tickets?without_tag=" + tag))
                .GET());
        List<JsonNode> tickets = new ArrayList<>();
        JSON.readTree(answer).forEach(tickets::add);
        return tickets;
    }

    /** A message by its ids. */
    TicketEvent message(MessageReference reference) throws InterruptedException {
        String query = "/message?conversation_id=" + encoded(reference.conversation()) + "&message_id="
                + encoded(reference.message());
        TicketEvent found = TicketEvent.of(JSON.readTree(
                exchange(HttpRequest.newBuilder(base.resolve(query)).GET())));
        return new TicketEvent(reference.conversation(), reference.message(), found.text(), found.createdAt());
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private byte[] exchange(HttpRequest.Builder request) throws InterruptedException {
        HttpResponse<byte[]> response;
        try {
            response = http.send(request.timeout(timeout).build(), BodyHandlers.ofByteArray());
        } catch (HttpTimeoutException e) {
            throw thrown(Category.TIMEOUT, "timed out after " + timeout.toMillis() + " ms", e);
        } catch (IOException e) {
            throw thrown(Category.NETWORK, "connection failed", e);
        }
        if (response.statusCode() >= 300) {
            throw Classifier.ofHttpStatus(
                            response.statusCode(),
                            response.headers().firstValue("Retry-After").orElse(null),
                            clock.instant())
                    .asException();
        }
        return response.body();
    }

    private static Failure.Thrown thrown(Category category, String what, Exception cause) {
        return new Failure.Thrown(
                Failure.of(category, "The helpdesk " + what + ".").withException(cause), cause);
    }
}
