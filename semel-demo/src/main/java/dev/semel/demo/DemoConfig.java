package dev.semel.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** The configuration of the server and of its workers, as {@code semel serve} reads it. */
final class DemoConfig {
    /** Environment variables: a store's URL may have a password, and the other is a secret. */
    static final String STORE = "SEMEL_DEMO_STORE";

    static final String SECRET = "SEMEL_DEMO_SECRET";

    static final String PATH = "/webhooks/shop";

    /** Channels of the server; the names are such that a ledger which is in use has no others of them. */
    static final String INCOMING = "source.semel-demo-shop";

    static final String OUTGOING = "destination.semel-demo-bank";

    private static final String TEXT = """
            store: ${env:SEMEL_DEMO_STORE}
            console: $CONSOLE
            listen:
              port: 0
              drain: 5s
            policies:
              semel-demo-routing:
                extends: webhook.inbox
                attempt-timeout: 2s
                lease: 3s
              semel-demo-delivery:
                extends: http.client
                max-attempts: 1000
                backoff: exp 100ms x2 cap 1s
                attempt-timeout: 2s
                lease: 3s
                retention: webhooks
                dead-head: park-lane
            sources:
              semel-demo-shop:
                path: $PATH
                guessable-path: true
                scheme: standard-webhooks
                secrets: ${env:SEMEL_DEMO_SECRET}
                lane: json:/customer
                tenant: fixed:$TENANT
                policy: semel-demo-routing
            destinations:
              semel-demo-bank:
                url: $BANK
                policy: semel-demo-delivery
                timeout: 1s
                allow: {http: true, networks: [127.0.0.0/8]}
            routes:
              - from: semel-demo-shop
                to: semel-demo-bank
            """;

    private DemoConfig() {}

    static String tenant(String run) {
        return "demo-" + run;
    }

    /** @param console whether its pages are served */
    static Path write(Path file, String run, URI bank, boolean console) {
        String text = TEXT.replace("$CONSOLE", Boolean.toString(console))
                .replace("$PATH", PATH)
                .replace("$TENANT", tenant(run))
                .replace("$BANK", bank.toString());
        try {
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException("The configuration of the server cannot be written.", e);
        }
    }
}
