package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.engine.EngineSettings;
import dev.semel.store.RecordFilter;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import dev.semel.testkit.Await;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.Faults.Fault;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingTransactions;
import dev.semel.testkit.fault.StoreCall;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.testkit.memory.MemoryTable;
import dev.semel.time.ManualTime;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Nothing is run twice: by many at once, by lost replies, by transactions that are tried again; and callbacks follow. */
@ParameterizedClass
@EnumSource(Container.class)
class RunOnceTest {
    @Parameter
    private Container container;

    private final AtomicInteger runs = new AtomicInteger();
    private final List<String> told = Collections.synchronizedList(new ArrayList<>());

    @Test
    void a1_oneOfManyConcurrentDuplicatesRuns() {
        for (Level level : Level.values()) {
            runs.set(0);
            try (FilteredServer server = FilteredServer.open(
                    container,
                    all -> all.withDefault(Rule.required().withLevel(level)),
                    (request, response) -> response.getWriter().write("run " + runs.incrementAndGet()))) {
                List<CompletableFuture<ReceivedResponse>> all = new ArrayList<>();
                for (int i = 0; i < 32; i++) {
                    all.add(server.sending(server.post("/a", "k-1", "{}")));
                }
                for (CompletableFuture<ReceivedResponse> each : all) {
                    ReceivedResponse received = each.join();
                    if (received.status() != 200) {
                        assertThat(received.code()).isEqualTo("idempotency.in_progress");
                    } else {
                        assertThat(received.text()).isEqualTo("run 1");
                    }
                }
                assertThat(runs).hasValue(1);
            }
        }
    }

    @Test
    void callbacksAfterTheFirstCommitRunOnceAndNeverForAReplayARefusalOrAFailure() {
        for (Level level : Level.values()) {
            told.clear();
            try (FilteredServer server = FilteredServer.open(
                    container,
                    all -> all.withDefault(Rule.required().withLevel(level)).afterFirstCommit((request, exchange) -> {
                        told.add("filter " + request.getPathInfo() + " " + exchange.tenant());
                        throw new IllegalStateException("nobody minds");
                    }),
                    (request, response) -> {
                        IdempotentExchange exchange =
                                IdempotentExchange.of(request).orElseThrow();
                        exchange.afterFirstCommit(() -> told.add("handler " + request.getPathInfo()));
                        response.setStatus(
                                Integer.parseInt(request.getPathInfo().substring(1)));
                    })) {
                for (int status : new int[] {201, 422, 403, 500}) {
                    for (int i = 0; i < 2; i++) {
                        server.send(server.post("/" + status, "k-" + status, "{}"));
                    }
                }
                assertThat(told).as(level.name()).containsExactly("handler /201", "filter /201 acme");
            }
        }
    }

    @Test
    void lostStoreReplyDoesNotRunTheHandlerTwice() {
        for (Level level : Level.values()) {
            for (StoreCall call : new StoreCall[] {StoreCall.RESERVE, StoreCall.MOVE, StoreCall.COMMIT}) {
                runs.set(0);
                Store store =
                        new FaultyStore(new MemoryStore(TimeSource.system()), Faults.nth(1, call, Fault.LOSE_REPLY));
                try (FilteredServer server = FilteredServer.open(
                        container,
                        EngineSettings.on(store).withoutBackground(),
                        all -> all.withDefault(Rule.required().withLevel(level)),
                        (request, response) -> response.getWriter().write("run " + runs.incrementAndGet()))) {
                    ReceivedResponse first = server.send(server.post("/a", "k-1", "{}"));
                    assertThat(first.status()).isIn(200, 409);
                    ReceivedResponse second = server.send(server.post("/a", "k-1", "{}"));
                    assertThat(second.text()).as(level + " " + call).isEqualTo("run 1");
                    assertThat(runs).hasValue(1);
                }
            }
        }
    }

    /** As where many callers share a commit, and it fails. */
    private static final class TriedTwice extends ForwardingStore {
        TriedTwice(Store delegate) {
            super(delegate);
        }

        @Override
        public Optional<Transactions> transactions() {
            return delegate().transactions().map(real -> new ForwardingTransactions(real) {
                @Override
                public <T> T run(Work<T> work) throws Exception {
                    real.run(tx -> Transactions.Ended.undo(work.run(tx).value()));
                    return real.run(work);
                }
            });
        }
    }

    @Test
    void span_retriedTransactionSendsOneResponse() {
        MemoryStore memory = new MemoryStore(TimeSource.system());
        try (FilteredServer server = FilteredServer.open(
                container,
                EngineSettings.on(new TriedTwice(memory)).withoutBackground(),
                all -> all.withDefault(Rule.required().withLevel(Level.SPAN)),
                (request, response) -> {
                    int run = runs.incrementAndGet();
                    IdempotentExchange exchange = IdempotentExchange.of(request).orElseThrow();
                    assertThat(request.getAttribute("seen")).isNull();
                    request.setAttribute("seen", run);
                    exchange.transaction().unwrap(MemoryTable.class).put("effect", "run " + run);
                    exchange.afterFirstCommit(() -> told.add("run " + run));
                    response.addHeader("ETag", "\"" + run + "\"");
                    String body = new String(request.getInputStream().readAllBytes(), "UTF-8");
                    response.getWriter().write(body + run);
                })) {
            ReceivedResponse received = server.send(server.post("/a", "k-1", "{}"));
            assertThat(received.text()).isEqualTo("{}2");
            assertThat(received.headers().allValues("ETag")).containsExactly("\"2\"");
            assertThat(memory.table()).containsEntry("effect", "run 2");
            assertThat(told).containsExactly("run 2");
            assertThat(server.send(server.post("/a", "k-1", "{}")).text()).isEqualTo("{}2");
        }
    }

    @Test
    void timedOutHandlerIsInterruptedAndItsLevelDecides() throws Exception {
        for (Level level : Level.values()) {
            ManualTime time = new ManualTime(1_700_000_000_000L);
            EngineSettings engine =
                    EngineSettings.on(new MemoryStore(time)).withTime(time).withoutBackground();
            AtomicInteger entered = new AtomicInteger();
            try (FilteredServer server = FilteredServer.open(
                    container,
                    engine,
                    all -> all.withTime(time).withDefault(Rule.required().withLevel(level)),
                    (request, response) -> {
                        entered.incrementAndGet();
                        new CountDownLatch(1).await();
                    })) {
                CompletableFuture<ReceivedResponse> slow = server.sending(server.post("/a", "k-1", "{}"));
                Await.until("the handler runs", () -> entered.get() == 1);
                Await.until("the slow request is answered", () -> {
                    time.advance(Duration.ofSeconds(31));
                    server.engine().duties().keeper().tick();
                    return slow.isDone();
                });
                assertThat(slow.join().status()).isEqualTo(500);
                // The connections of a plain servlet are not watched, so its effects are unknown.
                State left = level == Level.SPAN ? State.FAILED_RETRYABLE : State.UNKNOWN;
                assertThat(server.engine().operator().list(left, RecordFilter.ALL, RecordFilter.Cursor.START, 2))
                        .hasSize(1);
            }
        }
    }
}
