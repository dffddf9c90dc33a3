package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.engine.EngineSettings;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingTransactions;
import dev.semel.time.ManualTime;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A mark holds an effect to its record; with a flaw planted in it the same scene ends with two effects. */
class BrokenMarkTest {
    /** Bugs of marks. */
    private enum Flaw {
        NONE,
        /** One that was refused counts as written. */
        NOT_FENCED,
        /** None is written at all. */
        NOT_WRITTEN,
        /** Transactions that wrote nothing are marked, too. */
        ON_EVERYTHING
    }

    private final TestDatabase ground = TestDatabase.Kind.SQLITE.fresh();
    private final ManualTime time = new ManualTime(1_700_000_000_000L);
    private final AtomicInteger runs = new AtomicInteger();

    private FilteredServer server(Flaw flaw, App app) {
        EngineSettings engine = EngineSettings.on(new Planted(ground.open(time), flaw))
                .withTime(time)
                .withoutBackground();
        Rule rule = Rule.required().withLevel(Level.MARKER);
        return FilteredServer.open(
                Container.JETTY,
                engine,
                all -> all.withTime(time).withEffects(Hooks.Effects.ONLY_MARKED).withDefault(rule),
                app);
    }

    private static final class Planted extends ForwardingStore {
        private final Flaw flaw;

        Planted(Store delegate, Flaw flaw) {
            super(delegate);
            this.flaw = flaw;
        }

        @Override
        public Optional<Transactions> transactions() {
            return delegate().transactions().map(real -> new ForwardingTransactions(real) {
                @Override
                protected Tx wrap(Tx tx) {
                    return new ForwardingTx(tx) {
                        @Override
                        public List<Moved> move(List<Move> moves) {
                            return switch (flaw) {
                                case NONE, ON_EVERYTHING -> super.move(moves);
                                case NOT_FENCED -> {
                                    super.move(moves);
                                    yield List.of(new Moved.Applied());
                                }
                                case NOT_WRITTEN -> List.of(new Moved.Applied());
                            };
                        }

                        @Override
                        public Optional<Moved> moveIfChanged(Move move, long changesBefore) {
                            return flaw == Flaw.ON_EVERYTHING
                                    ? Optional.of(super.move(List.of(move)).get(0))
                                    : super.moveIfChanged(move, changesBefore);
                        }
                    };
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "ON_EVERYTHING"})
    void aHandlerThatOnlyReadBeforeItFailed(Flaw flaw) {
        try (FilteredServer server = server(flaw, (request, response) -> {
            try (Connection connection = ground.connect()) {
                connection.setAutoCommit(false);
                IdempotentExchange.HandlerTransaction begun =
                        IdempotentExchange.of(request).orElseThrow().begun(connection);
                assertThat(begun.markIfWritten()).isEqualTo(flaw == Flaw.ON_EVERYTHING);
                connection.commit();
            }
            response.setStatus(runs.incrementAndGet() == 1 ? 503 : 201);
        })) {
            assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(503);
            time.advance(Duration.ofMinutes(2));
            assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(flaw == Flaw.NONE ? 201 : 409);
        }
        assertThat(runs).hasValue(flaw == Flaw.NONE ? 2 : 1);
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "NOT_FENCED", "NOT_WRITTEN"})
    void aRunThatLostItsRequest(Flaw flaw) throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        App app = (request, response) -> {
            if (runs.incrementAndGet() == 1) {
                stuck.countDown();
                assertThat(go.await(60, TimeUnit.SECONDS)).isTrue();
            }
            ground.marked(IdempotentExchange.of(request).orElseThrow(), "one");
        };
        try (FilteredServer first = server(flaw, app)) {
            CompletableFuture<ReceivedResponse> slow = first.sending(first.post("/a", "k-1", "{}"));
            assertThat(stuck.await(60, TimeUnit.SECONDS)).isTrue();
            time.advance(Duration.ofMinutes(2));
            try (FilteredServer second = server(flaw, app)) {
                assertThat(second.send(second.post("/a", "k-1", "{}")).status()).isEqualTo(200);
                go.countDown();
                slow.join();
            }
        }
        assertThat(ground.effects("one")).isEqualTo(flaw == Flaw.NONE ? 1 : 2);
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "NOT_WRITTEN"})
    void aHandlerThatFailsAfterItsCommit(Flaw flaw) {
        try (FilteredServer server = server(flaw, (request, response) -> {
            ground.marked(IdempotentExchange.of(request).orElseThrow(), "one");
            response.setStatus(runs.incrementAndGet() == 1 ? 500 : 200);
        })) {
            assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(500);
            time.advance(Duration.ofMinutes(2));
            assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(flaw == Flaw.NONE ? 409 : 200);
        }
        assertThat(ground.effects("one")).isEqualTo(flaw == Flaw.NONE ? 1 : 2);
    }
}
