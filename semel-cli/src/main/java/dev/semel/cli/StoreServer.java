package dev.semel.cli;

import dev.semel.console.admin.RouteFilling;
import dev.semel.console.admin.ServerActions;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator;
import dev.semel.server.ServerSettings;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.delivery.DestinationReport;
import dev.semel.server.routing.OperatedFills;
import dev.semel.server.routing.RouteFills;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a store without its server knows: how deliveries went and, with the configuration of the server, its routes. */
final class StoreServer implements ServerActions, AutoCloseable {
    private final Supplier<Store> another;
    private final @Nullable ServerConfig config;
    private @Nullable Engine engine;

    /**
     * @param another opens the store once more, for an engine of its own
     * @param config of the server; null when the command has none
     */
    StoreServer(Supplier<Store> another, @Nullable ServerConfig config) {
        this.another = another;
        this.config = config;
    }

    @Override
    public ReloadResult reload() {
        return new ReloadResult.Rejected(List.of("a store has no configuration; use --url"));
    }

    @Override
    public ServerParts parts() {
        return ServerParts.NONE;
    }

    @Override
    public Set<String> destinations(Operator operator) {
        return DestinationReport.names(operator);
    }

    @Override
    public DestinationState deliveries(Operator operator, String destination, int shown) {
        return DestinationReport.of(operator, destination, shown).state();
    }

    @Override
    public Optional<RouteFilling> fills() {
        if (config == null) {
            return Optional.empty();
        }
        if (engine == null) {
            engine = Engine.withoutBackground(another.get());
        }
        return Optional.of(new OperatedFills(new RouteFills(engine, config, TimeSource.system())));
    }

    /** Runs the jobs of the ledger. */
    Engine workers() {
        if (config == null) {
            return Engine.on(another.get(), settings -> {});
        }
        Engine workers = Engine.on(another.get(), settings -> ServerSettings.apply(config, settings));
        new RouteFills(workers, config, TimeSource.system()).handle();
        return workers;
    }

    @Override
    public void close() {
        if (engine != null) {
            engine.close();
        }
    }
}
