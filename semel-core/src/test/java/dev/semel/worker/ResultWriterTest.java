package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.execution.DeliveryResult;
import dev.semel.execution.GroupedLedger;
import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import dev.semel.watch.Watch;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ResultWriterTest {
    @Test
    void unexpectedExceptionOfTheStoreDoesNotEndTheWriterThread() throws Exception {
        var store = new ForwardingStore(new MemoryStore(TimeSource.system())) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(delegate().ledger()) {
                    @Override
                    public List<Moved> move(List<Move> batch) {
                        throw new IllegalStateException("simulated");
                    }
                };
            }
        };
        TimeSource time = TimeSource.system();
        var told = new LinkedBlockingQueue<String>();
        Move move = Transition.COMPLETE.of(RecordId.LAST, 1, Move.Change.NONE, null);
        try (ResultWriter writer = new ResultWriter(new GroupedLedger(store, time, Watch.NONE), time, 1, () -> {})) {
            for (String name : List.of("first", "second")) {
                writer.add(
                        new DeliveryResult(DeliveryResult.ResultKind.DONE, move, null),
                        moved -> told.add(name + " " + moved));
                assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo(name + " null");
            }
        }
    }
}
