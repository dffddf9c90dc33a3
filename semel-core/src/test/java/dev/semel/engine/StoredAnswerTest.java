package dev.semel.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Tenant;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingTransactions;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class StoredAnswerTest {
    private static final Operation.Atomic<String, String> CHARGE =
            Operation.atomic("charge", String.class, String.class);

    private final CountDownLatch waiting = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    /** Holds up the transactions of one thread. */
    private final class Slow extends ForwardingStore {
        private final Thread quick = Thread.currentThread();

        Slow(Store delegate) {
            super(delegate);
        }

        @Override
        public Optional<Transactions> transactions() {
            return super.transactions().map(delegate -> new ForwardingTransactions(delegate) {
                @Override
                public <T> T run(Work<T> work) throws Exception {
                    if (Thread.currentThread() != quick) {
                        waiting.countDown();
                        goOn.await();
                    }
                    return super.run(work);
                }
            });
        }
    }

    @Test
    void isGivenAtOnceAlsoWhileAnotherCallerIsStillFetchingIt() throws Exception {
        try (Engine engine = EngineSettings.on(new Slow(new MemoryStore(TimeSource.system())))
                .withoutBackground()
                .open()) {
            assertThat(charge(engine, "a")).isInstanceOf(Answer.Executed.class);
            CompletableFuture<Answer<String>> slow = CompletableFuture.supplyAsync(() -> charge(engine, "a"));
            assertThat(waiting.await(120, TimeUnit.SECONDS)).isTrue();
            assertThat(charge(engine, "a")).isInstanceOf(Answer.Replayed.class);
            assertThat(charge(engine, "b")).isInstanceOf(Answer.Conflict.class);
            goOn.countDown();
            assertThat(slow.get(120, TimeUnit.SECONDS)).isInstanceOf(Answer.Replayed.class);
        }
    }

    private static Answer<String> charge(Engine engine, String payload) {
        return engine.run(CHARGE, Call.of(Tenant.of("acme"), Key.of("k"), payload), (given, tx) -> "done");
    }
}
