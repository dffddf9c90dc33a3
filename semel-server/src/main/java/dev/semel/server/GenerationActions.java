package dev.semel.server;

import dev.semel.SemelException;
import dev.semel.console.admin.ProgramFigure;
import dev.semel.console.admin.RouteFilling;
import dev.semel.console.admin.ServerActions;
import dev.semel.http.ingress.WebhookCounts;
import dev.semel.operator.Operator;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.GatewayConfig;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.config.SourceConfig;
import dev.semel.server.delivery.DeliveryProbe;
import dev.semel.server.delivery.DestinationReport;
import dev.semel.server.routing.ServerChannels;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What an operator can ask of the server under one configuration.
 *
 * @param ledger gives null while the store has not been reached
 * @param shown what the program adds to the overview
 */
record GenerationActions(
        ServerConfig config,
        Supplier<ReloadResult> reloading,
        Supplier<@Nullable OpenLedger> ledger,
        Supplier<List<ProgramFigure>> shown,
        @Nullable RouteFilling routes)
        implements ServerActions {
    /** Without a ledger there are no fills yet. */
    GenerationActions(
            ServerConfig config,
            Supplier<ReloadResult> reloading,
            Supplier<@Nullable OpenLedger> ledger,
            Supplier<List<ProgramFigure>> shown) {
        this(config, reloading, ledger, shown, null);
    }

    GenerationActions withFills(RouteFilling fills) {
        return new GenerationActions(config, reloading, ledger, shown, fills);
    }

    @Override
    public Optional<RouteFilling> fills() {
        return Optional.ofNullable(routes);
    }

    @Override
    public Set<String> destinations(Operator operator) {
        return DestinationReport.names(operator);
    }

    @Override
    public DestinationTest test(String destination) {
        DestinationConfig found = config.destinations().stream()
                .filter(each -> each.name().equals(destination))
                .findFirst()
                .orElseThrow(() -> new SemelException.Invalid(
                        "The configuration has no destination \"" + destination + "\". Nothing was sent."));
        try {
            DeliveryProbe.ProbeResult result = DeliveryProbe.run(found);
            return new DestinationTest(result.delivered(), result.status(), result.words(), result.answer());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SemelException.OutcomeUnknown(
                    "The test event was interrupted, because the server stops: whether it arrived is unknown.", e);
        }
    }

    @Override
    public ReloadResult reload() {
        return reloading.get();
    }

    @Override
    public List<ProgramFigure> figures() {
        return shown.get();
    }

    @Override
    public ServerParts parts() {
        return new ServerParts(
                config.sources().stream().map(this::part).toList(),
                config.destinations().stream().map(GenerationActions::part).toList(),
                config.gateways().stream().map(GenerationActions::part).toList());
    }

    @Override
    public boolean viewersSeePayloads() {
        return config.operators().viewersSeePayloads();
    }

    @Override
    public DestinationState deliveries(Operator operator, String destination, int shown) {
        return DestinationReport.of(operator, destination, shown).state();
    }

    private SourcePart part(SourceConfig source) {
        OpenLedger open = ledger.get();
        WebhookCounts counts = open == null ? null : open.received(source);
        SourceCounts received = counts == null
                ? null
                : new SourceCounts(
                        counts.accepted(),
                        counts.repeated(),
                        counts.rejected(),
                        counts.lastStored(),
                        counts.lastRejected());
        return new SourcePart(source.name(), ServerChannels.of(source).name(), source.policy(), received);
    }

    private static DestinationPart part(DestinationConfig destination) {
        return new DestinationPart(
                destination.name(),
                destination.target().origin(),
                ServerChannels.of(destination).name(),
                destination.policy());
    }

    private static GatewayPart part(GatewayConfig gateway) {
        URI url = gateway.upstream().url();
        return new GatewayPart(
                gateway.name(),
                gateway.path(),
                url.getScheme() + "://" + url.getHost() + (url.getPort() < 0 ? "" : ":" + url.getPort()));
    }
}
