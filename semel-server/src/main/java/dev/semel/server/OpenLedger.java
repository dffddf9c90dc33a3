package dev.semel.server;

import dev.semel.Channel;
import dev.semel.Semel;
import dev.semel.console.admin.AdminServlet;
import dev.semel.engine.Engine;
import dev.semel.http.ingress.Webhook;
import dev.semel.http.ingress.WebhookCounts;
import dev.semel.http.ingress.WebhookServlet;
import dev.semel.server.access.Access;
import dev.semel.server.access.Tokens;
import dev.semel.server.api.ApiServlet;
import dev.semel.server.api.ApiSettings;
import dev.semel.server.api.SessionServlet;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.config.SourceConfig;
import dev.semel.server.config.TopicConfig;
import dev.semel.server.gateway.GatewayEndpoint;
import dev.semel.server.routing.OperatedFills;
import dev.semel.server.routing.RouteFills;
import dev.semel.server.routing.Router;
import dev.semel.server.routing.ServerChannels;
import dev.semel.server.session.LoginState;
import dev.semel.server.session.OperatorAccess;
import dev.semel.server.session.OperatorAudit;
import dev.semel.time.TimeSource;
import dev.semel.watch.MicrometerWatch;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServlet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The ledger of one configuration, its channels, and the endpoints of its sources. */
final class OpenLedger implements AutoCloseable {
    private final Engine engine;
    private final Map<String, WebhookServlet> endpoints = new HashMap<>();

    private final List<GatewayEndpoint> gateways = new ArrayList<>();
    private final HttpServlet api;
    private final Access access;
    private final OperatorAudit operatorAudit;
    private final OperatorAccess operatorAccess;
    private final HttpServlet session;
    private final RouteFills fills;
    private final AdminServlet admin;

    private OpenLedger(Engine engine, ServerConfig config, OperatorParts operators) {
        this.engine = engine;
        this.access = new Access(Tokens.of(config.tokens()));
        this.operatorAudit = new OperatorAudit(engine.operator().access());
        this.operatorAccess = new OperatorAccess(config.operators(), operators.logins(), operatorAudit);
        this.session = new SessionServlet(operatorAccess);
        this.fills = new RouteFills(engine, config, TimeSource.system());
        this.admin =
                new AdminServlet(engine, operatorAccess, operators.actions().withFills(new OperatedFills(fills)));
        Map<String, Channel.Atomic<Webhook>> topics =
                config.topics().stream().collect(Collectors.toMap(TopicConfig::name, ServerChannels::of));
        this.api = new ApiServlet(
                engine,
                access,
                ApiSettings.DEFAULT.withChannels(config.channels()).withTopics(topics));
    }

    /**
     * What the API for operators needs of the server.
     *
     * @param logins of the process
     * @param actions on the server
     */
    record OperatorParts(LoginState logins, GenerationActions actions) {}

    /**
     * @param deliveries null where other nodes deliver
     * @throws dev.semel.SemelException.Misconfigured when the store cannot serve
     * @throws dev.semel.SemelException.StoreUnavailable when it cannot be reached
     */
    static OpenLedger of(
            ServerConfig config, @Nullable Deliveries deliveries, MeterRegistry meters, OperatorParts operators) {
        Semel.Settings settings = Semel.settings(config.store()).withWatch(MicrometerWatch.of(meters));
        ServerSettings.apply(config, settings);
        Semel semel = settings.open();
        OpenLedger ledger = null;
        try {
            ledger = new OpenLedger(Engine.behind(semel).orElseThrow(), config, operators);
            ledger.register(config, deliveries);
            return ledger;
        } catch (RuntimeException | Error e) {
            if (ledger == null) {
                semel.close();
            } else {
                ledger.close();
            }
            throw e;
        }
    }

    /** All of it is made, and so checked, before the first handler is registered: from then on messages are handled. */
    private void register(ServerConfig config, @Nullable Deliveries deliveries) {
        List<Runnable> registrations = new ArrayList<>();
        if (deliveries != null) {
            for (DestinationConfig destination : config.destinations()) {
                Channel.LeasedDelivery<Webhook> delivery = deliveries.to(destination, engine);
                registrations.add(
                        () -> engine.handle(ServerChannels.of(destination), destination.capacity(), delivery));
            }
        }
        for (SourceConfig source : config.sources()) {
            Router router = new Router(config, source.name());
            endpoints.put(source.name(), new WebhookServlet(engine, ServerChannels.of(source), source.source()));
            registrations.add(() -> engine.handle(ServerChannels.of(source), router));
        }
        for (TopicConfig topic : config.topics()) {
            Router router = new Router(config, topic.name());
            registrations.add(() -> engine.handle(ServerChannels.of(topic), router));
        }
        config.gateways().forEach(each -> gateways.add(GatewayEndpoint.open(each, engine, access)));
        registrations.add(fills::handle);
        operatorAudit.start();
        registrations.forEach(Runnable::run);
    }

    HttpServlet endpoint(SourceConfig source) {
        return Objects.requireNonNull(endpoints.get(source.name()));
    }

    /** What was answered to this source. */
    WebhookCounts received(SourceConfig source) {
        return Objects.requireNonNull(endpoints.get(source.name())).counts();
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

    /** Operators' sessions. */
    HttpServlet session() {
        return session;
    }

    /** The API for operators. */
    HttpServlet admin() {
        return admin;
    }

    /** @throws RuntimeException when the store cannot be reached */
    void demandReachable() {
        engine.operator().modes();
    }

    /** Lets deliveries under way end, and hands back the others. Upgraded connections and streams of events, which have no end of their own, are closed. */
    boolean drain(Duration bound) {
        gateways.forEach(GatewayEndpoint::closeUpgraded);
        admin.closeStreams();
        return engine.drain(bound);
    }

    @Override
    public void close() {
        admin.closeStreams();
        operatorAudit.close();
        admin.destroy();
        engine.close();
        gateways.forEach(GatewayEndpoint::close);
    }
}
