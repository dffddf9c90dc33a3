package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.engine.EngineSettings;
import dev.semel.testkit.Await;
import dev.semel.time.ManualTime;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A mark whose transaction is still open decides: requests in the meantime wait for it and never guess. */
@Timeout(300)
class MarkRaceTest {
    private final TestDatabase ground = TestDatabase.Kind.POSTGRESQL.fresh();
    private final ManualTime time = new ManualTime(1_700_000_000_000L);
    private final AtomicInteger runs = new AtomicInteger();

    private FilteredServer server(App app) {
        EngineSettings engine =
                EngineSettings.on(ground.open(time)).withTime(time).withoutBackground();
        Rule rule = Rule.required().withLevel(Level.MARKER);
        return FilteredServer.open(
                Container.JETTY,
                engine,
                all -> all.withTime(time).withEffects(Hooks.Effects.ONLY_MARKED).withDefault(rule),
                app);
    }

    private boolean somebodyWaitsForALock() {
        try (Connection connection = ground.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select count(*) from pg_stat_activity"
                        + " where datname = current_database() and wait_event_type = 'Lock'")) {
            rows.next();
            return rows.getInt(1) > 0;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void requestThatWouldBeTakenOverWaitsForItsMark() throws Exception {
        CountDownLatch marked = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        App app = (request, response) -> {
            int run = runs.incrementAndGet();
            try (Connection connection = ground.connect()) {
                connection.setAutoCommit(false);
                TestDatabase.effect(connection, "one");
                IdempotentExchange.of(request).orElseThrow().mark(connection);
                marked.countDown();
                assertThat(go.await(120, TimeUnit.SECONDS)).isTrue();
                connection.commit();
            }
            response.getWriter().write("run " + run);
        };
        try (FilteredServer first = server(app)) {
            CompletableFuture<ReceivedResponse> slow = first.sending(first.post("/a", "k-1", "{}"));
            assertThat(marked.await(120, TimeUnit.SECONDS)).isTrue();
            time.advance(Duration.ofMinutes(2));
            try (FilteredServer second = server(app)) {
                CompletableFuture<ReceivedResponse> other = second.sending(second.post("/a", "k-1", "{}"));
                Await.until("a session waits for a lock", this::somebodyWaitsForALock);
                go.countDown();
                assertThat(slow.join().text()).isEqualTo("run 1");
                ReceivedResponse received = other.join();
                assertThat(received.header("Idempotency-Notice")
                                .orElseGet(() -> received.status() == 409 ? received.code() : received.text()))
                        .isIn("run 1", "idempotency.in_progress", "idempotency.response_not_kept");
                assertThat(runs).hasValue(1);
                assertThat(ground.effects("one")).isEqualTo(1);
            }
        }
    }

    @Test
    void a5_failureDuringTheCommitIsDecidedByTheCommit() throws Exception {
        for (boolean commits : new boolean[] {true, false}) {
            runs.set(0);
            String name = commits ? "committed" : "rolled-back";
            try (Connection connection = ground.connect();
                    FilteredServer server = server((request, response) -> {
                        if (runs.incrementAndGet() == 1) {
                            connection.setAutoCommit(false);
                            TestDatabase.effect(connection, name);
                            IdempotentExchange.of(request).orElseThrow().mark(connection);
                            throw new SQLException("the reply to COMMIT was lost");
                        }
                        ground.marked(IdempotentExchange.of(request).orElseThrow(), name);
                    })) {
                CompletableFuture<ReceivedResponse> first = server.sending(server.post("/a", name, "{}"));
                Await.until("a session waits for a lock", this::somebodyWaitsForALock);
                if (commits) {
                    connection.commit();
                } else {
                    connection.rollback();
                }
                assertThat(first.join().status()).isEqualTo(500);
                time.advance(Duration.ofMinutes(2));
                ReceivedResponse again = server.send(server.post("/a", name, "{}"));
                assertThat(again.status()).isEqualTo(commits ? 409 : 200);
                assertThat(runs).hasValue(commits ? 1 : 2);
                assertThat(ground.effects(name)).isEqualTo(1);
            }
        }
    }
}
