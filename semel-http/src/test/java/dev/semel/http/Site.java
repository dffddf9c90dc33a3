package dev.semel.http;

import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.store.MemoryStore;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** A server with the filter and a handler, and a client that asks it. */
final class Site implements AutoCloseable {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Engine engine;
    private final URI base;

    private Site(Engine engine, URI base) {
        this.engine = engine;
        this.base = base;
    }

    /** On a ledger in memory; everybody's tenant is what follows the at sign of their name. */
    static Site open(Container container, UnaryOperator<HttpSettings> settings, App app) {
        return open(container, EngineSettings.on(new MemoryStore(TimeSource.system())), settings, app);
    }

    static Site open(Container container, Store store, UnaryOperator<HttpSettings> settings, App app) {
        return open(container, EngineSettings.on(store), settings, app);
    }

    static Site open(Container container, EngineSettings engine, UnaryOperator<HttpSettings> settings, App app) {
        Engine opened = engine.open();
        IdempotencyFilter filter = settings.apply(IdempotencyFilter.on(opened)).build();
        return new Site(opened, URI.create("http://127.0.0.1:" + container.serve(filter, app)));
    }

    /** Tenants are written behind the at sign. */
    static HttpSettings tenants(HttpSettings settings) {
        return settings.withTenant(request -> {
            String name = request.getUserPrincipal().getName();
            return name.contains("@") ? name.substring(name.indexOf('@') + 1) : null;
        });
    }

    Engine engine() {
        return engine;
    }

    URI at(String path) {
        return base.resolve(path);
    }

    /** A request of alice's. */
    HttpRequest.Builder request(String method, String path, String body) {
        return HttpRequest.newBuilder(at(path))
                .header("X-User", "alice@acme")
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body));
    }

    HttpRequest.Builder post(String path, String key, String body) {
        return request("POST", path, body).header("Idempotency-Key", key);
    }

    HttpResponse<byte[]> send(HttpRequest.Builder request) {
        try {
            return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    CompletableFuture<HttpResponse<byte[]>> sending(HttpRequest.Builder request) {
        return CLIENT.sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    @Override
    public void close() {
        engine.close();
    }
}
