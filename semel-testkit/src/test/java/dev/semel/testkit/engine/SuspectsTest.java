package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Claim;
import dev.semel.store.Reservation;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** D3: messages of a dead node run one at a time on a node with many threads, and block nothing else. */
@Timeout(300)
class SuspectsTest {
    private static final int SUSPECTS = 20;
    private static final int FRESH = 40;
    private static final Tenant ACME = Tenant.of("acme");
    private static final Policy QUICK = Policy.named("quick")
            .withLease(Duration.ofSeconds(20))
            .withAttemptTimeout(Duration.ofMinutes(1))
            .build();
    private static final Channel.Leased<String> MAIL =
            Channel.leased("mail", String.class).withPolicy("quick");
    private static final Channel.Atomic<String> POST =
            Channel.atomic("post", String.class).withPolicy("quick");

    private final MemoryStore store = new MemoryStore(TimeSource.system());
    private final CountDownLatch freshOnes = new CountDownLatch(2 * FRESH);
    private final CountDownLatch suspects = new CountDownLatch(2 * SUSPECTS);
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private final Set<String> unwritten = ConcurrentHashMap.newKeySet();

    @Test
    void d3_suspectsOfAllChannelsRunOneAtATimeWhileOthersFlow() throws Exception {
        try (Engine engine = EngineSettings.on(store).withPolicy(QUICK).open()) {
            for (Channel<String> channel : List.of(MAIL, POST)) {
                leaveSuspects(engine, channel);
                for (int i = 0; i < FRESH; i++) {
                    engine.send(channel, message("fresh" + i)).orThrow();
                }
            }
            engine.handle(MAIL, (text, run) -> handle(MAIL, text));
            engine.handle(POST, (text, tx) -> handle(POST, text));
            freshOnes.await();
            suspects.await();
            assertThat(mostAtOnce).hasValue(1);
            assertThat(unwritten)
                    .as("begun before the end of the one before was written")
                    .isEmpty();
        }
        for (Channel<String> channel : List.of(MAIL, POST)) {
            for (int i = 0; i < SUSPECTS; i++) {
                Row row = row(channel, "suspect" + i);
                assertThat(row.state()).isEqualTo(State.COMPLETED);
                assertThat(row.status().attempt()).isEqualTo(1);
            }
        }
    }

    private final Set<String> handled = ConcurrentHashMap.newKeySet();

    /** The first suspect does not go on before all that is fresh was handled. */
    private void handle(Channel<String> channel, String text) throws InterruptedException {
        if (text.startsWith("fresh")) {
            freshOnes.countDown();
            return;
        }
        mostAtOnce.accumulateAndGet(running.incrementAndGet(), Math::max);
        handled.stream()
                .filter(name ->
                        store.ledger().find(List.of(id(name))).get(id(name)).state() != State.COMPLETED)
                .forEach(unwritten::add);
        freshOnes.await();
        handled.add(channel.name() + "/" + text);
        running.decrementAndGet();
        suspects.countDown();
    }

    private static Message<String> message(String key) {
        return Message.of(ACME, Key.of(key), key);
    }

    /** Messages that another node had claimed, and whose leases are over. */
    private void leaveSuspects(Engine engine, Channel<String> channel) {
        for (int i = 0; i < SUSPECTS; i++) {
            engine.send(channel, message("suspect" + i)).orThrow();
        }
        store.queue()
                .orElseThrow()
                .claim(new Claim(
                        channel.name(),
                        store.switchboard().modes().version(),
                        new Reservation.Grant(7, 0, true, 3),
                        new Claim.Amount(SUSPECTS, 1, Claim.Budget.NONE),
                        Claim.Turns.ALL,
                        row -> null));
    }

    private static RecordId id(String name) {
        String channel = name.substring(0, name.indexOf('/'));
        return Identity.of(ACME, channel, Key.of(name.substring(name.indexOf('/') + 1)))
                .id();
    }

    private Row row(Channel<String> channel, String key) {
        RecordId id = id(channel.name() + "/" + key);
        return store.ledger().find(List.of(id)).get(id);
    }
}
