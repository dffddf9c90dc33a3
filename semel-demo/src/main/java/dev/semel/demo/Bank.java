package dev.semel.demo;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.semel.demo.DeliveryLog.Arrival;
import dev.semel.testkit.history.Event.Reception;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The unreliable service to which the webhooks are delivered: an HTTP server on loopback that fails in every way it can, books once for
 * each {@code Idempotency-Key}, and logs every arrival. Each column of the score has a path and a log of its own.
 */
final class Bank implements AutoCloseable {
    static final String KEY = "Idempotency-Key";

    private static final String FENCE = "Semel-Fence";
    private static final String ATTEMPT = "Semel-Attempt";
    private static final int BACKLOG = 200;
    private static final Duration SLOWEST = Duration.ofMillis(1_800);
    private static final int BOOKED = 204;
    private static final int REFUSED = 409;

    private final String run;
    private final BankFaults faults;
    private final Function<Headers, @Nullable String> keys;
    private final RandomGenerator random;
    private final TimeSource time = TimeSource.system();
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /**
     * How the bank works.
     *
     * @param random decides when it fails, and how; thread-safe
     * @param keys what a request says repetitions are told by
     */
    record Rules(RandomGenerator random, Function<Headers, @Nullable String> keys) {
        /** It checks keys. */
        static Rules usual(RandomGenerator random) {
            return new Rules(random, headers -> headers.getFirst(KEY));
        }
    }

    Bank(String run, Rules rules) {
        this.run = run;
        this.random = rules.random();
        this.faults = new BankFaults(random);
        this.keys = rules.keys();
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        } catch (IOException e) {
            throw new UncheckedIOException("The demo cannot listen on loopback.", e);
        }
        server.setExecutor(threads);
        server.start();
    }

    /** Opens a path whose deliveries go into a log. */
    URI open(String path, DeliveryLog log) {
        server.createContext("/" + path, exchange -> receive(exchange, log));
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/" + path);
    }

    private void receive(HttpExchange exchange, DeliveryLog log) throws IOException {
        try (exchange) {
            Arrival arrival = arrival(exchange);
            if (!arrival.event().run().equals(run)) {
                // left by an earlier demo on the same ledger
                exchange.sendResponseHeaders(BOOKED, -1);
                return;
            }
            log.arrives(arrival);
            switch (faults.next()) {
                case BOOKS -> exchange.sendResponseHeaders(booked(log, arrival), -1);
                case BOOKS_SLOWLY -> {
                    time.sleep(Duration.ofMillis(random.nextLong(SLOWEST.toMillis())));
                    exchange.sendResponseHeaders(booked(log, arrival), -1);
                }
                case ANSWERS_500 -> exchange.sendResponseHeaders(500, -1);
                case ANSWERS_429 -> {
                    exchange.getResponseHeaders().set("Retry-After", "1");
                    exchange.sendResponseHeaders(429, -1);
                }
                case CUTS -> {} // the connection is closed below
                case BOOKS_AND_CUTS -> booked(log, arrival);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int booked(DeliveryLog log, Arrival arrival) {
        return log.books(arrival) == Reception.REFUSED ? REFUSED : BOOKED;
    }

    private Arrival arrival(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        Headers headers = exchange.getRequestHeaders();
        ShopEvent event =
                ShopEvent.of(JsonMapper.shared().readTree(body).path("id").asString());
        return new Arrival(event, keys.apply(headers), number(headers, FENCE), (int) number(headers, ATTEMPT), body);
    }

    private static long number(Headers headers, String name) {
        String value = headers.getFirst(name);
        return value == null ? 0 : Long.parseLong(value);
    }

    /** From now on it fails no more. */
    void calmDown() {
        faults.calmDown();
    }

    /** How often it behaved in each way. */
    Map<String, Long> behaviour() {
        return faults.counts();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
