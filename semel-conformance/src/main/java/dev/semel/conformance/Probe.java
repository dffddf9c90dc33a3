package dev.semel.conformance;

import dev.semel.SemelException;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Sends requests to the service. Every key and every payload is new: no earlier run has used it. */
final class Probe {
    static final String KEY = "Idempotency-Key";
    private static final Duration BOUND = Duration.ofSeconds(30);

    private final Target target;
    private final String run = UUID.randomUUID().toString().substring(0, 13);
    private final TimeSource time = TimeSource.system();
    private int used;

    Probe(Target target) {
        this.target = target;
    }

    /**
     * A client with connections of its own, for one request or for some at once. A server may close a connection after any response, such
     * as one to a request that it has not read to its end. A request that reuses such a connection fails through no fault of the service.
     */
    private static HttpClient client() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(10))
                .build();
    }

    Target target() {
        return target;
    }

    String freshKey() {
        return "conformance-" + run + "-" + ++used;
    }

    String freshBody() {
        return body(run + "-" + ++used);
    }

    String body(String text) {
        return target.body().replace(Target.MARK, text);
    }

    /** A POST of the usual caller. */
    HttpRequest.Builder post(@Nullable String key, String body) {
        return post(target.url(), target.callers().caller(), key, BodyPublishers.ofString(body));
    }

    HttpRequest.Builder post(URI url, @Nullable String key, String body) {
        return post(url, target.callers().caller(), key, BodyPublishers.ofString(body));
    }

    HttpRequest.Builder postAs(Map<String, String> who, @Nullable String key, String body) {
        return post(target.url(), who, key, BodyPublishers.ofString(body));
    }

    HttpRequest.Builder post(URI url, Map<String, String> who, @Nullable String key, BodyPublisher body) {
        HttpRequest.Builder request = request(url, who).header("Content-Type", "application/json");
        if (key != null) {
            request.header(KEY, key);
        }
        return request.POST(body);
    }

    /** A request of the usual caller that changes nothing. */
    HttpRequest.Builder harmless(String method) {
        return request(target.url(), target.callers().caller()).method(method, BodyPublishers.noBody());
    }

    private static HttpRequest.Builder request(URI url, Map<String, String> who) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url).timeout(BOUND);
        who.forEach(request::setHeader);
        return request;
    }

    ProbeResponse send(HttpRequest.Builder request) {
        try {
            return new ProbeResponse(client().send(request.build(), BodyHandlers.ofByteArray()));
        } catch (IOException e) {
            throw unanswered(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private SemelException.StoreUnavailable unanswered(IOException e) {
        return new SemelException.StoreUnavailable(
                "Request to " + target.url() + " failed (" + e
                        + "). Check that the service is running and that the URL is correct.",
                e);
    }

    /** Sends all requests concurrently. */
    List<ProbeResponse> sendAll(List<HttpRequest.Builder> requests) {
        HttpClient client = client();
        List<CompletableFuture<ProbeResponse>> sent = requests.stream()
                .map(request -> client.sendAsync(request.build(), BodyHandlers.ofByteArray())
                        .thenApply(ProbeResponse::new))
                .toList();
        List<ProbeResponse> replies = new ArrayList<>();
        for (CompletableFuture<ProbeResponse> each : sent) {
            try {
                replies.add(each.get());
            } catch (ExecutionException e) {
                throw new SemelException.StoreUnavailable(
                        "One of " + requests.size() + " concurrent requests to " + target.url() + " failed"
                                + " (" + e.getCause()
                                + "). Check that the service is running.",
                        e);
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }
        return replies;
    }

    /** Sends a request and closes the connection before the whole response is read. */
    void hangUp(String key, String body, AbortedRequest.AbortPoint when) {
        Map<String, String> headers = new LinkedHashMap<>(target.callers().caller());
        headers.put(KEY, key);
        try {
            AbortedRequest.send(target.url(), headers, body, when);
        } catch (IOException e) {
            throw unanswered(e);
        }
    }

    void pause(Duration length) {
        try {
            time.sleep(length);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** The number of effects; null when the target has no URL that counts them. */
    @Nullable
    Long effects() {
        URI count = target.places().count();
        if (count == null) {
            return null;
        }
        ProbeResponse reply = send(request(count, target.callers().caller()).GET());
        JsonNode node = Json.read(reply.body());
        if (node == null || !(node.isArray() || node.isIntegralNumber())) {
            throw new SemelException.Invalid("Counting effects failed: GET " + count + " responded " + reply.told()
                    + ", and the body is neither a number nor an array.");
        }
        return node.isArray() ? node.size() : node.asLong();
    }

    private static SemelException.StoreUnavailable interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new SemelException.StoreUnavailable("The conformance suite was interrupted.", e);
    }
}
