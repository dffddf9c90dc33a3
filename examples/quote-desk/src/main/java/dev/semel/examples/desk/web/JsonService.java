package dev.semel.examples.desk.web;

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
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Another service that speaks JSON by HTTP. What goes wrong is said in Semel's categories, so that the policy of a channel can decide:
 * 429 and 5xx are retried, a mapping error is not, an expired login pauses the channel. Thread-safe.
 */
public final class JsonService {
    private static final JsonMapper JSON = JsonMapper.shared();

    private final String name;
    private final URI base;
    private final Duration timeout;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();

    /**
     * @param name of the service in sentences for people, such as "CRM"
     * @param timeout of one call
     */
    public JsonService(String name, URI base, Duration timeout) {
        this.name = name;
        this.base = base;
        this.timeout = timeout;
    }

    /** Reads from a path. */
    public JsonNode get(String path) throws InterruptedException {
        return exchange(HttpRequest.newBuilder(base.resolve(path)).GET());
    }

    /** Sends JSON to a path with further headers. */
    public JsonNode post(String path, Object body, Map<String, String> headers) throws InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(base.resolve(path))
                .header("Content-Type", "application/json; charset=utf-8")
                .POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)));
        headers.forEach(request::header);
        return exchange(request);
    }

    /** Sends bytes to an address that the service has named. */
    public void upload(URI address, byte[] content) throws InterruptedException {
        exchange(HttpRequest.newBuilder(address)
                .header("Content-Type", "application/octet-stream")
                .POST(BodyPublishers.ofByteArray(content)));
    }

    private JsonNode exchange(HttpRequest.Builder request) throws InterruptedException {
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
        return json(response.body());
    }

    private Failure.Thrown refused(HttpResponse<byte[]> response) {
        Failure failure = Failure.of(category(response.statusCode()), name + " " + reason(response));
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
            case 409 -> Category.CONFLICT;
            case 422 -> Category.MAPPING;
            case 429 -> Category.RATE_LIMITED;
            default -> status >= 500 ? Category.UPSTREAM_ERROR : Category.VALIDATION;
        };
    }

    private String reason(HttpResponse<byte[]> response) {
        String said;
        try {
            said = JSON.readTree(response.body()).path("error").asString("");
        } catch (JacksonException e) {
            said = "";
        }
        return switch (response.statusCode()) {
            case 401, 403 -> "login expired";
            case 422 -> "mapping mismatch" + (said.isEmpty() ? "" : ": " + said);
            case 429 -> "rate limit reached";
            default -> "answered " + response.statusCode() + (said.isEmpty() ? "" : ": " + said);
        };
    }

    private JsonNode json(byte[] body) {
        try {
            return JSON.readTree(body.length == 0 ? "{}".getBytes(java.nio.charset.StandardCharsets.UTF_8) : body);
        } catch (JacksonException e) {
            throw thrown(Category.UPSTREAM_ERROR, "answered something that is not JSON", e);
        }
    }

    private Failure.Thrown thrown(Category category, String what, Exception cause) {
        return new Failure.Thrown(Failure.of(category, name + " " + what).withException(cause), cause);
    }
}
