package dev.semel.testkit.memory;

import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Enqueued;
import dev.semel.store.LanePlan;
import dev.semel.store.Line;
import dev.semel.store.Line.Turn;
import dev.semel.store.Queue;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

final class MemoryQueue implements Queue {
    private static final Comparator<Row> IN_LANES = Comparator.comparingLong(
                    (Row row) -> line(row).lane() == null ? 0 : line(row).lane().number())
            .thenComparingLong(row -> line(row).place());

    private final MemoryState state;

    MemoryQueue(MemoryState state) {
        this.state = state;
    }

    private static Line line(Row row) {
        return Objects.requireNonNull(row.line());
    }

    @Override
    public List<Enqueued> enqueue(List<Arrival> batch) {
        return state.locked(
                () -> batch.stream().map(arrival -> enqueue(state, arrival)).toList());
    }

    static Enqueued enqueue(MemoryState state, Arrival arrival) {
        long now = state.now();
        Row found = state.live(arrival.id(), now);
        if (found != null) {
            return new Enqueued.Existing(MemoryState.copy(found));
        }
        Arrival.ArrivalTimes times = arrival.times();
        long at = Math.max(MemoryState.after(now, times.delayMillis()), times.start());
        Turn turn = arrival.lane() == null ? Turn.FREE : at <= now ? Turn.ARRIVED : Turn.LATER;
        state.remove(arrival.id());
        state.put(new Row(
                arrival.id(),
                arrival.header(),
                new Status(State.QUEUED, 0, 0, at, 0, 0),
                new Row.Contents(arrival.payload(), null, null),
                new Line(turn, state.lines.nextPlace(), arrival.lane(), times.deadline())));
        state.append(arrival.event(), 0, 0);
        return new Enqueued.Made();
    }

    @Override
    public Claimed claim(Claim claim) {
        return state.locked(() -> {
            if (claim.modesVersion() != state.modesVersion) {
                return new Claimed(List.of(), false, claim.turns().after(), true);
            }
            return new Granting(claim).run();
        });
    }

    /** One claim, under the store's lock. */
    private final class Granting {
        private final Claim claim;
        private final long now = state.now();
        private final List<Row> rows = new ArrayList<>();
        private final Set<Long> lanes = new LinkedHashSet<>();
        private String last;
        private boolean more;
        private int retries;
        private int takeovers;

        Granting(Claim claim) {
            this.claim = claim;
            this.takeovers = claim.amount().takeovers();
            this.last = claim.turns().after();
            this.retries =
                    state.lines.retriesLeft(claim.operation(), claim.amount().budget(), now);
        }

        Claimed run() {
            int before = retries;
            takeOver();
            List<String> tenants = state.lines.tenants(claim.operation(), last).stream()
                    .filter(claim.turns()::includes)
                    .filter(tenant -> !due(tenant, 1).isEmpty())
                    .toList();
            int open = claim.amount().records() - rows.size();
            int each = tenants.isEmpty() ? 0 : Math.max(1, (open + tenants.size() - 1) / tenants.size());
            for (String tenant : tenants) {
                if (rows.size() >= claim.amount().records()) {
                    more = true;
                    break;
                }
                last = tenant;
                List<RecordId> due = due(tenant, each);
                more |= due.size() == each;
                due.forEach(this::begin);
            }
            state.lines.spent(claim.operation(), claim.amount().budget(), now, before - retries);
            return new Claimed(rows, more, last, false);
        }

        private void takeOver() {
            if (!claim.grant().repeatable()) {
                return;
            }
            List<Row> over = state.overdue(
                    State.IN_PROGRESS,
                    now,
                    Math.min(claim.amount().records(), takeovers),
                    row -> row.line() != null
                            && row.header().operation().equals(claim.operation())
                            && row.line().turn() != Turn.WAITING
                            && row.status().attempt() < claim.grant().maxAttempts()
                            && claim.turns().includes(row.header().tenant()));
            over.forEach(row -> begin(row.id()));
        }

        private List<RecordId> due(String tenant, int limit) {
            List<RecordId> due = new ArrayList<>(state.lines.due(claim.operation(), tenant, State.QUEUED, now, limit));
            due.addAll(state.lines.due(
                    claim.operation(), tenant, State.FAILED_RETRYABLE, now, Math.min(limit, Math.max(0, retries))));
            return due.stream()
                    .sorted((a, b) -> Long.compare(
                            Objects.requireNonNull(state.get(a)).status().at(),
                            Objects.requireNonNull(state.get(b)).status().at()))
                    .limit(limit)
                    .toList();
        }

        private void begin(RecordId id) {
            Row row = Objects.requireNonNull(state.get(id));
            Line.Lane lane = Objects.requireNonNull(row.line()).lane();
            if (lane == null) {
                if (rows.size() < claim.amount().records()) {
                    grant(row);
                }
            } else if (lanes.add(lane.number())) {
                claimLane(lane.number(), row);
            }
        }

        private void claimLane(long lane, Row begun) {
            int run = Math.min(claim.amount().run(), claim.amount().records() - rows.size());
            List<RecordId> arrivals = new ArrayList<>(state.lines.arrived(
                    lane, Math.max(claim.amount().run(), claim.amount().records())));
            if (Objects.requireNonNull(begun.line()).turn() == Turn.LATER) {
                arrivals.add(begun.id());
            }
            List<LanePlan.LaneRecord> standing = members(state.lines.placed(lane, Math.max(1, run)));
            List<LanePlan.LaneRecord> placing = members(arrivals);
            int affordable = LanePlan.affordable(standing, placing, run, retries);
            LanePlan plan = LanePlan.of(standing, placing, claim.grant(), affordable, takeovers, now);
            plan.placed().forEach(this::place);
            more |= !plan.placed().isEmpty();
            plan.granted().forEach(id -> grant(Objects.requireNonNull(state.get(id))));
        }

        private List<LanePlan.LaneRecord> members(List<RecordId> ids) {
            return ids.stream()
                    .map(id -> Objects.requireNonNull(state.get(id)))
                    .map(row -> new LanePlan.LaneRecord(
                            row.id(),
                            row.state(),
                            row.status().attempt(),
                            row.status().at()))
                    .toList();
        }

        private void place(LanePlan.Placed placed) {
            Row row = Objects.requireNonNull(state.get(placed.id()));
            Line line = Objects.requireNonNull(row.line());
            state.put(MemoryState.with(
                    row, row.status(), new Line(placed.turn(), state.lines.nextPlace(), line.lane(), line.deadline())));
        }

        private void grant(Row row) {
            Status old = row.status();
            boolean takenOver = old.state() == State.IN_PROGRESS;
            retries -= old.state() == State.FAILED_RETRYABLE ? 1 : 0;
            takeovers -= takenOver ? 1 : 0;
            Status status = new Status(
                    State.IN_PROGRESS,
                    state.nextFence(),
                    old.attempt(),
                    MemoryState.after(now, claim.grant().leaseMillis()),
                    takenOver ? Status.TAKEN_OVER : 0,
                    claim.grant().owner());
            Row granted = MemoryState.with(row, status, row.line());
            state.put(granted);
            if (takenOver) {
                state.append(claim.takenOver().apply(granted), status.fence(), status.attempt());
            }
            rows.add(
                    MemoryState.copy(granted).withoutLargePayload(claim.amount().inline()));
        }
    }

    /** The first of a lane that has nobody at its head becomes the head. */
    static void promote(MemoryState state, long lane) {
        List<RecordId> first = state.lines.placed(lane, 1);
        if (!first.isEmpty()) {
            Row row = Objects.requireNonNull(state.get(first.get(0)));
            Line line = Objects.requireNonNull(row.line());
            if (line.turn() == Turn.WAITING) {
                state.put(MemoryState.with(
                        row, row.status(), new Line(Turn.HEAD, line.place(), line.lane(), line.deadline())));
            }
        }
    }

    @Override
    public List<Row> heldBy(String operation, long owner) {
        return state.locked(() -> state.all(State.IN_PROGRESS).stream()
                .filter(row -> row.line() != null
                        && row.status().owner() == owner
                        && row.header().operation().equals(operation))
                .sorted(IN_LANES)
                .map(row -> MemoryState.copy(row).withoutLargePayload(Claim.Amount.SMALL))
                .toList());
    }

    @Override
    public Optional<Row> head(long lane) {
        return state.locked(() -> state.lines.placed(lane, 1).stream()
                .findFirst()
                .map(id -> MemoryState.copy(Objects.requireNonNull(state.get(id)))));
    }

    @Override
    public List<Row> unknownHeads(String operation, int limit) {
        return state.locked(() -> state.lines.heads().stream()
                .map(id -> Objects.requireNonNull(state.get(id)))
                .filter(row ->
                        row.state() == State.UNKNOWN && row.header().operation().equals(operation))
                .limit(limit)
                .map(MemoryState::copy)
                .toList());
    }

    @Override
    public Backlog backlog(String operation) {
        return state.locked(() -> {
            long now = state.now();
            List<Row> waiting = new ArrayList<>(state.all(State.QUEUED));
            waiting.addAll(state.all(State.FAILED_RETRYABLE));
            waiting.removeIf(
                    row -> row.line() == null || !row.header().operation().equals(operation));
            long oldest = waiting.stream()
                    .mapToLong(row -> row.status().at())
                    .filter(at -> at <= now)
                    .min()
                    .orElse(Status.NEVER);
            long parked = state.lines.heads().stream()
                    .map(id -> Objects.requireNonNull(state.get(id)))
                    .filter(row -> row.header().operation().equals(operation))
                    .filter(row -> row.state() == State.FAILED_TERMINAL || row.state() == State.UNKNOWN)
                    .count();
            return new Backlog(waiting.size(), oldest, parked);
        });
    }

    @Override
    public Set<String> operations() {
        return state.locked(() -> {
            List<Row> rows = new ArrayList<>(state.all(State.QUEUED));
            rows.addAll(state.all(State.FAILED_RETRYABLE));
            rows.addAll(state.all(State.IN_PROGRESS));
            state.lines.heads().forEach(id -> rows.add(Objects.requireNonNull(state.get(id))));
            return rows.stream()
                    .filter(row -> row.line() != null)
                    .map(row -> row.header().operation())
                    .collect(Collectors.toUnmodifiableSet());
        });
    }
}
