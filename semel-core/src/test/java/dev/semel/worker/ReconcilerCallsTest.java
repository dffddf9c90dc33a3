package dev.semel.worker;

import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.key.Fingerprint;
import dev.semel.key.Identity;
import dev.semel.store.Header;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ReconcilerCallsTest {
    private static final int OPERATIONS = 12;

    /**
     * Each reconciler ends only once all are interrupted. A close that waits for one operation before it interrupts the next
     * would wait its whole bound of five seconds for each.
     */
    @Test
    @Timeout(300)
    void closeInterruptsTheReconcilersOfAllOperationsBeforeItWaitsForOne() throws Exception {
        ReconcilerCalls calls = new ReconcilerCalls(TimeSource.system(), Duration.ofMinutes(1), true);
        CountDownLatch begun = new CountDownLatch(OPERATIONS);
        CountDownLatch interrupted = new CountDownLatch(OPERATIONS);
        CountDownLatch ended = new CountDownLatch(OPERATIONS);
        for (int i = 0; i < OPERATIONS; i++) {
            calls.ask(row("operation-" + i), inquiry -> {
                begun.countDown();
                hangUntilInterrupted();
                interrupted.countDown();
                await(interrupted);
                ended.countDown();
            });
        }
        begun.await();
        calls.close();
        ended.await();
    }

    private static Row row(String operation) {
        Identity identity = Identity.of(Tenant.SINGLE, operation, Key.of("k"));
        Header header = new Header(Tenant.SINGLE.name(), operation, "k", Fingerprint.of(new byte[35]), "c", null);
        return new Row(identity.id(), header, new Status(State.UNKNOWN, 1, 1, 0, 0, 0), null, null, null);
    }

    private static void hangUntilInterrupted() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException expected) {
            // What close does.
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted a second time", e);
        }
    }
}
