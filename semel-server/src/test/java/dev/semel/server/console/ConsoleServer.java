package dev.semel.server.console;

import com.sun.net.httpserver.HttpServer;
import dev.semel.server.SemelServer;
import dev.semel.server.config.ConfigFile;
import dev.semel.server.config.Secrets;
import dev.semel.server.config.ServerConfig;
import dev.semel.testkit.Await;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.Scratch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A whole server over a troubled ledger, with people of every role, a destination that answers and one that fails. */
final class ConsoleServer implements AutoCloseable {
    static final String ADMIN = "adminSECRET0123456789abcdef";
    static final String OPERATOR = "operatorSECRET0123456789abc";
    static final String VIEWER = "viewerSECRET0123456789abcde";
    static final String ACME = "acmeSECRET0123456789abcdefg";
    private static final String SHOP = "shopTOKEN0123456789abcdefgh";
    private static final String PLANTED = "plantedTOKEN0123456789abcde";

    private static final String CONFIG = """
            store: ${env:STORE}
            listen:
              address: 127.0.0.1
              port: 0
            sources:
              stripe:
                path: /webhooks/stripe/7f3a9c1e5b2d4068a1c3e5f7
                scheme: stripe
                secrets: ${env:STRIPE}
            topics:
              orders:
                policy: webhook.inbox
            destinations:
              billing:
                url: ${env:RECEIVER}/ok
                allow: {http: true, networks: [127.0.0.0/8]}
              archive:
                url: ${env:RECEIVER}/down
                allow: {http: true, networks: [127.0.0.0/8]}
              status:
                url: ${env:RECEIVER}/down
                allow: {http: true, networks: [127.0.0.0/8]}
                breaker: {failure-percent: 50, calls: 2, pause: 1h}
            routes:
              - from: orders
                to: [billing, archive, status]
            gateways:
              payments:
                path: /payments
                upstream: ${env:RECEIVER}/ok
            tokens:
              shop: {secret: "${env:SHOP}", tenant: acme, scopes: [run, send]}
              planted: {secret: "${env:PLANTED}", tenant: "${env:MARKUP}", scopes: [run, send]}
            users:
              alice: {secrets: "${env:ADMIN}", role: admin, all-tenants: true}
              olga: {secrets: "${env:OPERATOR}", role: operator, all-tenants: true}
              vera: {secrets: "${env:VIEWER}", role: viewer, all-tenants: true}
              amir: {secrets: "${env:ACME}", role: operator, tenant: acme}
            """;

    private static final String EMPTY = """
            store: ${env:STORE}
            listen: {address: 127.0.0.1, port: 0}
            users:
              alice: {secrets: "${env:ADMIN}", role: admin, all-tenants: true}
            """;

    private final HttpClient client = HttpClient.newHttpClient();
    private final String store;
    private final HttpServer receiver;
    private final SemelServer server;

    private ConsoleServer(String store, HttpServer receiver, SemelServer server) {
        this.store = store;
        this.receiver = receiver;
        this.server = server;
    }

    /** The engines of a ledger. */
    enum LedgerKind {
        SQLITE,
        POSTGRESQL;

        String freshUrl() {
            if (this == SQLITE) {
                return "sqlite:" + Scratch.directory("console").resolve("ledger.db");
            }
            PrivatePostgres postgres = PrivatePostgres.shared();
            return postgres.url(postgres.freshDatabase());
        }
    }

    static ConsoleServer start(LedgerKind kind) {
        return start(kind, TroubledLedger.MARKUP);
    }

    /** @param complaint what one of the failures says */
    static ConsoleServer start(LedgerKind kind, String complaint) {
        String store = kind.freshUrl();
        TroubledLedger.fill(store, complaint);
        return start(store, CONFIG).withTraffic();
    }

    /** One that has nothing to do yet. */
    static ConsoleServer empty() {
        return start(LedgerKind.SQLITE.freshUrl(), EMPTY);
    }

    private static ConsoleServer start(String store, String config) {
        try {
            HttpServer receiver = receiver();
            Path file = Scratch.directory("console").resolve("semel.yaml");
            Files.writeString(file, config);
            Secrets secrets = Secrets.of(Map.of(
                    "STORE", store,
                    "STRIPE", "whsec_test_0123456789abcdef",
                    "RECEIVER", "http://127.0.0.1:" + receiver.getAddress().getPort(),
                    "SHOP", SHOP,
                    "PLANTED", PLANTED,
                    "MARKUP", TroubledLedger.MARKUP,
                    "ADMIN", ADMIN,
                    "OPERATOR", OPERATOR,
                    "VIEWER", VIEWER,
                    "ACME", ACME));
            Supplier<ServerConfig> reader = () -> ConfigFile.read(file, secrets).config();
            return new ConsoleServer(store, receiver, SemelServer.start(reader.get(), reader));
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static HttpServer receiver() throws IOException {
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        receiver.createContext("/", exchange -> {
            boolean up = exchange.getRequestURI().getPath().startsWith("/ok");
            byte[] answer = (up ? "{\"accepted\":true}" : "out of order").getBytes(StandardCharsets.UTF_8);
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(up ? 200 : 503, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        receiver.start();
        return receiver;
    }

    /** Deliveries of which some fail, a running operation, and a record that was discarded. */
    private ConsoleServer withTraffic() {
        for (int i = 0; i < 3; i++) {
            client(
                    "/api/v1/channels/orders/messages",
                    "{\"key\":\"order-" + i + "\",\"payload\":{\"order\":" + i + "}}");
        }
        client("/api/v1/operations/report/begin", "{\"key\":\"2026-01\",\"lease\":\"1h\",\"payload\":{\"month\":1}}");
        post(ADMIN, "/records/" + TroubledLedger.id("globex", "mail", "full-1") + "/discard", "{\"reason\":\"left\"}");
        Await.until(
                "a delivery has failed",
                () -> get(ADMIN, "/server").path("destinations").values().stream()
                        .allMatch(each -> !each.path("attempts").isEmpty()));
        return this;
    }

    /** A message that a client sends. */
    void message(String channel, String key) {
        client("/api/v1/channels/" + channel + "/messages", "{\"key\":\"" + key + "\",\"payload\":{}}");
    }

    /** A webhook without a signature, which is rejected. */
    void webhook(String json) {
        HttpRequest request = HttpRequest.newBuilder(server.uri().resolve("/webhooks/stripe/7f3a9c1e5b2d4068a1c3e5f7"))
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
        try {
            client.send(request, HttpResponse.BodyHandlers.discarding());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private JsonNode client(String path, String json) {
        return client(SHOP, path, json);
    }

    private JsonNode client(String token, String path, String json) {
        return send(HttpRequest.newBuilder(server.uri().resolve(path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    /** A record whose tenant, key, payload and result are markup; its id. */
    String plant(String key) {
        JsonMapper json = JsonMapper.shared();
        String markup = TroubledLedger.MARKUP;
        JsonNode granted = client(
                PLANTED,
                "/api/v1/operations/report/begin",
                json.writeValueAsString(Map.of("key", key, "payload", Map.of("note", markup))));
        client(
                PLANTED,
                "/api/v1/operations/report/finish",
                json.writeValueAsString(Map.of(
                        "record", granted.path("record").asString(),
                        "fence", granted.path("fence").asString(),
                        "result", Map.of("receipt", markup))));
        return granted.path("record").asString();
    }

    /** Changes the file of the ledger behind the back of the server. */
    void tamper(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:" + store)) {
            connection.createStatement().executeUpdate(sql);
        }
    }

    URI uri() {
        return server.uri();
    }

    /** The console's first page. */
    String console() {
        return server.uri().resolve("/console/").toString();
    }

    /** What the API tells this person. */
    JsonNode get(String secret, String path) {
        return send(admin(secret, path).GET());
    }

    JsonNode post(String secret, String path, String json) {
        return send(admin(secret, path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    String stateOf(String id) {
        return get(ADMIN, "/records/" + id).path("state").asString();
    }

    private HttpRequest.Builder admin(String secret, String path) {
        return HttpRequest.newBuilder(server.uri().resolve("/api/v1/admin" + path))
                .header("Authorization", "Bearer " + secret);
    }

    private JsonNode send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() / 100 != 2) {
                throw new AssertionError(response.uri() + " answered " + response.statusCode() + " " + response.body());
            }
            return JsonMapper.shared().readTree(response.body());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.close();
        receiver.stop(0);
    }
}
