package dev.semel.server;

import dev.semel.Channel;
import dev.semel.Semel;
import dev.semel.engine.Engine;
import dev.semel.http.ingress.Webhook;
import dev.semel.http.ingress.WebhookServlet;
import dev.semel.server.access.Access;
import dev.semel.server.access.Tokens;
import dev.semel.server.api.ApiServlet;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.config.SourceConfig;
import dev.semel.server.gateway.GatewayEndpoint;
import dev.semel.server.routing.Router;
import dev.semel.server.routing.ServerChannels;
import dev.semel.watch.MicrometerWatch;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServlet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The ledger of one configuration, its channels, and the endpoints of its sources. */
final class OpenLedger implements AutoCloseable {
    /** A body of 16 MiB, which is the largest that can be configured, as base64 with its headers. */
    private static final int LARGEST_VALUE = (16 << 20) / 3 * 4 + (32 << 10);

    private final Engine engine;
    private final Map<String, WebhookServlet> endpoints = new HashMap<>();

    private final List<GatewayEndpoint> gateways = new ArrayList<>();
    private final HttpServlet api;
    private final Access access;

    private OpenLedger(Engine engine, ServerConfig config) {
        this.engine = engine;
        this.access = new Access(Tokens.of(config.tokens()));
        this.api = new ApiServlet(engine, access);
    }

    /**
     * @throws dev.semel.SemelException.Misconfigured when the store cannot serve
     * @throws dev.semel.SemelException.StoreUnavailable when it cannot be reached
     */
    static OpenLedger of(ServerConfig config, Deliveries deliveries, MeterRegistry meters) {
        Semel.Settings settings = Semel.settings(config.store())
                .withWatch(MicrometerWatch.of(meters))
                .withLargestValue(LARGEST_VALUE);
        config.policies().forEach(settings::withPolicy);
        Semel semel = settings.open();
        OpenLedger ledger = null;
        try {
            ledger = new OpenLedger(Engine.behind(semel).orElseThrow(), config);
            ledger.register(config, deliveries);
            return ledger;
        } catch (RuntimeException | Error e) {
            semel.close();
            if (ledger != null) {
                ledger.gateways.forEach(GatewayEndpoint::close);
            }
            throw e;
        }
    }

    /** All of it is made, and so checked, before the first handler is registered: from then on messages are handled. */
    private void register(ServerConfig config, Deliveries deliveries) {
        List<Runnable> registrations = new ArrayList<>();
        for (DestinationConfig destination : config.destinations()) {
            Channel.LeasedDelivery<Webhook> delivery = deliveries.to(destination, engine);
            registrations.add(() -> engine.handle(ServerChannels.of(destination), destination.capacity(), delivery));
        }
        for (SourceConfig source : config.sources()) {
            Router router = new Router(config, source);
            endpoints.put(source.name(), new WebhookServlet(engine, ServerChannels.of(source), source.source()));
            registrations.add(() -> engine.handle(ServerChannels.of(source), router));
        }
        config.gateways().forEach(each -> gateways.add(GatewayEndpoint.open(each, engine, access)));
        registrations.forEach(Runnable::run);
    }

    HttpServlet endpoint(SourceConfig source) {
        return Objects.requireNonNull(endpoints.get(source.name()));
    }

    /** Larger webhooks of this source are rejected. */
    int largestBody(SourceConfig source) {
        return Objects.requireNonNull(endpoints.get(source.name())).largestBody();
    }

    /** The tokens of the API and of gateways. */
    Access access() {
        return access;
    }

    /** The gateway of this path. */
    HttpServlet gateway(String path) {
        return gateways.stream().filter(each -> each.serves(path)).findFirst().orElseThrow();
    }

    /** The HTTP API; to be used only where there are tokens. */
    HttpServlet api() {
        return api;
    }

    /** @throws RuntimeException when the store cannot be reached */
    void demandReachable() {
        engine.operator().modes();
    }

    /** Lets deliveries under way end, and hands back the others. Upgraded connections, which have no end of their own, are closed. */
    boolean drain(Duration bound) {
        gateways.forEach(GatewayEndpoint::closeUpgraded);
        return engine.drain(bound);
    }

    @Override
    public void close() {
        engine.close();
        gateways.forEach(GatewayEndpoint::close);
    }
}
