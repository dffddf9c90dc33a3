package dev.semel.server;

import dev.semel.console.admin.DeliveryAttempt;
import dev.semel.console.admin.DeliveryAttempt.DeliveryResult;
import dev.semel.console.admin.ProgramFigure;
import dev.semel.console.admin.ServerActions;
import dev.semel.operator.Operator;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.GatewayConfig;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.config.SourceConfig;
import dev.semel.server.delivery.AttemptRecord;
import dev.semel.server.delivery.DestinationReport;
import dev.semel.server.routing.ServerChannels;
import java.net.URI;
import java.util.List;
import java.util.function.Supplier;

/** What an operator can ask of the server under one configuration. */
record GenerationActions(ServerConfig config, Supplier<ReloadResult> reloading, Supplier<List<ProgramFigure>> shown)
        implements ServerActions {
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
                config.sources().stream().map(GenerationActions::part).toList(),
                config.destinations().stream().map(GenerationActions::part).toList(),
                config.gateways().stream().map(GenerationActions::part).toList());
    }

    @Override
    public DestinationState deliveries(Operator operator, String destination, int shown) {
        DestinationReport report = DestinationReport.of(operator, destination, shown);
        return new DestinationState(
                report.lastSuccess(),
                report.failingSince(),
                report.attempts().stream().map(GenerationActions::attempt).toList());
    }

    private static DeliveryAttempt attempt(AttemptRecord attempt) {
        AttemptRecord.AttemptResult result = attempt.result();
        return new DeliveryAttempt(
                attempt.record(),
                attempt.attempt(),
                attempt.ended(),
                attempt.duration(),
                new DeliveryResult(result.status(), result.failure(), result.answer()));
    }

    private static SourcePart part(SourceConfig source) {
        return new SourcePart(source.name(), ServerChannels.of(source).name(), source.policy());
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
