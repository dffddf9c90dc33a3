package dev.semel.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Semel;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.History;
import dev.semel.testkit.history.HistoryChecker;
import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Rule;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Servers are killed under load while webhooks arrive, most of them twice: no acknowledged webhook is lost, none is applied twice by a
 * receiver that checks keys, and the order of each lane is kept. With {@code -Dsemel.kills} so often.
 */
@Timeout(1_200)
class WebhookKillTest {
    private static final int KILLS = Integer.getInteger("semel.kills", Boolean.getBoolean("semel.campaign") ? 100 : 4);
    private static final int LANES = 6;

    /** Acknowledged between two kills. */
    private static final int STRIDE = 60;

    /** So many may be acknowledged before the next kill: a server that starts slowly adds no load without end. */
    private static final int MOST_AHEAD = 5 * STRIDE;

    /** Between two tries of one webhook, so that a server that is down is not asked without end. */
    private static final long PAUSE = 10_000_000;

    private static final JsonMapper JSON = JsonMapper.shared();

    private final History senders = History.inMemory("senders", TimeSource.system());
    private final List<ServerProcess> servers = new CopyOnWriteArrayList<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger killed = new AtomicInteger();
    private final AtomicBoolean ended = new AtomicBoolean();

    @Test
    void f6_killedServerOnSqliteLosesNoAcknowledgedWebhookAndDeliversEachOnceInOrder(@TempDir Path directory)
            throws Exception {
        judge("sqlite:" + directory.resolve("ledger.db"), 1);
    }

    @Test
    void f6_threeKilledServersOnPostgresqlLoseNoAcknowledgedWebhookAndDeliverEachOnceInOrder() throws Exception {
        PrivatePostgres postgres = PrivatePostgres.shared();
        judge(postgres.url(postgres.freshDatabase()), 3);
    }

    private void judge(String store, int nodes) throws Exception {
        List<CompletableFuture<Void>> lanes = new ArrayList<>();
        try (Receiver receiver = new Receiver()) {
            for (int i = 0; i < nodes; i++) {
                servers.add(ServerProcess.start(store, receiver.url()));
            }
            for (int i = 0; i < LANES; i++) {
                String lane = "lane-" + i;
                lanes.add(CompletableFuture.runAsync(() -> send(lane)));
            }
            for (int kill = 1; kill <= KILLS; kill++) {
                int due = kill * STRIDE;
                Await.until("webhooks are accepted between two kills", () -> accepted.get() >= due);
                ServerProcess victim = servers.get(kill % nodes);
                victim.kill();
                servers.set(servers.indexOf(victim), ServerProcess.start(store, receiver.url()));
                killed.incrementAndGet();
            }
            ended.set(true);
            lanes.forEach(CompletableFuture::join);
            Await.until("all are delivered", () -> receiver.applied().size() >= accepted.get());
            for (ServerProcess server : servers) {
                assertThat(server.stop()).as("it ends by itself").isTrue();
            }
            History ledger = History.inMemory("ledger", TimeSource.system());
            readLedger(store, ledger);
            Judgement judgement = HistoryChecker.check(History.merge(List.of(senders, receiver.history(), ledger)));
            System.out.println(
                    "F6 on " + nodes + " nodes: " + KILLS + " kills, " + accepted + " webhooks, " + judgement.counts());
            judgement.assertHolds(Rule.R1, Rule.R2, Rule.R4, Rule.R7, Rule.R10);
            assertThat(receiver.applied()).hasSize(accepted.get());
        } finally {
            ended.set(true);
            servers.forEach(ServerProcess::close);
        }
    }

    /** One after the other, each until it is acknowledged, and many of them once more. */
    private void send(String lane) {
        StripeSender sender = new StripeSender();
        try {
            for (int number = 1; !ended.get(); number++) {
                while (accepted.get() > killed.get() * STRIDE + MOST_AHEAD && !ended.get()) {
                    LockSupport.parkNanos(PAUSE);
                }
                String id = lane + "-" + number;
                String body = StripeSender.body(id, lane, number);
                while (!sent(sender, id, body)) {
                    LockSupport.parkNanos(PAUSE);
                }
                accepted.incrementAndGet();
                if (ThreadLocalRandom.current().nextBoolean()) {
                    sent(sender, id, body);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean sent(StripeSender sender, String id, String body) throws InterruptedException {
        long call = senders.invoke(id, body.getBytes(StandardCharsets.UTF_8));
        URI server =
                servers.get(ThreadLocalRandom.current().nextInt(servers.size())).uri();
        boolean acknowledged = sender.acknowledged(server, body).isPresent();
        senders.end(id, call, acknowledged ? Event.Ending.ACCEPTED : Event.Ending.UNKNOWN, Event.Grant.NONE, null);
        return acknowledged;
    }

    /** Where each webhook was left on its way to the destination. */
    private static void readLedger(String store, History ledger) throws IOException {
        try (Semel semel = Semel.open(store)) {
            Operator operator = Engine.behind(semel).orElseThrow().operator();
            RecordFilter filter = new RecordFilter(null, "destination.sink", false, Long.MAX_VALUE);
            for (State state : State.values()) {
                RecordFilter.Cursor behind = RecordFilter.Cursor.START;
                List<Row> rows = operator.list(state, filter, behind, 500);
                while (!rows.isEmpty()) {
                    for (Row row : rows) {
                        JsonNode webhook = JSON.readTree(Objects.requireNonNull(row.payload()));
                        String id = JSON.readTree(webhook.get("body").binaryValue())
                                .get("id")
                                .asString();
                        ledger.append(stamp -> new Event.Left(stamp, id, state.name(), null, false));
                    }
                    rows = operator.list(state, filter, RecordFilter.Cursor.behind(rows.get(rows.size() - 1)), 500);
                }
            }
        }
    }
}
