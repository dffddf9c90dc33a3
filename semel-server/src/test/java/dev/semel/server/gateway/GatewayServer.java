package dev.semel.server.gateway;

import dev.semel.server.SemelServer;
import dev.semel.server.config.ConfigFile;
import dev.semel.server.config.Secrets;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A whole server with a gateway in front of an API. */
final class GatewayServer implements AutoCloseable {
    static final String ALICE = "alice-0123456789abcdef";
    static final String BOB = "bob-0123456789abcdef";
    static final String EVE = "eve-0123456789abcdef";
    static final String CAROL = "carol-0123456789abcdef";
    private static final Map<String, String> VARIABLES = Map.of("ALICE", ALICE, "BOB", BOB, "CAROL", CAROL, "EVE", EVE);

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final SemelServer server;
    private final Path file;

    private GatewayServer(SemelServer server, Path file) {
        this.server = server;
        this.file = file;
    }

    /** @param settings of the gateway, each of its own line */
    static GatewayServer start(Path directory, String upstream, String... settings) throws Exception {
        String text = """
                store: sqlite:%s
                listen: {port: 0}
                policies:
                  quick: {extends: api.request, lease: 2s, attempt-timeout: 30s}
                gateways:
                  shop:
                    path: /shop
                    upstream: %s
                    %s
                tokens:
                  alice: {secret: "${env:ALICE}", tenant: acme, scopes: ["run:gateway.shop"]}
                  bob: {secret: "${env:BOB}", tenant: acme, scopes: [run]}
                  carol: {secret: "${env:CAROL}", tenant: acme, scopes: ["run:gateway.other"]}
                  eve: {secret: "${env:EVE}", tenant: other, scopes: [run]}
                """.formatted(directory.resolve("ledger.db"), upstream, String.join("\n    ", settings));
        Path file = Files.writeString(directory.resolve("semel.yaml"), text);
        return new GatewayServer(
                SemelServer.start(ConfigFile.read(file, Secrets.of(VARIABLES)).config()), file);
    }

    /** Reads its file again; tells whether all under way ended in time. */
    boolean reload() throws Exception {
        return server.reload(ConfigFile.read(file, Secrets.of(VARIABLES)).config());
    }

    /** Tells whether all under way ended in time. */
    boolean stop() throws InterruptedException {
        return server.stop();
    }

    URI at(String path) {
        return server.uri().resolve("/shop" + path);
    }

    static Map<String, String> as(String token) {
        return Map.of("Authorization", "Bearer " + token);
    }

    /** As Alice. */
    HttpResponse<String> send(String method, String path, String body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(at(path))
                .header("Authorization", "Bearer " + ALICE)
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> post(String path, String key) throws Exception {
        return send("POST", path, "{\"a\":1}", "Idempotency-Key", key, "Content-Type", "application/json");
    }

    HttpResponse<String> get(String path, String... headers) throws Exception {
        return send("GET", path, "", headers);
    }

    HttpResponse<String> send(HttpRequest request) throws Exception {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** Sends bytes as they are; returns all that comes back until the server closes. */
    String raw(String request) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", server.uri().getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
