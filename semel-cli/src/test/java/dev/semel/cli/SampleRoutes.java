package dev.semel.cli;

import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.http.ingress.Webhook;
import dev.semel.operator.Operator;
import dev.semel.server.ServerSettings;
import dev.semel.server.config.ConfigFile;
import dev.semel.server.config.Secrets;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.routing.Router;
import dev.semel.server.routing.ServerChannels;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.json.JsonMapper;

/** A ledger of a server with webhooks that were routed to one destination, and a configuration with a route to another one. */
record SampleRoutes(Path file, String store) {
    private static final String CONFIG = """
            store: sqlite:given-by-option.db
            sources:
              shop:
                path: /in/7f3a9c1e5b2d4068
                scheme: stripe
                secrets: ${file:%s}
            destinations:
              app:
                url: https://app.example/hooks
              crm:
                url: https://crm.example/hooks
            routes:
              - from: shop
                to: %s
            """;

    static SampleRoutes in(Path directory, String store, int webhooks) {
        try {
            Path secret = Files.writeString(directory.resolve("secret"), "whsec_0123456789abcdef");
            Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
            Path file = directory.resolve("semel.yaml");
            Files.writeString(file, CONFIG.formatted(secret, "app"));
            route(ConfigFile.read(file, Secrets.ofProcess()).config(), store, webhooks);
            Files.writeString(file, CONFIG.formatted(secret, "[app, crm]"));
            return new SampleRoutes(file, store);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void route(ServerConfig config, String store, int webhooks) {
        EngineSettings settings = EngineSettings.at(store).withoutBackground();
        ServerSettings.apply(config, settings);
        try (Engine engine = settings.open()) {
            engine.handle(ServerChannels.of(config.sources().get(0)), new Router(config, "shop"));
            for (int i = 1; i <= webhooks; i++) {
                byte[] body = ("{\"id\":" + i + "}").getBytes(StandardCharsets.UTF_8);
                Webhook webhook = new Webhook(
                        "shop",
                        "digest-" + i,
                        body,
                        "lane",
                        new Webhook.Transport("application/json", Map.of(), Instant.now()));
                engine.send(
                        ServerChannels.of(config.sources().get(0)),
                        Message.of(Tenant.of("main"), Key.of("evt-" + i), webhook));
            }
            while (engine.duties().worker().turn()) {
                // until a round finds nothing
            }
        }
    }

    /** Numbers of the webhooks that wait for the new destination, in the order of their lane. */
    List<Integer> filled() {
        try (Store opened = Stores.open(store, StoreProvider.Options.EXISTING)) {
            List<Row> rows = new ArrayList<>(Operator.on(opened)
                    .list(
                            State.QUEUED,
                            new RecordFilter(null, "destination.crm", true, Long.MAX_VALUE),
                            RecordFilter.Cursor.START,
                            10_000));
            rows.sort(Comparator.comparingLong(
                    row -> Objects.requireNonNull(row.line()).place()));
            return rows.stream().map(SampleRoutes::number).toList();
        }
    }

    private static int number(Row row) {
        byte[] body = JsonMapper.shared()
                .readTree(Objects.requireNonNull(row.payload()))
                .get("body")
                .binaryValue();
        return JsonMapper.shared().readTree(body).get("id").asInt();
    }
}
