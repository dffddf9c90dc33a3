package dev.semel.testkit.memory;

import dev.semel.SemelException;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.LookupResult;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.RecordWrite;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes are held back until the commit, which applies them under the store's lock or not at all. */
final class MemoryTransactions implements Transactions {
    private final MemoryState state;

    MemoryTransactions(MemoryState state) {
        this.state = state;
    }

    @Override
    public <T> T run(Work<T> work) throws Exception {
        try {
            return run(work, new MemoryTx(true));
        } catch (SentWithOtherPayload e) {
            return run(work, new MemoryTx(false));
        }
    }

    private static <T> T run(Work<T> work, MemoryTx tx) throws Exception {
        try {
            Ended<T> ended = work.run(tx);
            if (ended.keep()) {
                tx.commit();
            }
            return ended.value();
        } finally {
            tx.unlock();
        }
    }

    /** A message that was to go with the commit is there with another payload. */
    private static final class SentWithOtherPayload extends RuntimeException {
        private static final long serialVersionUID = 1;

        SentWithOtherPayload() {
            super(null, null, false, false);
        }
    }

    @Override
    public Tx join(Connection connection) {
        throw new SemelException.Invalid("The in-memory store has no JDBC transactions to join."
                + " Use sqlite:<file> or postgresql://..., or run the operation without joining.");
    }

    private final class MemoryTx implements Tx, MemoryTable {
        private List<RecordWrite> records = new ArrayList<>();
        private List<Move> moves = new ArrayList<>();
        private List<Move> movesOfArrivals = new ArrayList<>();
        private List<Arrival> arrivals = new ArrayList<>();
        private List<Arrival> withCommit = new ArrayList<>();
        private Map<String, String> writes = new HashMap<>();
        private final List<RecordId> locked = new ArrayList<>();
        private final boolean holdsBack;
        private int parts;

        /** @param holdsBack whether messages may go with the commit */
        MemoryTx(boolean holdsBack) {
            this.holdsBack = holdsBack;
        }

        @Override
        public Switchboard.Modes modes() {
            return state.modes();
        }

        @Override
        public List<LookupResult> lookUp(long modesVersion, List<Identity> identities) {
            return state.locked(() -> identities.stream()
                    .map(identity -> open(modesVersion, identity))
                    .toList());
        }

        /** The lock matters only to a record that can be run: the stored answer is there for all who ask at once. */
        private LookupResult open(long modesVersion, Identity identity) {
            long now = state.now();
            Row row = find(identity, now);
            boolean runnable = row == null || due(row, now);
            if (!runnable) {
                return new LookupResult.Found(MemoryState.copy(row), now);
            }
            Object holder = state.locks.putIfAbsent(identity.lock(), this);
            if (holder != null && holder != this) {
                return new LookupResult.Locked();
            }
            if (holder == null) {
                locked.add(identity.lock());
            }
            if (modesVersion != ANY_MODES && modesVersion != state.modesVersion) {
                return new LookupResult.ModesChanged();
            }
            return row == null ? new LookupResult.Free() : new LookupResult.Found(MemoryState.copy(row), now);
        }

        private @Nullable Row find(Identity identity, long now) {
            Row own = state.live(identity.id(), now);
            for (int i = 0; own == null && i < identity.neighbours().size(); i++) {
                own = state.live(identity.neighbours().get(i), now);
            }
            return own != null
                    ? own
                    : arrivals.stream()
                            .filter(sent -> sent.id().equals(identity.id())
                                    || identity.neighbours().contains(sent.id()))
                            .map(this::queued)
                            .findFirst()
                            .orElse(null);
        }

        /** The messages that this transaction sent, as the transaction itself sees them. */
        private Row queued(Arrival sent) {
            Move moved = moveOfArrival(sent.id());
            State now = moved == null ? State.QUEUED : Objects.requireNonNull(moved.to());
            return new Row(sent.id(), sent.header(), new Status(now, 0, 0, 0, 0, 0), sent.payload(), null, null);
        }

        private static boolean due(Row row, long now) {
            return row.state() == State.FAILED_RETRYABLE && row.status().at() <= now;
        }

        @Override
        public void write(List<RecordWrite> added) {
            added.forEach(this::demandFree);
            records.addAll(added);
        }

        private void demandFree(RecordWrite write) {
            Row row = state.locked(() -> state.live(write.id(), state.now()));
            if (row != null && !due(row, state.now())) {
                throw new SemelException.LeaseLost(
                        write.header().operation() + "/" + write.id() + " (tenant "
                                + write.header().tenant() + "): another run left it " + row.state()
                                + "; nothing was committed; repeat the call to get its answer.",
                        row.status().fence());
            }
        }

        @Override
        public List<Moved> move(List<Move> added) {
            return state.locked(() -> added.stream().map(this::move).toList());
        }

        private Moved move(Move move) {
            if (arrivals.stream().anyMatch(arrival -> arrival.id().equals(move.id()))) {
                return moveArrival(move);
            }
            boolean again = moves.stream()
                    .anyMatch(earlier -> earlier.id().equals(move.id())
                            && earlier.fence() == move.fence()
                            && earlier.to() == move.to());
            Moved judged = again ? new Moved.Same() : MemoryLedger.judged(state, move);
            if (judged instanceof Moved.Applied) {
                moves.add(move);
            }
            return judged;
        }

        /** Of a record that this transaction itself has made: once, and then removed. */
        private Moved moveArrival(Move move) {
            Move earlier = moveOfArrival(move.id());
            State now = earlier == null ? State.QUEUED : Objects.requireNonNull(earlier.to());
            if (move.fence() != 0 || !move.from().contains(now) || earlier != null && move.to() != null) {
                return earlier != null && now == move.to() && move.fence() == 0
                        ? new Moved.Same()
                        : new Moved.Refused(new Status(now, 0, 0, 0, 0, 0));
            }
            if (move.to() == null) {
                arrivals.removeIf(arrival -> arrival.id().equals(move.id()));
                movesOfArrivals.remove(earlier);
            } else {
                movesOfArrivals.add(move);
            }
            return new Moved.Applied();
        }

        private @Nullable Move moveOfArrival(RecordId id) {
            return movesOfArrivals.stream()
                    .filter(move -> move.id().equals(id))
                    .findFirst()
                    .orElse(null);
        }

        /** Whether this transaction has removed the record, so that it can be made again. */
        private boolean isRemoved(RecordId id) {
            return moves.stream()
                    .anyMatch(move -> move.to() == null && move.id().equals(id));
        }

        @Override
        public List<Enqueued> enqueue(List<Arrival> added) {
            return state.locked(() -> added.stream().map(this::enqueue).toList());
        }

        private Enqueued enqueue(Arrival arrival) {
            for (Arrival earlier : arrivals) {
                if (earlier.id().equals(arrival.id())) {
                    return new Enqueued.Existing(queued(earlier));
                }
            }
            Row found = state.live(arrival.id(), state.now());
            if (found != null && !isRemoved(arrival.id())) {
                return new Enqueued.Existing(MemoryState.copy(found));
            }
            arrivals.add(arrival);
            return new Enqueued.Made();
        }

        @Override
        public boolean holdMessages(Runnable beforeSavepoint) {
            return holdsBack;
        }

        @Override
        public Optional<List<Enqueued>> enqueueWithCommit(List<Arrival> batch) {
            if (!holdsBack || parts > 0) {
                return Optional.of(enqueue(batch));
            }
            withCommit.addAll(batch);
            return Optional.empty();
        }

        /** A message under the key of a record that is written cannot be stored beside it. */
        private void demandDistinct() {
            for (RecordWrite write : records) {
                if (arrivals.stream().anyMatch(arrival -> arrival.id().equals(write.id()))) {
                    throw new SemelException.LeaseLost(
                            write.header().operation() + "/" + write.id() + " (tenant "
                                    + write.header().tenant() + "): a message was sent under the key of the record;"
                                    + " nothing was committed.",
                            0);
                }
            }
        }

        private void addHeldBack() {
            for (Arrival arrival : withCommit) {
                if (enqueue(arrival) instanceof Enqueued.Existing existing
                        && !existing.row()
                                .header()
                                .fingerprint()
                                .equals(arrival.header().fingerprint())) {
                    throw new SentWithOtherPayload();
                }
            }
        }

        @Override
        public <T> T part(Part<T> part) throws Exception {
            parts++;
            List<RecordWrite> recordsBefore = List.copyOf(records);
            List<Move> movesBefore = List.copyOf(moves);
            List<Move> movesOfArrivalsBefore = List.copyOf(movesOfArrivals);
            List<Arrival> arrivalsBefore = List.copyOf(arrivals);
            Map<String, String> writesBefore = Map.copyOf(writes);
            boolean kept = false;
            try {
                Ended<T> ended = part.run();
                kept = ended.keep();
                return ended.value();
            } finally {
                parts--;
                if (!kept) {
                    records = new ArrayList<>(recordsBefore);
                    moves = new ArrayList<>(movesBefore);
                    movesOfArrivals = new ArrayList<>(movesOfArrivalsBefore);
                    arrivals = new ArrayList<>(arrivalsBefore);
                    writes = new HashMap<>(writesBefore);
                }
            }
        }

        @Override
        public @Nullable Connection connection() {
            return null;
        }

        @Override
        public <T> T unwrap(Class<T> type) {
            if (type != MemoryTable.class) {
                throw new SemelException.Invalid(
                        "The in-memory store has a MemoryTable, not a " + type.getName() + ".");
            }
            return type.cast(this);
        }

        @Override
        public @Nullable String get(String key) {
            String written = writes.get(key);
            return written != null ? written : state.locked(() -> state.table.get(key));
        }

        @Override
        public void put(String key, String value) {
            writes.put(key, value);
        }

        void commit() {
            state.locked(() -> {
                records.forEach(this::demandFree);
                demandUnsent();
                addHeldBack();
                demandDistinct();
                for (Move move : moves) {
                    if (!(MemoryLedger.judged(state, move) instanceof Moved.Applied)) {
                        throw new SemelException.LeaseLost(
                                "Record " + move.id() + ": lease lost; nothing was committed.", move.fence());
                    }
                }
                moves.forEach(move -> MemoryLedger.move(state, move));
                records.forEach(this::apply);
                arrivals.forEach(arrival -> MemoryQueue.enqueue(state, arrival));
                movesOfArrivals.forEach(move -> MemoryLedger.move(state, move));
                state.table.putAll(writes);
                return true;
            });
        }

        /** Two transactions that send the same message: the second one is run again, and finds it sent. */
        private void demandUnsent() {
            for (Arrival arrival : arrivals) {
                if (!isRemoved(arrival.id()) && state.live(arrival.id(), state.now()) != null) {
                    throw new SemelException.LeaseLost(
                            arrival.header().operation() + "/" + arrival.id() + " (tenant "
                                    + arrival.header().tenant() + "): another transaction sent it meanwhile; nothing"
                                    + " was committed; repeat the call.",
                            0);
                }
            }
        }

        private void apply(RecordWrite write) {
            long now = state.now();
            state.remove(write.id());
            RecordWrite.WriteTimes times = write.times();
            Status status = new Status(
                    write.state(),
                    state.nextFence(),
                    times.attempt(),
                    MemoryState.after(now, times.delayMillis()),
                    times.keepMillis(),
                    0);
            RecordWrite.WrittenOutcome outcome = write.outcome();
            state.put(new Row(write.id(), write.header(), status, null, outcome.result(), outcome.failure()));
            state.append(write.event(), status.fence(), status.attempt());
        }

        void unlock() {
            state.locked(() -> {
                locked.forEach(id -> state.locks.remove(id, this));
                return true;
            });
        }
    }
}
