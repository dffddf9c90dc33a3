package dev.semel.http.ingress;

import dev.semel.Channel;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.http.Container;
import dev.semel.http.ReceivedResponse;
import dev.semel.http.TestDatabase;
import dev.semel.store.Store;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** A servlet on a real container and ledger, and a client that sends webhooks to it. */
final class Endpoint implements AutoCloseable {
    static final Channel.Atomic<Webhook> INBOX = Webhook.atomic("inbox");
    static final long NOW = 1_700_000_000;

    /** Where messages are kept. Opening it again is a restart, or another node. */
    enum LedgerKind {
        MEMORY {
            @Override
            Supplier<Store> fresh() {
                MemoryStore store = new MemoryStore(TimeSource.system());
                return () -> store;
            }
        },
        SQLITE {
            @Override
            Supplier<Store> fresh() {
                TestDatabase database = TestDatabase.Kind.SQLITE.fresh();
                return () -> database.open(null);
            }
        },
        POSTGRESQL {
            @Override
            Supplier<Store> fresh() {
                TestDatabase database = TestDatabase.Kind.POSTGRESQL.fresh();
                return () -> database.open(null);
            }
        };

        abstract Supplier<Store> fresh();
    }

    private final Sender sender;
    private final Engine engine;
    private final Store store;
    private final URI uri;
    private final AtomicLong clock;

    private Endpoint(Sender sender, Engine engine, Store store, URI uri, AtomicLong clock) {
        this.sender = sender;
        this.engine = engine;
        this.store = store;
        this.uri = uri;
        this.clock = clock;
    }

    static Endpoint open(Sender sender, Container container, Supplier<Store> ledger) {
        return open(sender, container, EngineSettings::on, ledger.get(), UnaryOperator.identity());
    }

    static Endpoint open(Sender sender, Container container, UnaryOperator<WebhookSource> change) {
        return open(sender, container, EngineSettings::on, new MemoryStore(TimeSource.system()), change);
    }

    static Endpoint open(
            Sender sender,
            Container container,
            Function<Store, EngineSettings> settings,
            Store store,
            UnaryOperator<WebhookSource> change) {
        return serving(sender, container, settings.apply(store).open(), store, (engine, clock) -> {
            WebhookSource source =
                    sender.source(WebhookSecrets.of(sender.secret)).withClock(() -> Instant.ofEpochSecond(clock.get()));
            return new WebhookServlet(engine, INBOX, change.apply(source));
        });
    }

    static Endpoint serving(
            Sender sender,
            Container container,
            Engine engine,
            Store store,
            BiFunction<Engine, AtomicLong, WebhookServlet> making) {
        AtomicLong clock = new AtomicLong(NOW);
        try {
            WebhookServlet servlet = making.apply(engine, clock);
            int port =
                    container.serve((request, response, chain) -> chain.doFilter(request, response), servlet::service);
            return new Endpoint(sender, engine, store, URI.create("http://127.0.0.1:" + port + "/"), clock);
        } catch (RuntimeException e) {
            engine.close();
            throw e;
        }
    }

    Engine engine() {
        return engine;
    }

    URI uri() {
        return uri;
    }

    /** The clock of the servlet. */
    void at(long seconds) {
        clock.set(seconds);
    }

    /** How many messages wait in the channel. */
    long messages() {
        return store.queue().orElseThrow().backlog(INBOX.name()).waiting();
    }

    /** A webhook of this event as the sender sends it, signed now. */
    HttpRequest.Builder webhook(String id, String body) {
        return webhook(id, clock.get(), Sender.utf8(body));
    }

    HttpRequest.Builder webhook(String id, long time, byte[] body) {
        return request(sender.headers(sender.secret, new Sender.Event(id, time, body)), body);
    }

    HttpRequest.Builder request(Map<String, String> headers, byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofByteArray(body));
        headers.forEach(request::header);
        return request;
    }

    ReceivedResponse send(HttpRequest.Builder request) {
        try {
            return ReceivedResponse.of(client().send(request.build(), HttpResponse.BodyHandlers.ofByteArray()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    CompletableFuture<ReceivedResponse> sending(HttpClient client, HttpRequest.Builder request) {
        return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray())
                .thenApply(ReceivedResponse::of);
    }

    /** A client of its own: a container may close a connection behind an answer to an unread request. */
    static HttpClient client() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    @Override
    public void close() {
        engine.close();
    }
}
