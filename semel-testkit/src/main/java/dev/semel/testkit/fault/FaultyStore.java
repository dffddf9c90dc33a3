package dev.semel.testkit.fault;

import dev.semel.key.RecordId;
import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityRow;
import dev.semel.store.Arrival;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Enqueued;
import dev.semel.store.FoundRecords;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Permits;
import dev.semel.store.Queue;
import dev.semel.store.RecordFilter;
import dev.semel.store.Renewal;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.Seal;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Any store, with faults where {@link Faults} puts them. As thread-safe as the store and the faults are. */
public final class FaultyStore extends ForwardingStore {
    private final FaultPoint point;

    public FaultyStore(Store delegate, Faults faults) {
        super(delegate);
        this.point = new FaultPoint(faults);
    }

    @Override
    public Ledger ledger() {
        return new FaultyLedger(delegate().ledger(), point);
    }

    @Override
    public AuditLog audit() {
        return new FaultyAuditLog(delegate().audit(), point);
    }

    @Override
    public Switchboard switchboard() {
        return new FaultySwitchboard(delegate().switchboard(), point);
    }

    @Override
    public Optional<Transactions> transactions() {
        return delegate().transactions().map(transactions -> new FaultyTransactions(transactions, point));
    }

    @Override
    public Optional<Queue> queue() {
        return delegate().queue().map(queue -> new FaultyQueue(queue, point));
    }

    @Override
    public Optional<Permits> permits() {
        return delegate().permits().map(permits -> new FaultyPermits(permits, point));
    }

    @Override
    public Optional<ActivityLog> activity() {
        return delegate().activity().map(activity -> new FaultyActivityLog(activity, point));
    }

    /** The record that a move completes, with a result of its own; absent when it does something else. */
    static @Nullable RecordId completed(Move move) {
        return move.to() == State.COMPLETED ? move.id() : null;
    }

    private static final class FaultyPermits extends ForwardingPermits {
        private final FaultPoint point;

        FaultyPermits(Permits delegate, FaultPoint point) {
            super(delegate);
            this.point = point;
        }

        @Override
        public Taken take(Take take) {
            return point.pass(StoreCall.TAKE_PERMITS, () -> super.take(take));
        }
    }

    private static final class FaultyActivityLog extends ForwardingActivityLog {
        private final FaultPoint point;

        FaultyActivityLog(ActivityLog delegate, FaultPoint point) {
            super(delegate);
            this.point = point;
        }

        @Override
        public void write(List<ActivityRow> rows) {
            point.pass(StoreCall.WRITE_ACTIVITY, () -> {
                super.write(rows);
                return rows.size();
            });
        }
    }

    private static final class FaultyQueue extends ForwardingQueue {
        private final FaultPoint point;

        FaultyQueue(Queue delegate, FaultPoint point) {
            super(delegate);
            this.point = point;
        }

        @Override
        public List<Enqueued> enqueue(List<Arrival> batch) {
            return point.each(StoreCall.ENQUEUE, batch, Arrival::id, super::enqueue, Enqueued.EnqueueFailed::new);
        }

        @Override
        public Claimed claim(Claim claim) {
            return point.pass(StoreCall.CLAIM, () -> super.claim(claim));
        }

        @Override
        public List<Row> heldBy(String operation, long owner) {
            return point.pass(StoreCall.HELD_BY, () -> super.heldBy(operation, owner));
        }

        @Override
        public Optional<Row> head(long lane) {
            return point.pass(StoreCall.HEAD, () -> super.head(lane));
        }

        @Override
        public List<Row> unknownHeads(String operation, int limit) {
            return point.pass(StoreCall.UNKNOWN_HEADS, () -> super.unknownHeads(operation, limit));
        }

        @Override
        public Set<String> operations() {
            return point.pass(StoreCall.OPERATIONS, super::operations);
        }

        @Override
        public Backlog backlog(String operation) {
            return point.pass(StoreCall.BACKLOG, () -> super.backlog(operation));
        }
    }

    private static final class FaultyLedger extends ForwardingLedger {
        private final FaultPoint point;

        FaultyLedger(Ledger delegate, FaultPoint point) {
            super(delegate);
            this.point = point;
        }

        @Override
        public List<Reserved> reserve(long modesVersion, List<Reservation> batch) {
            return point.unlocked(
                    StoreCall.RESERVE,
                    batch,
                    each -> each.identity().id(),
                    new Reserved.Locked(),
                    some -> point.each(
                            StoreCall.RESERVE,
                            some,
                            each -> each.identity().id(),
                            rest -> super.reserve(modesVersion, rest),
                            Reserved.ReserveFailed::new));
        }

        @Override
        public List<Moved> move(List<Move> batch) {
            return point.unlocked(
                    StoreCall.MOVE,
                    batch,
                    Move::id,
                    new Moved.Locked(),
                    some -> point.each(
                            StoreCall.MOVE, some, FaultyStore::completed, super::move, Moved.NotStored::new));
        }

        @Override
        public Moved moveTogether(List<Move> batch) {
            if (batch.stream().anyMatch(move -> point.faults().locks(StoreCall.MOVE, move.id()))) {
                return new Moved.Locked();
            }
            batch.forEach(move -> point.demandData(StoreCall.MOVE, completed(move)));
            return point.pass(StoreCall.MOVE, () -> super.moveTogether(batch));
        }

        @Override
        public List<Boolean> renew(List<Renewal> batch) {
            batch.forEach(renewal -> point.demandUnlocked(StoreCall.RENEW, renewal.id()));
            return point.pass(StoreCall.RENEW, () -> super.renew(batch));
        }

        @Override
        public FoundRecords find(Collection<RecordId> ids) {
            return point.pass(StoreCall.FIND, () -> super.find(ids));
        }

        @Override
        public FoundRecords find(Collection<RecordId> ids, int inline) {
            return point.pass(StoreCall.FIND, () -> super.find(ids, inline));
        }

        @Override
        public List<Row> steps(RecordId parent) {
            return point.pass(StoreCall.STEPS, () -> super.steps(parent));
        }

        @Override
        public List<Row> overdue(State state, Collection<String> operations, RecordFilter.Cursor behind, int limit) {
            return point.pass(StoreCall.OVERDUE, () -> super.overdue(state, operations, behind, limit));
        }

        @Override
        public List<Row> overdueOutside(long patienceMillis, RecordFilter.Cursor behind, int limit) {
            return point.pass(StoreCall.OVERDUE, () -> super.overdueOutside(patienceMillis, behind, limit));
        }

        @Override
        public Map<String, Integer> purge(int limit, Function<Map<String, Integer>, List<AuditEntry>> events) {
            return point.pass(StoreCall.PURGE, () -> super.purge(limit, events));
        }
    }

    private static final class FaultyAuditLog extends ForwardingAuditLog {
        private final FaultPoint point;

        FaultyAuditLog(AuditLog delegate, FaultPoint point) {
            super(delegate);
            this.point = point;
        }

        @Override
        public void append(List<AuditEntry> entries) {
            point.pass(StoreCall.AUDIT_APPEND, () -> {
                super.append(entries);
                return entries;
            });
        }

        @Override
        public List<AuditRow> behindHorizon(AuditRow.Position after, int limit) {
            return point.pass(StoreCall.AUDIT_READ, () -> super.behindHorizon(after, limit));
        }

        @Override
        public List<AuditRow> between(AuditRow.Position after, AuditRow.Position upTo) {
            return point.pass(StoreCall.AUDIT_READ, () -> super.between(after, upTo));
        }

        @Override
        public List<AuditRow> newest(AuditFilter filter, int limit) {
            return point.pass(StoreCall.AUDIT_READ, () -> super.newest(filter, limit));
        }

        @Override
        public boolean add(Seal seal) {
            return point.pass(StoreCall.AUDIT_SEAL, () -> super.add(seal));
        }

        @Override
        public Optional<Seal> newestSeal() {
            return point.pass(StoreCall.AUDIT_READ, super::newestSeal);
        }

        @Override
        public List<Seal> seals(long from, int limit) {
            return point.pass(StoreCall.AUDIT_READ, () -> super.seals(from, limit));
        }
    }

    private static final class FaultySwitchboard extends ForwardingSwitchboard {
        private final FaultPoint point;

        FaultySwitchboard(Switchboard delegate, FaultPoint point) {
            super(delegate);
            this.point = point;
        }

        @Override
        public Modes modes() {
            return point.pass(StoreCall.MODES, super::modes);
        }

        @Override
        public long set(Setting setting, AuditEntry event) {
            return point.pass(StoreCall.SET_MODE, () -> super.set(setting, event));
        }

        @Override
        public long pause(Pause pause, AuditEntry event) {
            return point.pass(StoreCall.PAUSE, () -> super.pause(pause, event));
        }

        @Override
        public boolean resume(String operation, @Nullable String tenant, AuditEntry event) {
            return point.pass(StoreCall.RESUME, () -> super.resume(operation, tenant, event));
        }

        @Override
        public int epoch() {
            return point.pass(StoreCall.EPOCH, super::epoch);
        }

        @Override
        public int adopt(Function<Row, AuditEntry> forRecord, AuditEntry adoption) {
            return point.pass(StoreCall.ADOPT, () -> super.adopt(forRecord, adoption));
        }
    }
}
