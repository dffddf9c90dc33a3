package dev.semel.http;

import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** A server with the filter and a handler, and a client that asks it. */
final class FilteredServer implements AutoCloseable {
    static final HttpClient CLIENT = client();

    private final Engine engine;
    private final URI base;
    private volatile HttpClient client = CLIENT;

    private FilteredServer(Engine engine, URI base) {
        this.engine = engine;
        this.base = base;
    }

    /** On a ledger in memory, where everybody's tenant is what follows the at sign of their name. */
    static FilteredServer open(Container container, App app) {
        return open(container, UnaryOperator.identity(), app);
    }

    static FilteredServer open(Container container, UnaryOperator<HttpSettings> settings, App app) {
        return open(container, EngineSettings.on(new MemoryStore(TimeSource.system())), settings, app);
    }

    static FilteredServer open(
            Container container, EngineSettings engine, UnaryOperator<HttpSettings> settings, App app) {
        return with(container, engine, filter -> settings.apply(tenants(filter)), app);
    }

    /** As {@link #open}, with all of the filter's settings. */
    static FilteredServer with(
            Container container, EngineSettings engine, UnaryOperator<HttpSettings> settings, App app) {
        return serving(container, engine.open(), settings, UnaryOperator.identity(), app);
    }

    /** Another filter's change to a request in front of ours. */
    @FunctionalInterface
    interface Earlier {
        void meets(ServletRequest request, HttpServletResponse response);
    }

    /** As {@link #open}, behind another filter. */
    static FilteredServer behind(Container container, Earlier earlier, UnaryOperator<HttpSettings> settings, App app) {
        return serving(
                container,
                EngineSettings.on(new MemoryStore(TimeSource.system())).open(),
                filter -> settings.apply(tenants(filter)),
                filter -> (request, response, chain) -> {
                    earlier.meets(request, (HttpServletResponse) response);
                    filter.doFilter(request, response, chain);
                },
                app);
    }

    private static FilteredServer serving(
            Container container,
            Engine opened,
            UnaryOperator<HttpSettings> settings,
            UnaryOperator<Filter> around,
            App app) {
        try {
            Filter filter =
                    around.apply(settings.apply(IdempotencyFilter.on(opened)).build());
            return new FilteredServer(opened, URI.create("http://127.0.0.1:" + container.serve(filter, app)));
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private static HttpSettings tenants(HttpSettings settings) {
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

    /** A request of alice's, without a key. */
    HttpRequest.Builder request(String method, String path, String body) {
        return requestOf("alice@acme", method, path, body);
    }

    HttpRequest.Builder requestOf(String user, String method, String path, String body) {
        return HttpRequest.newBuilder(at(path))
                .header("X-User", user)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body));
    }

    HttpRequest.Builder post(String path, String key, String body) {
        return request("POST", path, body).header("Idempotency-Key", key);
    }

    ReceivedResponse send(HttpRequest.Builder request) {
        try {
            ReceivedResponse received =
                    ReceivedResponse.of(client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray()));
            if (received.status() >= 400) {
                client = client();
            }
            return received;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * With connections of its own. A container may close a connection behind an answer that it gave before it had the
     * whole request, and a client that reuses the connection at that moment gets no error.
     */
    private static HttpClient client() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    CompletableFuture<ReceivedResponse> sending(HttpRequest.Builder request) {
        return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray())
                .thenApply(ReceivedResponse::of);
    }

    @Override
    public void close() {
        engine.close();
    }
}
