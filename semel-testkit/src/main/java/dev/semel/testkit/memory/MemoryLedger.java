package dev.semel.testkit.memory;

import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.CompletedMessage;
import dev.semel.store.FoundRecords;
import dev.semel.store.Ledger;
import dev.semel.store.Line;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.OutsideGrant;
import dev.semel.store.RecordFilter;
import dev.semel.store.Renewal;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.StateCensus;
import dev.semel.store.StateCount;
import dev.semel.store.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

final class MemoryLedger implements Ledger {
    private final MemoryState state;

    MemoryLedger(MemoryState state) {
        this.state = state;
    }

    @Override
    public List<Reserved> reserve(long modesVersion, List<Reservation> batch) {
        return state.locked(() -> batch.stream()
                .map(reservation -> reserve(modesVersion, reservation))
                .toList());
    }

    private Reserved reserve(long modesVersion, Reservation asked) {
        long now = state.now();
        if (parentLost(asked.parent())) {
            return new Reserved.ParentLost();
        }
        Row found = find(asked, now);
        if (found != null) {
            Status status = found.status();
            boolean own = status.state() == State.IN_PROGRESS
                    && status.owner() == asked.grant().owner();
            if (own) {
                return new Reserved.Granted(status.fence(), status.attempt(), false);
            }
            boolean neighbour = !found.id().equals(asked.identity().id());
            boolean another =
                    !found.header().fingerprint().equals(asked.header().fingerprint());
            boolean free = asked.grant().mayBeOf(status) && grantable(status, asked.grant(), now);
            if (neighbour || another || found.inLine() || !free) {
                return new Reserved.Existing(MemoryState.copy(found), now);
            }
        } else if (!asked.grant().mayBeOf(null)) {
            return new Reserved.Absent();
        }
        if (modesVersion != state.modesVersion) {
            return new Reserved.ModesChanged();
        }
        return grant(asked, found, now);
    }

    private boolean parentLost(Reservation.@Nullable Parent parent) {
        if (parent == null) {
            return false;
        }
        Row row = state.get(parent.id());
        return row == null || row.state() != State.IN_PROGRESS || row.status().fence() != parent.fence();
    }

    private @Nullable Row find(Reservation asked, long now) {
        Row own = state.live(asked.identity().id(), now);
        if (own != null) {
            return own;
        }
        for (RecordId neighbour : asked.identity().neighbours()) {
            Row row = state.live(neighbour, now);
            if (row != null) {
                return row;
            }
        }
        return null;
    }

    private static boolean grantable(Status status, Reservation.Grant grant, long now) {
        return status.at() <= now && (status.state() == State.FAILED_RETRYABLE || grant.mayTakeOver(status));
    }

    private Reserved grant(Reservation asked, @Nullable Row found, long now) {
        RecordId id = asked.identity().id();
        boolean takenOver = found != null && found.state() == State.IN_PROGRESS;
        int attempt = found == null ? 1 : found.status().attempt() + 1;
        Status status = new Status(
                State.IN_PROGRESS,
                state.nextFence(),
                attempt,
                MemoryState.after(now, asked.grant().leaseMillis()),
                0,
                asked.grant().owner());
        if (found == null) {
            state.remove(id);
            state.put(new Row(id, asked.header(), status, asked.payload(), null, null));
        } else {
            state.put(new Row(
                    id,
                    found.header(),
                    status,
                    new Row.Contents(found.payload(), null, found.failure()),
                    found.line()));
        }
        if (takenOver) {
            state.append(asked.takenOver(), status.fence(), attempt);
        }
        return new Reserved.Granted(status.fence(), attempt, takenOver);
    }

    @Override
    public List<Moved> move(List<Move> batch) {
        return state.locked(() -> batch.stream().map(move -> move(state, move)).toList());
    }

    @Override
    public Moved moveTogether(List<Move> batch) {
        return state.locked(() -> {
            Moved all = Moved.together(
                    batch.stream().map(move -> judged(state, move)).toList());
            if (all instanceof Moved.Applied) {
                batch.forEach(move -> move(state, move));
            }
            return all;
        });
    }

    /** The answer of the move; nothing is written. */
    static Moved judged(MemoryState state, Move move) {
        Row row = state.get(move.id());
        if (row == null) {
            return move.to() == null ? new Moved.Same() : new Moved.Refused(null);
        }
        long now = state.now();
        Status old = row.status();
        boolean applies = old.fence() == move.fence()
                && move.from().contains(old.state())
                && (!move.change().onlyIfOver() || old.at() <= now)
                && (move.to() == null || !row.expired(now));
        if (applies) {
            return new Moved.Applied();
        }
        boolean same = old.fence() == move.fence() && old.state() == move.to();
        return same ? new Moved.Same() : new Moved.Refused(old);
    }

    static Moved move(MemoryState state, Move move) {
        Moved judged = judged(state, move);
        if (!(judged instanceof Moved.Applied)) {
            return judged;
        }
        Row row = Objects.requireNonNull(state.get(move.id()));
        long now = state.now();
        Status old = row.status();
        Move.Change change = move.change();
        int attempt = change.attempt() < 0 ? old.attempt() : change.attempt();
        if (move.to() == null) {
            state.remove(move.id());
        } else {
            Status status = new Status(
                    move.to(),
                    old.fence(),
                    attempt,
                    MemoryState.after(now, change.delayMillis()),
                    change.keepMillis(),
                    old.owner());
            Line line = line(state, row.line(), change.place());
            state.put(new Row(
                    row.id(),
                    row.header(),
                    status,
                    new Row.Contents(row.payload(), change.result(), change.failure()),
                    line));
        }
        if (change.place() != null && change.place().lane() != null) {
            MemoryQueue.promote(state, change.place().lane());
        }
        move.events().forEach(event -> state.append(event, old.fence(), attempt));
        return judged;
    }

    private static @Nullable Line line(MemoryState state, @Nullable Line old, Move.@Nullable Place place) {
        if (place == null) {
            return old;
        }
        Line.Lane lane = old == null ? null : old.lane();
        long deadline = old == null ? Status.NEVER : old.deadline();
        if (place.then() == Move.Then.LEAVE) {
            return old == null ? null : new Line(Line.Turn.OUT, old.place(), lane, deadline);
        }
        boolean stands = old != null && (old.turn() == Line.Turn.HEAD || old.turn() == Line.Turn.WAITING);
        if (place.then() == Move.Then.KEEP_OR_JOIN && stands) {
            return old;
        }
        Line.Turn turn = lane == null ? Line.Turn.FREE : Line.Turn.ARRIVED;
        return new Line(turn, state.lines.nextPlace(), lane, deadline);
    }

    @Override
    public List<Boolean> renew(List<Renewal> batch) {
        return state.locked(() -> batch.stream().map(this::renew).toList());
    }

    private boolean renew(Renewal renewal) {
        Row row = state.get(renewal.id());
        if (row == null || row.state() != State.IN_PROGRESS || row.status().fence() != renewal.fence()) {
            return false;
        }
        Status old = row.status();
        long at = MemoryState.after(state.now(), renewal.leaseMillis());
        Status status = new Status(old.state(), old.fence(), old.attempt(), at, old.keepMillis(), old.owner());
        state.put(MemoryState.with(row, status, row.line()));
        return true;
    }

    @Override
    public FoundRecords find(Collection<RecordId> ids) {
        return state.locked(() -> {
            Map<RecordId, Row> found = new HashMap<>();
            for (RecordId id : ids) {
                Row row = state.get(id);
                if (row != null) {
                    found.put(id, MemoryState.copy(row));
                }
            }
            return new FoundRecords(found, state.now());
        });
    }

    @Override
    public FoundRecords find(Collection<RecordId> ids, int inline) {
        FoundRecords found = find(ids);
        Map<RecordId, Row> brief = new HashMap<>();
        found.rows().forEach((id, row) -> brief.put(id, row.withoutLargePayload(inline)));
        return new FoundRecords(brief, found.now());
    }

    @Override
    public List<Row> steps(RecordId parent) {
        return state.locked(() -> state.stepsOf(parent));
    }

    @Override
    public List<Row> overdue(State wanted, Collection<String> operations, RecordFilter.Cursor behind, int limit) {
        return state.locked(() -> state.overdue(
                wanted,
                behind,
                state.now(),
                limit,
                row -> !row.isStep() && operations.contains(row.header().operation())));
    }

    @Override
    public List<Row> overdueOutside(long patienceMillis, RecordFilter.Cursor behind, int limit) {
        return state
                .locked(() -> state.overdue(
                        State.IN_PROGRESS,
                        behind,
                        state.now(),
                        limit,
                        row -> !row.isStep() && row.line() == null && isLostOutside(row, patienceMillis)))
                .stream()
                .map(row -> row.withoutLargePayload(0))
                .toList();
    }

    private boolean isLostOutside(Row row, long patienceMillis) {
        OutsideGrant outside = OutsideGrant.of(row.status());
        return outside != null
                && (!outside.repeatable() || MemoryState.after(row.status().at(), patienceMillis) <= state.now());
    }

    @Override
    public List<Row> list(State wanted, RecordFilter filter, RecordFilter.Cursor behind, int limit) {
        Comparator<Row> order = Comparator.<Row>comparingLong(
                        row -> row.status().at())
                .thenComparing(Row::id)
                .reversed();
        return state.locked(() -> state.all(wanted).stream()
                .filter(row -> !row.isStep() && filter.matches(row))
                .filter(row -> row.status().at() < behind.at()
                        || row.status().at() == behind.at() && row.id().compareTo(behind.id()) < 0)
                .sorted(order)
                .limit(limit)
                .map(MemoryState::copy)
                .toList());
    }

    @Override
    public StateCensus census(State wanted, @Nullable String tenant, long until, int most) {
        return state.locked(() -> {
            List<Row> looked = state.all(wanted).stream()
                    .filter(row -> row.status().at() <= until)
                    .limit(most + 1L)
                    .toList();
            List<Row> counted = looked.stream()
                    .filter(row -> !row.isStep())
                    .filter(row -> tenant == null || tenant.equals(row.header().tenant()))
                    .toList();
            return StateCensus.of(counted, looked.size() <= most, state.now());
        });
    }

    @Override
    public StateCount tally(State wanted, RecordFilter filter, int most) {
        return state.locked(() -> {
            List<Status> counted = state.all(wanted).stream()
                    .filter(row -> !row.isStep() && filter.matches(row))
                    .map(Row::status)
                    .sorted(Comparator.comparingLong(Status::at))
                    .limit(most)
                    .toList();
            long since = counted.stream()
                    .mapToLong(status -> status.at() - status.keepMillis())
                    .min()
                    .orElse(Status.NEVER);
            return new StateCount(counted.size(), since, state.now());
        });
    }

    @Override
    public List<Row> range(RecordId first, RecordId last, int limit) {
        return state.locked(() -> Arrays.stream(State.values())
                .flatMap(each -> state.all(each).stream())
                .filter(row -> row.id().compareTo(first) >= 0 && row.id().compareTo(last) <= 0)
                .sorted(Comparator.comparing(Row::id))
                .limit(limit)
                .map(MemoryState::copy)
                .map(Row::summary)
                .toList());
    }

    @Override
    public List<CompletedMessage> completedMessages(RecordFilter filter, long behind, int limit) {
        return state.locked(() -> state.all(State.COMPLETED).stream()
                .filter(row -> row.line() != null && row.line().place() > behind && filter.matches(row))
                .map(row -> new CompletedMessage(
                        row.id(),
                        Objects.requireNonNull(row.line()).place(),
                        row.status().fence(),
                        row.payload() == null ? 0 : row.payload().length))
                .sorted(Comparator.comparingLong(CompletedMessage::place))
                .limit(limit)
                .toList());
    }

    @Override
    public List<Row> findByCorrelation(String tenant, String correlationId, int limit) {
        Comparator<Row> age = Comparator.<Row, Boolean>comparing(row -> row.line() != null)
                .thenComparingLong(row ->
                        row.line() == null ? row.status().fence() : row.line().place())
                .thenComparing(Row::id);
        return state.locked(() -> Arrays.stream(State.values())
                .flatMap(each -> state.all(each).stream())
                .filter(row -> !row.isStep()
                        && row.header().tenant().equals(tenant)
                        && row.header().correlationId().equals(correlationId))
                .sorted(age)
                .limit(limit)
                .map(MemoryState::copy)
                .map(Row::summary)
                .toList());
    }

    @Override
    public List<Row> sentBy(RecordId record, int limit) {
        return state.locked(() -> Arrays.stream(State.values())
                .flatMap(each -> state.all(each).stream())
                .filter(row -> row.line() != null && record.equals(row.header().parent()))
                .sorted(Comparator.comparingLong(
                        row -> Objects.requireNonNull(row.line()).place()))
                .limit(limit)
                .map(MemoryState::copy)
                .map(Row::summary)
                .toList());
    }

    @Override
    public Map<String, Integer> purge(int limit, Function<Map<String, Integer>, List<AuditEntry>> events) {
        return state.locked(() -> {
            long now = state.now();
            List<Row> expired = new ArrayList<>();
            for (State each : State.values()) {
                if (each.finished() || each == State.FAILED_RETRYABLE) {
                    expired.addAll(state.overdue(each, now, limit - expired.size(), row -> row.expired(now)));
                }
            }
            Map<String, Integer> removed = new TreeMap<>();
            expired.forEach(row -> removed.merge(row.header().tenant(), 1, Integer::sum));
            if (!removed.isEmpty()) {
                events.apply(removed).forEach(entry -> state.append(entry, entry.fence(), entry.attempt()));
            }
            expired.forEach(row -> state.remove(row.id()));
            return removed;
        });
    }
}
