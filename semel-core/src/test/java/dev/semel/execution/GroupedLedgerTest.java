package dev.semel.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Key;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.key.Fingerprint;
import dev.semel.key.Identity;
import dev.semel.store.Header;
import dev.semel.store.Ledger;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.testkit.Await;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import dev.semel.watch.Watch;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class GroupedLedgerTest {
    private static final int LANES = 2;
    private static final long STALE = -1;

    private final MemoryStore store = new MemoryStore(TimeSource.system());
    private final CountDownLatch busy = new CountDownLatch(LANES);
    private final CountDownLatch go = new CountDownLatch(1);
    private final GroupedLedger commits = new GroupedLedger(new Failing(), TimeSource.system(), Watch.NONE);

    /** Its first calls wait until others have gathered; then it fails the calls with older modes. */
    private final class Failing extends ForwardingStore {
        Failing() {
            super(store);
        }

        @Override
        public Ledger ledger() {
            return new ForwardingLedger(store.ledger()) {
                @Override
                public List<Reserved> reserve(long modesVersion, List<Reservation> batch) {
                    if (batch.get(0).header().key().startsWith("busy")) {
                        busy.countDown();
                        awaitUninterrupted(go);
                    }
                    if (modesVersion == STALE) {
                        throw new SemelException.StoreUnavailable("simulated");
                    }
                    return super.reserve(modesVersion, batch);
                }
            };
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private FutureTask<Reserved> reserve(long modesVersion, String key) {
        FutureTask<Reserved> asked = new FutureTask<>(() -> commits.reserve(modesVersion, reservation(key)));
        Thread caller = new Thread(asked);
        caller.setDaemon(true);
        caller.start();
        Await.until("the caller waits in the queue", () -> caller.getState() == Thread.State.WAITING);
        return asked;
    }

    private static Reservation reservation(String key) {
        Identity identity = Identity.of(Tenant.of("acme"), "charge", Key.of(key));
        byte[] fingerprint = new byte[35];
        fingerprint[0] = Fingerprint.VERSION;
        Header header = new Header("acme", "charge", key, Fingerprint.of(fingerprint), "c", null);
        return new Reservation(
                identity, header, null, new Reservation.Grant(key.hashCode(), 30_000, true, 3, 0), null, null);
    }

    @Test
    void callersWithDifferentModesShareABatchAndOneFailedCommitFailsOnlyItsOwnCallers() throws Exception {
        long modes = store.switchboard().modes().version();
        for (int i = 0; i < LANES; i++) {
            reserve(modes, "busy" + i);
        }
        busy.await();
        FutureTask<Reserved> before = reserve(modes, "before");
        FutureTask<Reserved> stale = reserve(STALE, "stale");
        FutureTask<Reserved> after = reserve(modes, "after");
        go.countDown();
        assertThat(before.get()).isInstanceOf(Reserved.Granted.class);
        assertThat(after.get()).isInstanceOf(Reserved.Granted.class);
        assertThatThrownBy(stale::get).hasCauseInstanceOf(SemelException.StoreUnavailable.class);
        assertThat(store.ledger()
                        .find(List.of(reservation("stale").identity().id()))
                        .rows())
                .isEmpty();
    }
}
