package dev.semel.cli;

import dev.semel.console.access.Person;
import dev.semel.console.access.Role;
import dev.semel.console.admin.AdminDispatcher;
import dev.semel.console.admin.AdminLedger;
import dev.semel.console.rest.ApiProblem;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator;
import dev.semel.operator.Overviews;
import dev.semel.operator.ReadingNode;
import dev.semel.operator.Replays;
import dev.semel.policy.Catalogue;
import dev.semel.server.config.ServerConfig;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A store that this process opens. Whoever has it may do everything, under the name that the command gives. */
final class StoreLedger implements OperatedLedger {
    private final Store store;
    private final Person person;
    private final StoreServer server;
    private final AdminDispatcher dispatcher;

    /**
     * @param another opens the same store once more, for an engine of its own
     * @param config of the server whose store it is; null when the command has none
     */
    StoreLedger(Store store, Supplier<Store> another, String actor, @Nullable ServerConfig config) {
        this.store = store;
        this.server = new StoreServer(another, config);
        this.person = new Person(actor, Role.ADMIN, null);
        Overviews overviews = new Overviews(store, TimeSource.system(), ReadingNode.IDLE);
        AdminLedger ledger = new AdminLedger(store, Operator.on(store), overviews, Catalogue.shipped(), message -> {
            try (Engine engine = Engine.withoutBackground(another.get())) {
                engine.send(Replays.CHANNEL, message);
            }
        });
        this.dispatcher = new AdminDispatcher(ledger, server);
    }

    /** A request to the ledger. */
    @FunctionalInterface
    private interface Request<T> {
        T run() throws ApiProblem;
    }

    private static <T> T answered(Request<T> request) {
        try {
            return request.run();
        } catch (ApiProblem problem) {
            throw AnsweredProblem.of(problem.code().status(), problem.detail(), List.of());
        }
    }

    @Override
    public Facts get(String path, CommandInput parameters) {
        return new Facts(answered(() -> dispatcher.ask(person, "GET", path, parameters.members())));
    }

    @Override
    public Facts post(String path, CommandInput body) {
        return new Facts(answered(() -> dispatcher.ask(person, "POST", path, body.members())));
    }

    @Override
    public Facts sendLines(String path, Stream<String> lines) {
        return new Facts(answered(() -> dispatcher.sendLines(person, path, lines)));
    }

    @Override
    public void readLines(String path, CommandInput parameters, Consumer<Map<String, Object>> out) {
        Map<String, String> texts = new LinkedHashMap<>();
        parameters.members().forEach((name, value) -> texts.put(name, value.toString()));
        answered(() -> {
            dispatcher.readLines(person, path, texts, out);
            return true;
        });
    }

    @Override
    public JobWorkers runJobs() {
        return server.workers()::close;
    }

    @Override
    public void close() {
        server.close();
        store.close();
    }
}
