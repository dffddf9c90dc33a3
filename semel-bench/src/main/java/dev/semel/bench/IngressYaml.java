package dev.semel.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** The configuration of a measured server, in a directory of its own with its secrets. */
final class IngressYaml {
    /** A webhook of this source is stored. Its channel is paused: nothing else happens to it. */
    static final String STORED = "stored";

    /** A webhook of this source is stored, routed and delivered. */
    static final String DELIVERED = "delivered";

    /** A webhook of this source is stored and routed, and one in {@link SignedWebhooks#ONE_IN} is delivered. */
    static final String CHOSEN = "chosen";

    static final String TOKEN = "bench-0123456789abcdef";

    private static final String TEXT = """
            store: $STORE
            listen:
              port: $PORT
              limits: {idle: $IDLE}
            sources:
              stored:
                path: /stored
                guessable-path: true
                scheme: standard-webhooks
                secrets: ${file:$DIRECTORY/secret}
                tolerance: 1h
              delivered:
                path: /delivered
                guessable-path: true
                scheme: standard-webhooks
                secrets: ${file:$DIRECTORY/secret}
                tolerance: 1h
              chosen:
                path: /chosen
                guessable-path: true
                scheme: standard-webhooks
                secrets: ${file:$DIRECTORY/secret}
                tolerance: 1h
            destinations:
              delivered:
                url: $DESTINATIONS/delivered
                allow: {http: true, networks: [127.0.0.1/32]}
              chosen:
                url: $DESTINATIONS/chosen
                allow: {http: true, networks: [127.0.0.1/32]}
            routes:
              - from: delivered
                to: delivered
              - from: chosen
                to: chosen
                when: [{json: /chosen, equals: "yes"}]
            gateways:
              api: {path: /gateway, upstream: "$API", key: optional, requests: 100}
            tokens:
              bench: {secret: "${file:$DIRECTORY/token}", tenant: acme, scopes: [run]}
            """;

    private IngressYaml() {}

    /**
     * Writes it, for a free port.
     *
     * @param destinations where webhooks are delivered, below which each destination has its path
     * @param api where the API behind the gateway is
     */
    static MeasuredConfig write(Path directory, String store, String destinations, String api) {
        try {
            Files.setPosixFilePermissions(
                    Files.writeString(directory.resolve("secret"), SignedWebhooks.secret()),
                    PosixFilePermissions.fromString("rw-------"));
            Files.setPosixFilePermissions(
                    Files.writeString(directory.resolve("token"), TOKEN), PosixFilePermissions.fromString("rw-------"));
            int port = freePort();
            Path file = Files.writeString(
                    directory.resolve("semel.yaml"),
                    TEXT.replace("$STORE", store)
                            .replace("$PORT", Integer.toString(port))
                            .replace("$IDLE", MeasuredServer.IDLE.toHours() + "h")
                            .replace("$DIRECTORY", directory.toString())
                            .replace("$DESTINATIONS", destinations)
                            .replace("$API", api));
            return new MeasuredConfig(file, port);
        } catch (IOException e) {
            throw new UncheckedIOException("The server's configuration cannot be written", e);
        }
    }

    /** @param port that the server will listen on */
    record MeasuredConfig(Path file, int port) {}

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
