package dev.semel.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.key.RecordId;
import dev.semel.store.Ledger;
import dev.semel.store.Renewal;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeaseKeeperTest {
    private static final Duration LEASE = Duration.ofSeconds(10);

    private final ManualTime time = new ManualTime(0);
    private final List<List<Renewal>> asked = new ArrayList<>();
    private final LeaseKeeper keeper = new LeaseKeeper(renewingAll(), time);

    private Ledger renewingAll() {
        return new ForwardingLedger(new MemoryStore(time).ledger()) {
            @Override
            public List<Boolean> renew(List<Renewal> batch) {
                asked.add(batch);
                return batch.stream().map(each -> true).toList();
            }
        };
    }

    private LeaseKeeper.Watched hold(RecordId id, long fence) {
        return keeper.hold(new LeaseKeeper.Lease(id, fence, LEASE, time.nanos()));
    }

    /** The store is promised that no record is in a batch twice. */
    @Test
    void runWhoseRecordWasGrantedAgainIsLostAndNotRenewed() {
        for (boolean olderFirst : List.of(true, false)) {
            asked.clear();
            try (LeaseKeeper.Watched one = hold(RecordId.LAST, olderFirst ? 7 : 9);
                    LeaseKeeper.Watched two = hold(RecordId.LAST, olderFirst ? 9 : 7)) {
                time.advance(LEASE.dividedBy(2));
                keeper.tick();
                assertThat(asked).containsExactly(List.of(new Renewal(RecordId.LAST, 9, LEASE.toMillis())));
                assertThat((olderFirst ? one : two).stopReason()).isEqualTo(LeaseKeeper.Stop.LEASE_LOST);
                assertThat((olderFirst ? two : one).stopReason()).isEqualTo(LeaseKeeper.Stop.NONE);
            }
        }
    }
}
