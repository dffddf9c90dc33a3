package dev.semel.conformance;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * A service without Semel that keeps the contract as far as it can be seen from outside, except for one flaw: what the
 * conformance suite has to find.
 */
final class BrokenServer implements AutoCloseable {
    static final String LARGEST = "10000";

    static {
        // Otherwise each answer waits 40 ms for an acknowledgement.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    /** With the row that must find it. */
    enum Flaw {
        NONE(""),
        NEEDS_NO_KEY("key.required"),
        KEY_FROM_QUERY("key.in_query"),
        TAKES_EMPTY_KEYS("key.empty"),
        WANTS_SHORT_KEYS("key.longest"),
        TAKES_LONG_KEYS("key.too_long"),
        TAKES_SPACES("key.not_visible"),
        TAKES_THE_FIRST_OF_TWO("key.twice"),
        TOUCHES_GET("key.get_untouched"),
        TOUCHES_OPTIONS("key.options_untouched"),
        RUNS_AGAIN("replay.bytes"),
        REPLAYS_OTHER_BYTES("replay.bytes"),
        FORGETS_HEADERS("replay.headers"),
        KEEPS_COOKIES("replay.never"),
        TAKES_EFFECT_TWICE("replay.effect"),
        LOOKS_THEN_RUNS("concurrent.one_runs"),
        IGNORES_THE_PAYLOAD("payload.mismatch"),
        COMPARES_BYTES("payload.respelled"),
        COMPARES_RAW_QUERIES("payload.query_order"),
        IGNORES_THE_QUERY("payload.query"),
        IGNORES_THE_PATH("payload.path"),
        IGNORES_THE_ROUTE("scope.route"),
        IGNORES_TENANTS("scope.tenant"),
        IGNORES_PRINCIPALS("scope.principal"),
        RECORDS_ANYBODY("anonymous.no_record"),
        REPLAYS_TO_ANYBODY("anonymous.no_replay"),
        TAKES_ANY_LENGTH("body.too_large"),
        RUNS_HALF_BODIES("body.short"),
        ANSWERS_ONCE("client.gone"),
        LOSES_IDS("ids.returned"),
        MAKES_NO_IDS("ids.made"),
        TELLS_ITS_STACK("problem.shape"),
        ANSWERS_PLAIN_TEXT("problem.shape");

        private final String row;

        Flaw(String row) {
            this.row = row;
        }

        String row() {
            return row;
        }
    }

    private record Answer(String fingerprint, String correlation, byte[] body) {}

    private final Flaw flaw;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, Answer> records = new ConcurrentHashMap<>();
    private final AtomicInteger effects = new AtomicInteger();
    private final JsonMapper mapper = new JsonMapper();

    /** Two that looked at once and found nothing; only a flaw waits for them. */
    private final Map<String, CountDownLatch> looked = new ConcurrentHashMap<>();

    private volatile String row = "";

    BrokenServer(Flaw flaw) {
        this.flaw = flaw;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    URI at(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            switch (exchange.getRequestMethod()) {
                case "POST" -> post(exchange);
                case "OPTIONS" -> harmless(exchange, Flaw.TOUCHES_OPTIONS);
                default -> harmless(exchange, Flaw.TOUCHES_GET);
            }
        }
    }

    private void harmless(HttpExchange exchange, Flaw touches) throws IOException {
        if (flaw == touches && exchange.getRequestHeaders().containsKey("Idempotency-Key")) {
            refuse(exchange, ExpectedProblem.KEY_INVALID);
            return;
        }
        byte[] count = Integer.toString(effects.get()).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, count.length);
        exchange.getResponseBody().write(count);
    }

    private void post(HttpExchange exchange) throws IOException {
        Headers headers = exchange.getRequestHeaders();
        String user = headers.getFirst("X-User");
        String key = key(exchange);
        String scope = (user == null || flaw == Flaw.IGNORES_TENANTS ? "" : user.replaceFirst(".*@", "")) + "|"
                + (flaw == Flaw.IGNORES_PRINCIPALS || user == null ? "" : user.replaceFirst("@.*", "")) + "|"
                + (flaw == Flaw.IGNORES_THE_ROUTE
                        ? ""
                        : exchange.getRequestURI().getPath().replaceAll("/\\d+/", "/{}/"));
        if (flaw == Flaw.IGNORES_TENANTS && user != null) {
            scope = "||" + exchange.getRequestURI().getPath();
        }
        if (user == null && !(flaw == Flaw.REPLAYS_TO_ANYBODY && known(key))) {
            if (flaw == Flaw.RECORDS_ANYBODY && key != null) {
                records.put("acme|alice|/7/orders/" + key, new Answer("", "", new byte[0]));
                records.put("acme|alice|/{}/orders/" + key, new Answer("", "", new byte[0]));
            }
            exchange.sendResponseHeaders(401, -1);
            return;
        }
        if (key == null) {
            refuse(exchange, ExpectedProblem.KEY_REQUIRED);
            return;
        }
        if (!valid(key, headers.get("Idempotency-Key"))) {
            refuse(exchange, ExpectedProblem.KEY_INVALID);
            return;
        }
        byte[] body = body(exchange);
        if (body == null) {
            return;
        }
        if (body.length > Integer.parseInt(LARGEST) && flaw != Flaw.TAKES_ANY_LENGTH) {
            refuse(exchange, ExpectedProblem.TOO_LARGE);
            return;
        }
        answer(exchange, user == null ? found(key) : scope + "/" + key, body);
    }

    private boolean known(@Nullable String key) {
        return key != null && records.keySet().stream().anyMatch(id -> id.endsWith("/" + key));
    }

    private String found(String key) {
        return records.keySet().stream()
                .filter(id -> id.endsWith("/" + key))
                .findFirst()
                .orElseThrow();
    }

    private @Nullable String key(HttpExchange exchange) {
        String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
        String query = exchange.getRequestURI().getQuery();
        if (key == null && flaw == Flaw.KEY_FROM_QUERY && query != null) {
            return query.replaceFirst(".*Idempotency-Key=", "");
        }
        return key == null && flaw == Flaw.NEEDS_NO_KEY ? UUID.randomUUID().toString() : key;
    }

    private boolean valid(String key, @Nullable List<String> all) {
        return (!key.isEmpty() || flaw == Flaw.TAKES_EMPTY_KEYS)
                && key.length() <= (flaw == Flaw.WANTS_SHORT_KEYS ? 64 : flaw == Flaw.TAKES_LONG_KEYS ? 1_000 : 128)
                && (!key.contains(" ") || flaw == Flaw.TAKES_SPACES)
                && (all == null || all.size() == 1 || flaw == Flaw.TAKES_THE_FIRST_OF_TWO);
    }

    private byte @Nullable [] body(HttpExchange exchange) throws IOException {
        try {
            return exchange.getRequestBody().readAllBytes();
        } catch (IOException e) {
            if (flaw == Flaw.RUNS_HALF_BODIES) {
                effects.incrementAndGet();
            }
            return null;
        }
    }

    private void answer(HttpExchange exchange, String id, byte[] body) throws IOException {
        String fingerprint = fingerprint(exchange, body);
        if (flaw == Flaw.LOOKS_THEN_RUNS && flaw.row.equals(row) && !records.containsKey(id)) {
            meet(id);
            records.remove(id);
        }
        boolean[] made = {false};
        Answer answer = records.computeIfAbsent(id, absent -> {
            made[0] = true;
            int number = effects.incrementAndGet();
            return new Answer(
                    fingerprint,
                    given(exchange, "X-Correlation-ID"),
                    ("{\"id\":" + number + "}").getBytes(StandardCharsets.UTF_8));
        });
        if (!made[0]
                && !answer.fingerprint.equals(fingerprint)
                && exchange.getRequestHeaders().containsKey("X-User")) {
            refuse(exchange, ExpectedProblem.PAYLOAD_MISMATCH);
            return;
        }
        if (!made[0] && flaw == Flaw.ANSWERS_ONCE) {
            refuse(exchange, ExpectedProblem.PAYLOAD_MISMATCH);
            return;
        }
        if (!made[0] && flaw == Flaw.TAKES_EFFECT_TWICE) {
            effects.incrementAndGet();
        }
        if (flaw == Flaw.RUNS_AGAIN) {
            records.remove(id);
        }
        send(exchange, answer, !made[0]);
    }

    /** Says which row is being checked: in its own one a flaw may count on what that sends. */
    void checking(String name) {
        row = name;
    }

    /** Waits until two have looked. The bound never decides: several are sent at once. */
    private void meet(String id) {
        CountDownLatch latch = looked.computeIfAbsent(id, key -> new CountDownLatch(2));
        latch.countDown();
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody else came");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String fingerprint(HttpExchange exchange, byte[] body) {
        URI uri = exchange.getRequestURI();
        String query = uri.getQuery() == null || flaw == Flaw.IGNORES_THE_QUERY ? "" : uri.getQuery();
        String[] parts = query.split("&");
        if (flaw != Flaw.COMPARES_RAW_QUERIES) {
            Arrays.sort(parts);
        }
        String meaning = flaw == Flaw.COMPARES_BYTES
                ? new String(body, StandardCharsets.UTF_8)
                : mapper.readValue(body, new TypeReference<TreeMap<String, Object>>() {})
                        .toString();
        return (flaw == Flaw.IGNORES_THE_PATH ? "" : uri.getPath())
                + Arrays.toString(parts)
                + (flaw == Flaw.IGNORES_THE_PAYLOAD ? "" : meaning);
    }

    private void send(HttpExchange exchange, Answer answer, boolean replayed) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", "application/json");
        if (!replayed || flaw != Flaw.FORGETS_HEADERS) {
            headers.set("Location", "/orders/1");
        }
        if (!replayed || flaw == Flaw.KEEPS_COOKIES) {
            headers.set("Set-Cookie", "session=secret");
        }
        if (replayed) {
            headers.set("Idempotency-Replayed", "true");
        }
        if (flaw != Flaw.MAKES_NO_IDS || exchange.getRequestHeaders().containsKey("X-Request-ID")) {
            headers.set("X-Request-ID", flaw == Flaw.LOSES_IDS ? "lost" : given(exchange, "X-Request-ID"));
            headers.set("X-Correlation-ID", answer.correlation);
        }
        byte[] body = replayed && flaw == Flaw.REPLAYS_OTHER_BYTES
                ? "{\"id\": 1}".getBytes(StandardCharsets.UTF_8)
                : answer.body;
        exchange.sendResponseHeaders(201, body.length);
        exchange.getResponseBody().write(body);
    }

    private static String given(HttpExchange exchange, String header) {
        String value = exchange.getRequestHeaders().getFirst(header);
        return value == null ? UUID.randomUUID().toString() : value;
    }

    private void refuse(HttpExchange exchange, ExpectedProblem code) throws IOException {
        // What is left unread would otherwise cut the client off before it has read the answer.
        exchange.getRequestBody().readAllBytes();
        String correlation = given(exchange, "X-Correlation-ID");
        exchange.getResponseHeaders().set("X-Correlation-ID", correlation);
        String type = flaw == Flaw.ANSWERS_PLAIN_TEXT && code == ExpectedProblem.PAYLOAD_MISMATCH
                ? "text/plain"
                : "application/problem+json";
        exchange.getResponseHeaders().set("Content-Type", type);
        String stack = flaw == Flaw.TELLS_ITS_STACK ? "java.lang.IllegalStateException at a.B.c(B.java:1)" : "";
        byte[] body = mapper.writeValueAsBytes(
                Map.of("code", code.code(), "status", code.status(), "correlation_id", correlation, "detail", stack));
        exchange.sendResponseHeaders(code.status(), body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
