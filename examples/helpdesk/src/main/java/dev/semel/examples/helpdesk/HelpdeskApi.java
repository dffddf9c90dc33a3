package dev.semel.examples.helpdesk;

import dev.semel.Failure;
import dev.semel.Failure.Category;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
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
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();

    /** @param timeout of one call */
    HelpdeskApi(URI base, Duration timeout) {
        this.base = base;
        this.timeout = timeout;
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

    /** The newest customer message of each ticket that has no tag of this name. */
    List<TicketEvent> ticketsWithout(String tag) throws InterruptedException {
        byte[] answer = exchange(HttpRequest.newBuilder(base.resolve("/tickets?without_tag=" + tag))
                .GET());
        List<TicketEvent> events = new ArrayList<>();
        for (JsonNode each : JSON.readTree(answer)) {
            events.add(TicketEvent.of(each));
        }
        return events;
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
            throw refused(response);
        }
        return response.body();
    }

    private static Failure.Thrown refused(HttpResponse<byte[]> response) {
        Failure failure =
                Failure.of(category(response.statusCode()), "The helpdesk answered " + response.statusCode() + ".");
        return response.headers()
                .firstValue("Retry-After")
                .filter(value -> value.matches("\\d{1,9}"))
                .map(value -> failure.withRetryAfter(Duration.ofSeconds(Long.parseLong(value))))
                .orElse(failure)
                .asException();
    }

    private static Category category(int status) {
        return switch (status) {
            case 401, 403 -> Category.AUTH;
            case 404 -> Category.NOT_FOUND;
            case 408 -> Category.TIMEOUT;
            case 429 -> Category.RATE_LIMITED;
            default -> status >= 500 ? Category.UPSTREAM_ERROR : Category.VALIDATION;
        };
    }

    private static Failure.Thrown thrown(Category category, String what, Exception cause) {
        return new Failure.Thrown(
                Failure.of(category, "The helpdesk " + what + ".").withException(cause), cause);
    }
}
