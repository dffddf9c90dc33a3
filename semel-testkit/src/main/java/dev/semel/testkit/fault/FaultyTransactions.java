package dev.semel.testkit.fault;

import dev.semel.key.Identity;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.LookupResult;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.RecordWrite;
import dev.semel.store.State;
import dev.semel.store.Transactions;
import java.util.List;
import java.util.Optional;

/** The work always runs; the fault strikes at the commit, and inside at each call of the ledger. */
final class FaultyTransactions extends ForwardingTransactions {
    private final FaultPoint point;

    FaultyTransactions(Transactions delegate, FaultPoint point) {
        super(delegate);
        this.point = point;
    }

    @Override
    public <T> T run(Work<T> work) throws Exception {
        Faults.Fault[] struck = {Faults.Fault.NONE};
        T value = super.run(tx -> {
            Ended<T> ended = work.run(tx);
            struck[0] = ended.keep() ? point.faults().at(StoreCall.COMMIT) : Faults.Fault.NONE;
            boolean commits = struck[0] == Faults.Fault.NONE || struck[0] == Faults.Fault.LOSE_REPLY;
            return commits ? ended : Ended.undo(ended.value());
        });
        point.faults().done(StoreCall.COMMIT);
        return switch (struck[0]) {
            case NONE -> value;
            case FAIL_BEFORE, FAIL_AFTER -> throw FaultPoint.unavailable(StoreCall.COMMIT);
            case LOSE_REPLY, UNKNOWN -> throw FaultPoint.unknown(StoreCall.COMMIT);
        };
    }

    @Override
    protected Tx wrap(Tx tx) {
        return new FaultyTx(tx, point);
    }

    private static final class FaultyTx extends ForwardingTx {
        private final FaultPoint point;

        FaultyTx(Tx delegate, FaultPoint point) {
            super(delegate);
            this.point = point;
        }

        @Override
        public List<LookupResult> lookUp(long modesVersion, List<Identity> identities) {
            return point.pass(StoreCall.LOOK_UP, () -> super.lookUp(modesVersion, identities));
        }

        @Override
        public void write(List<RecordWrite> writes) {
            writes.stream()
                    .filter(write -> write.state() == State.COMPLETED)
                    .forEach(write -> point.demandData(StoreCall.WRITE, write.id()));
            point.pass(StoreCall.WRITE, () -> {
                super.write(writes);
                return writes;
            });
        }

        @Override
        public List<Moved> move(List<Move> moves) {
            moves.forEach(move -> point.demandData(StoreCall.TX_MOVE, FaultyStore.completed(move)));
            return point.pass(StoreCall.TX_MOVE, () -> super.move(moves));
        }

        @Override
        public List<Enqueued> enqueue(List<Arrival> batch) {
            batch.forEach(arrival -> point.demandData(StoreCall.TX_ENQUEUE, arrival.id()));
            return point.pass(StoreCall.TX_ENQUEUE, () -> super.enqueue(batch));
        }

        @Override
        public Optional<List<Enqueued>> enqueueWithCommit(List<Arrival> batch) {
            batch.forEach(arrival -> point.demandData(StoreCall.TX_ENQUEUE, arrival.id()));
            return point.pass(StoreCall.TX_ENQUEUE, () -> super.enqueueWithCommit(batch));
        }
    }
}
