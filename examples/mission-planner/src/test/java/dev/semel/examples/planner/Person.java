package dev.semel.examples.planner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Somebody who sends requests. */
record Person(Planner planner, String organisation, String name, String token) {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    static String freshKey() {
        return UUID.randomUUID().toString();
    }

    /** The same person at another node. */
    Person at(Planner node) {
        return new Person(node, organisation, name, token);
    }

    Map<String, String> headers() {
        return Map.of("Authorization", "Bearer " + token);
    }

    HttpRequest.Builder request(String method, String path, String body) {
        return HttpRequest.newBuilder(planner.base().resolve(path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body));
    }

    HttpRequest.Builder keyed(String method, String path, String key, String body) {
        return request(method, path, body).header("Idempotency-Key", key);
    }

    PlannerResponse write(String method, String path, String key, String body) {
        return send(keyed(method, path, key, body));
    }

    PlannerResponse post(String path, String key, String body) {
        return write("POST", path, key, body);
    }

    PlannerResponse get(String path) {
        return send(request("GET", path, ""));
    }

    static PlannerResponse send(HttpRequest.Builder request) {
        try {
            return PlannerResponse.of(CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofByteArray()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static CompletableFuture<PlannerResponse> sending(HttpRequest.Builder request) {
        return CLIENT.sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray())
                .thenApply(PlannerResponse::of);
    }

    String newProject() {
        return made(post("/v1/projects", freshKey(), "{\"name\":\"Apollo\"}"));
    }

    String newMission(String project) {
        return made(post("/v1/projects/" + project + "/missions", freshKey(), "{\"name\":\"Land\"}"));
    }

    String newAssignment(String mission, String person) {
        return made(post("/v1/missions/" + mission + "/assignments", freshKey(), "{\"person\":\"" + person + "\"}"));
    }

    private static String made(PlannerResponse heard) {
        if (heard.status() != 201) {
            throw new AssertionError("Expected 201, heard " + heard);
        }
        return heard.text("id");
    }
}
