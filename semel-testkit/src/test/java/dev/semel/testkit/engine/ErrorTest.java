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
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** B8: running out of memory during any background work does not end a node. */
@Timeout(300)
class ErrorTest {
    private static final Tenant ACME = Tenant.of("acme");
    private static final Policy HASTY = Policy.named("hasty")
            .withMaxAttempts(1_000)
            .withLease(Duration.ofSeconds(2))
            .withDelays(Duration.ofMillis(10))
            .build();

    /** The repeated store calls of a node that handles leased messages. */
    private static final Set<StoreCall> OF_LEASED =
            EnumSet.of(StoreCall.CLAIM, StoreCall.MOVE, StoreCall.OVERDUE, StoreCall.MODES);

    private static final Set<StoreCall> OF_ATOMIC =
            EnumSet.of(StoreCall.CLAIM, StoreCall.TX_MOVE, StoreCall.COMMIT, StoreCall.OVERDUE, StoreCall.MODES);

    /** Each kind of call fails once. */
    private static final class Starving implements Faults {
        private final Set<StoreCall> struck = ConcurrentHashMap.newKeySet();
        private volatile boolean starving;

        @Override
        public Fault at(StoreCall call) {
            if (starving && struck.add(call)) {
                throw new OutOfMemoryError("simulated at " + call);
            }
            return Fault.NONE;
        }

        @Override
        public void done(StoreCall call) {}
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b8_aNodeWhoseStoreCallsRunOutOfMemoryGoesOn(boolean atomic) throws Exception {
        MemoryStore store = new MemoryStore(TimeSource.system());
        Starving starving = new Starving();
        Channel.Atomic<String> book =
                Channel.atomic("book", String.class).withPolicy("hasty").withLane(text -> "lane");
        Channel.Leased<String> call =
                Channel.leased("call", String.class).withPolicy("hasty").withLane(text -> "lane");
        Channel<String> channel = atomic ? book : call;
        List<String> keys = new ArrayList<>();
        try (Engine engine = EngineSettings.on(new FaultyStore(store, starving))
                .withPolicy(HASTY)
                .open()) {
            for (int i = 0; i < 20; i++) {
                keys.add("k" + i);
                engine.send(channel, Message.of(ACME, Key.of("k" + i), "x")).orThrow();
            }
            starving.starving = true;
            // The handlers sleep so that messages still wait when the other store calls fail.
            if (atomic) {
                engine.handle(book, (text, tx) -> Thread.sleep(20));
            } else {
                engine.handle(call, (text, run) -> Thread.sleep(20));
            }
            Await.until(
                    "each kind of store call has failed",
                    () -> starving.struck.containsAll(atomic ? OF_ATOMIC : OF_LEASED));
            starving.starving = false;
            keys.add("after");
            engine.send(channel, Message.of(ACME, Key.of("after"), "x")).orThrow();
            for (String key : keys) {
                Await.until(
                        key + " is completed", () -> row(store, channel, key).state() == State.COMPLETED);
            }
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
    }

    private static Row row(MemoryStore store, Channel<String> channel, String key) {
        RecordId id = Identity.of(ACME, channel.name(), Key.of(key)).id();
        return store.ledger().find(List.of(id)).get(id);
    }
}
