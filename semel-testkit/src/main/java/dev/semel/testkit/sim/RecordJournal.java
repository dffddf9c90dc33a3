package dev.semel.testkit.sim;

import dev.semel.Key;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Header;
import dev.semel.store.Line;
import dev.semel.store.Move;
import dev.semel.store.Reservation;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.store.Store;
import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.History;
import dev.semel.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Every record as it was after each call of the store. A change that the contract does not allow is written down as a
 * violation; the end of a retention, which nobody calls, is written into the history.
 */
final class RecordJournal {
    private static final Map<State, Set<State>> ALLOWED = new EnumMap<>(Map.of(
            State.QUEUED,
            EnumSet.of(State.FAILED_TERMINAL, State.DISCARDED),
            State.FAILED_TERMINAL,
            EnumSet.of(State.QUEUED, State.DISCARDED),
            State.SHADOWED,
            EnumSet.of(State.QUEUED, State.DISCARDED),
            State.DISCARDED,
            EnumSet.of(State.QUEUED),
            State.IN_PROGRESS,
            EnumSet.of(
                    State.COMPLETED,
                    State.FAILED_RETRYABLE,
                    State.FAILED_TERMINAL,
                    State.UNKNOWN,
                    State.SHADOWED,
                    State.QUEUED),
            State.UNKNOWN,
            EnumSet.of(State.COMPLETED, State.FAILED_RETRYABLE, State.FAILED_TERMINAL, State.QUEUED, State.DISCARDED),
            State.FAILED_RETRYABLE,
            EnumSet.of(State.FAILED_TERMINAL, State.DISCARDED)));

    private final Store shared;
    private final TimeSource time;
    private final History history;
    private final Rules rules;
    private final Map<RecordId, Kept> records = new LinkedHashMap<>();
    private final List<String> wrongs = new ArrayList<>();
    private final List<Change> changes = new ArrayList<>();
    private final Set<Long> broken = new HashSet<>();
    private final Set<String> begun = new HashSet<>();
    private final Set<String> sentForReal = new HashSet<>();
    private long arrivals;
    private long asks;

    RecordJournal(Store shared, TimeSource time, History history, Rules rules) {
        this.shared = shared;
        this.time = time;
        this.history = history;
        this.rules = rules;
    }

    /** The declarations of the run's operations. */
    interface Rules {
        boolean repeatable(String operation);

        int maxAttempts();

        /** Whether a head that is dead or UNKNOWN holds its lane up. */
        boolean parksLanes();

        /** The record's key is new again; its last fence was this one. */
        void forgotten(String record, long fence);

        /** A transaction completed the message: its effect is committed. */
        void committed(String record, Row row);
    }

    /** A change of outcome, of which the audit must tell. */
    record Change(RecordId id, long fence, State to, boolean takenOver) {}

    /** The last known state of a record. */
    static final class Kept {
        final String name;
        final Header header;
        final boolean step;
        private @Nullable Row row;
        private long highest;
        private long owner;
        private int arrivals;
        private long order;
        private long asked;
        private int attemptsBefore;
        private boolean takenOver;
        private final @Nullable RecordId wouldSend;
        private int realArrivals;

        Kept(String name, Header header, boolean step, @Nullable RecordId wouldSend) {
            this.name = name;
            this.header = header;
            this.step = step;
            this.wouldSend = wouldSend;
        }

        boolean isShadow() {
            return wouldSend != null;
        }

        @Nullable
        Row row() {
            return row;
        }

        /** How often it came into the ledger as a message. */
        int arrivals() {
            return arrivals;
        }

        private boolean standing() {
            return row != null && row.holdsLane();
        }
    }

    /** Which call may have changed something. */
    record Cause(String name, List<Reservation> reservations, List<Move> moves) {
        static final Cause NOTHING = new Cause("nothing", List.of(), List.of());
        static final Cause RENEWAL = new Cause("a renewal", List.of(), List.of());
        static final Cause PURGE = new Cause("a purge", List.of(), List.of());
        static final Cause ADOPTION = new Cause("an adoption", List.of(), List.of());
        static final Cause ARRIVAL = new Cause("an arrival", List.of(), List.of());
        static final Cause CLAIM = new Cause("a claim", List.of(), List.of());

        static Cause reserve(List<Reservation> batch) {
            return new Cause("a reservation", batch, List.of());
        }

        static Cause move(List<Move> batch) {
            return new Cause("a move", List.of(), batch);
        }

        static Cause transaction(List<Move> moves) {
            return new Cause("a transaction", List.of(), moves);
        }

        private boolean is(String... names) {
            return List.of(names).contains(name);
        }

        private @Nullable Move of(RecordId id) {
            return moves.stream()
                    .filter(move -> move.id().equals(id))
                    .findFirst()
                    .orElse(null);
        }
    }

    List<String> wrongs() {
        return wrongs;
    }

    List<Change> changes() {
        return changes;
    }

    Map<RecordId, Kept> records() {
        return records;
    }

    /**
     * A handler of a message begins: by any clock it still has its lease. Only an adoption takes a lease away before its time,
     * and from then on the fence alone, of an older epoch, stands between its holder and the outside.
     */
    void begun(RecordId id, long fence) {
        if (!begun.add(id.hex() + "@" + fence)) {
            wrong(id, "begun twice under fence " + fence);
        }
        Row row = shared.ledger().find(List.of(id)).get(id);
        boolean running = row != null && row.state() == State.IN_PROGRESS;
        boolean adopted = running && epoch(row.status().fence()) > epoch(fence);
        if (running
                && !adopted
                && (row.status().fence() != fence || row.status().at() <= time.millis())) {
            wrong(id, "begun under fence " + fence + " although its lease was over");
        }
        Kept kept = Objects.requireNonNull(records.get(id));
        boolean own = running && row.status().fence() == fence;
        if (own && kept.takenOver && row.status().attempt() != kept.attemptsBefore + 1) {
            wrong(id, "begun after it was taken over, and its attempt was not counted before");
        }
    }

    private static long epoch(long fence) {
        return fence >>> 48;
    }

    /** Where each record stands, as they were last seen. */
    List<String> states() {
        return records.values().stream()
                .map(kept -> kept.row == null
                        ? "absent"
                        : kept.row.state() + "@" + kept.row.status().fence())
                .toList();
    }

    /** The running records, as they were last read. */
    List<Kept> running() {
        return records.values().stream()
                .filter(kept -> !kept.step && kept.row != null && kept.row.state() == State.IN_PROGRESS)
                .toList();
    }

    /** Messages that wait although nothing holds them up. */
    List<Kept> waiting() {
        Set<Long> parked = new HashSet<>();
        for (Kept kept : records.values()) {
            if (rules.parksLanes() && kept.standing() && lane(kept) != null && ended(kept.row)) {
                parked.add(lane(kept));
            }
        }
        return records.values().stream()
                .filter(kept -> kept.row != null && kept.row.line() != null && !ended(kept.row))
                .filter(kept -> lane(kept) == null || !parked.contains(lane(kept)))
                .toList();
    }

    private static boolean ended(@Nullable Row row) {
        return row != null && (row.state().finished() || row.state() == State.UNKNOWN);
    }

    private static @Nullable Long lane(Kept kept) {
        Line line = kept.row == null ? null : kept.row.line();
        return line == null || line.lane() == null ? null : line.lane().number();
    }

    void know(RecordId id, Header header, boolean step) {
        if (!records.containsKey(id)) {
            String name = header.operation() + "/" + ChannelTraffic.withoutBucket(header.key());
            RecordId real = Identity.of(Client.TENANT, header.operation(), Key.of(header.key()))
                    .id();
            boolean shadow = !step && id.equals(real.shadow());
            records.put(id, new Kept(shadow ? "shadow of " + name : name, header, step, shadow ? real : null));
        }
        Objects.requireNonNull(records.get(id)).asked = ++asks;
    }

    /** Messages that runs in SHADOW would have sent, and nobody has closed. */
    List<Row> shadows() {
        return records.values().stream()
                .filter(kept -> kept.isShadow() && kept.row != null && kept.row.state() == State.SHADOWED)
                .map(kept -> Objects.requireNonNull(kept.row))
                .toList();
    }

    Set<String> sentForReal() {
        return sentForReal;
    }

    void wrong(RecordId id, String what) {
        Kept kept = records.get(id);
        wrongs.add((kept == null ? id.hex() : kept.name) + ": " + what);
    }

    /** Whether the grant was not known before: the same one is given back when a reply was lost. */
    boolean isNew(RecordId id, long fence) {
        return fence > Objects.requireNonNull(records.get(id)).highest;
    }

    /** Two grants under one fence, to different owners, are seen here even when the store shows nothing. */
    void granted(RecordId id, long fence, long owner) {
        Kept kept = Objects.requireNonNull(records.get(id));
        if (fence < kept.highest || fence == kept.highest && owner != kept.owner) {
            wrong(id, "fence " + fence + " was granted after " + kept.highest);
        }
        kept.highest = fence;
        kept.owner = owner;
    }

    /** Compares all records with how they were. Called before a call too, for what time alone has changed. */
    void look(Cause cause) {
        long now = time.millis();
        Map<RecordId, Row> rows = shared.ledger().find(records.keySet()).rows();
        List<Kept> committed = new ArrayList<>();
        Map<RecordId, Optional<Row>> shadows = new LinkedHashMap<>();
        order(rows);
        records.forEach((id, kept) -> {
            Row row = rows.get(id);
            Row old = kept.row;
            Row seen = row == null || row.expired(now) ? null : row;
            kept.row = seen;
            if (old != null && old.expired(now)) {
                forgotten(kept);
                old = null;
            }
            if (kept.isShadow() && !same(old, seen)) {
                shadows.put(id, Optional.ofNullable(old));
            } else if (!same(old, seen)) {
                if (kept.step && seen == null && old != null && old.state() != State.COMPLETED) {
                    released(id, kept, rows, cause);
                }
                changed(id, kept, old, seen, cause, now);
                boolean completed = seen != null && seen.state() == State.COMPLETED && seen.line() != null;
                if (completed && cause.is("a transaction")) {
                    committed.add(kept);
                }
            }
        });
        shadows.forEach((id, old) -> shadowChanged(id, old.orElse(null), cause));
        committed.sort(Comparator.comparingLong(kept -> place(kept.row)));
        committed.forEach(kept -> rules.committed(kept.name, Objects.requireNonNull(kept.row)));
        if (cause != Cause.NOTHING) {
            lanes();
        }
    }

    /** A message of SHADOW is recorded, closed or replaced, never queued, granted or run; sent for real, it comes at most once. */
    private void shadowChanged(RecordId id, @Nullable Row old, Cause cause) {
        Kept kept = Objects.requireNonNull(records.get(id));
        Kept real = records.get(Objects.requireNonNull(kept.wouldSend));
        Row seen = kept.row;
        State from = old == null ? null : old.state();
        if (seen == null) {
            if (cause.of(id) == null) {
                wrong(id, cause.name() + " removed what was recorded in SHADOW");
            }
        } else if (seen.state() == State.SHADOWED && from != State.SHADOWED) {
            kept.realArrivals = real == null ? 0 : real.row != null ? -1 : real.arrivals;
            if (!cause.is("a transaction")) {
                wrong(id, cause.name() + " recorded it apart from its decision");
            }
        } else if (seen.state() == State.COMPLETED && from == State.SHADOWED && cause.is("a transaction")) {
            byte[] sent = Objects.requireNonNull(seen.result());
            boolean isNew = new String(sent, StandardCharsets.UTF_8).contains("\"new\":true");
            if (real == null || real.row == null) {
                wrong(id, "closed as sent for real, and nothing was sent");
            } else if (isNew) {
                sentForReal.add(real.name);
                if (real.arrivals - 1 != kept.realArrivals) {
                    wrong(id, "sent for real although it had come for real since the run in SHADOW");
                }
            }
        } else if (seen.state() != State.DISCARDED || from != State.SHADOWED) {
            wrong(id, cause.name() + " led what was recorded in SHADOW from " + from + " to " + seen.state());
        }
    }

    /**
     * What an interrupted step may have done must stay known as long as nothing is decided about its record. Only its owner,
     * whose step failed without an effect, may take it back.
     */
    private void released(RecordId id, Kept step, Map<RecordId, Row> rows, Cause cause) {
        Move move = cause.of(id);
        boolean byOwner = move != null && !move.from().contains(State.UNKNOWN);
        RecordId parent = Objects.requireNonNull(step.header.parent());
        Row record = rows.get(parent);
        boolean others = records.entrySet().stream()
                .filter(each -> each.getValue().step
                        && parent.equals(each.getValue().header.parent()))
                .map(each -> rows.get(each.getKey()))
                .anyMatch(row -> row != null && row.state() != State.COMPLETED);
        if (record != null && record.state() == State.UNKNOWN && !others && !byOwner) {
            wrong(id, "its record was left UNKNOWN without the interrupted step");
        }
    }

    private static long place(@Nullable Row row) {
        return row == null || row.line() == null ? 0 : row.line().place();
    }

    /**
     * Messages are ordered as they come into their lane's line, by an arrival or again by a replay; those that come together, as
     * they were sent.
     */
    private void order(Map<RecordId, Row> rows) {
        List<Kept> coming = new ArrayList<>();
        records.forEach((id, kept) -> {
            Row row = rows.get(id);
            Line.Turn turn =
                    row == null || row.line() == null ? null : row.line().turn();
            if (turn == Line.Turn.ARRIVED && place(row) != place(kept.row)) {
                coming.add(kept);
            } else if (turn == Line.Turn.LATER) {
                kept.order = Long.MAX_VALUE;
            }
        });
        coming.sort(Comparator.comparingLong(kept -> kept.asked));
        coming.forEach(kept -> kept.order = ++arrivals);
    }

    /** Every lane that has somebody in it has one head, its first, and those behind it came later. */
    private void lanes() {
        Map<Long, List<Kept>> lanes = new TreeMap<>();
        for (Kept kept : records.values()) {
            Long lane = lane(kept);
            if (lane != null && kept.standing()) {
                lanes.computeIfAbsent(lane, any -> new ArrayList<>()).add(kept);
            }
        }
        lanes.forEach((number, standing) -> {
            standing.sort(Comparator.comparingLong(kept -> place(kept.row)));
            long newest = 0;
            for (int i = 0; i < standing.size(); i++) {
                Kept kept = standing.get(i);
                Line.Turn turn = Objects.requireNonNull(
                                Objects.requireNonNull(kept.row).line())
                        .turn();
                if ((turn == Line.Turn.HEAD) != (i == 0) && broken.add(number)) {
                    wrongs.add(kept.name + ": it is " + turn + " and stands at " + i + " in its lane");
                }
                if (kept.order != Long.MAX_VALUE) {
                    if (kept.order < newest && broken.add(number)) {
                        wrongs.add(kept.name + ": it stands behind one that came after it");
                    }
                    newest = Math.max(newest, kept.order);
                }
            }
        });
    }

    /** Waiting records of a lane are granted with all records in front of them, or not at all. */
    void claimed(List<Row> rows) {
        Set<RecordId> granted = new HashSet<>();
        for (Row row : rows) {
            granted.add(row.id());
            Kept kept = Objects.requireNonNull(records.get(row.id()));
            records.forEach((id, other) -> {
                boolean before = other.standing() && Objects.equals(lane(other), lane(kept)) && lane(kept) != null;
                if (before && place(other.row) < place(row) && !granted.contains(id)) {
                    wrong(row.id(), "granted before " + other.name + ", which is in front of it in its lane");
                }
            });
        }
    }

    private static boolean same(@Nullable Row a, @Nullable Row b) {
        return a == b
                || a != null
                        && b != null
                        && a.state() == b.state()
                        && a.status().fence() == b.status().fence()
                        && (a.state() != State.IN_PROGRESS
                                || a.status().attempt() == b.status().attempt())
                        && Arrays.equals(a.result(), b.result());
    }

    private void forgotten(Kept kept) {
        if (!kept.step && !kept.isShadow()) {
            long call = history.invoke(kept.name, null);
            history.end(kept.name, call, Event.Ending.FORGOTTEN, Event.Grant.NONE, null);
            rules.forgotten(kept.name, kept.highest);
        }
    }

    private void changed(RecordId id, Kept kept, @Nullable Row old, @Nullable Row seen, Cause cause, long now) {
        if (seen == null) {
            removed(id, kept, Objects.requireNonNull(old), cause);
        } else if (old == null && seen.state() == State.QUEUED) {
            arrived(id, kept, seen, cause);
        } else if (old == null || old.status().fence() != seen.status().fence()) {
            renewed(id, kept, old, seen, cause, now);
        } else {
            moved(id, kept, old, seen, cause, now);
        }
    }

    private void arrived(RecordId id, Kept kept, Row seen, Cause cause) {
        kept.arrivals++;
        boolean another = records.values().stream()
                .anyMatch(other -> other != kept && other.row != null && other.name.equals(kept.name));
        if (another) {
            wrong(id, "more than one copy of it is stored");
        }
        if (!cause.is("an arrival", "a transaction") || seen.status().fence() != 0) {
            wrong(id, cause.name() + " queued it: " + seen.status());
        }
    }

    private void removed(RecordId id, Kept kept, Row old, Cause cause) {
        Move move = cause.of(id);
        if (kept.step) {
            return;
        }
        if (move == null || move.to() != null || move.fence() != old.status().fence()) {
            wrong(id, cause.name() + " removed it while it was " + old.state());
        } else if (old.state() == State.IN_PROGRESS) {
            rules.forgotten(kept.name, old.status().fence());
        } else {
            forgotten(kept);
        }
    }

    private void renewed(RecordId id, Kept kept, @Nullable Row old, Row seen, Cause cause, long now) {
        Status status = seen.status();
        if (!cause.is("a reservation", "a transaction", "a claim")) {
            wrong(id, cause.name() + " granted it: " + status);
        }
        if (status.fence() <= kept.highest) {
            wrong(id, "fence " + status.fence() + " came after " + kept.highest);
        }
        if (cause.is("a transaction")) {
            kept.highest = Math.max(kept.highest, status.fence());
        }
        boolean takenOver = old != null && old.state() == State.IN_PROGRESS;
        if (cause == Cause.CLAIM) {
            kept.takenOver = takenOver;
            kept.attemptsBefore = old == null ? 0 : old.status().attempt();
            if (status.attempt() != kept.attemptsBefore) {
                wrong(id, "a claim counted an attempt that had not begun");
            }
        }
        if (old != null && old.status().at() > now) {
            wrong(id, "granted again before its time, while " + old.state());
        }
        if (takenOver && !kept.step) {
            boolean may =
                    rules.repeatable(kept.header.operation()) && old.status().attempt() < rules.maxAttempts();
            if (!may) {
                wrong(id, "taken over although it may not be run again");
            }
            changes.add(new Change(id, status.fence(), State.IN_PROGRESS, true));
        } else if (old != null
                && !takenOver
                && old.state() != State.FAILED_RETRYABLE
                && !(old.state() == State.QUEUED && cause == Cause.CLAIM)) {
            wrong(id, "granted again while " + old.state());
        }
        if (seen.state() != State.IN_PROGRESS) {
            outcome(id, kept, seen);
        }
    }

    private void moved(RecordId id, Kept kept, Row old, Row seen, Cause cause, long now) {
        if (old.state() == State.IN_PROGRESS && seen.line() != null) {
            counted(id, kept, seen, cause);
        }
        if (old.state() == seen.state() && seen.state() == State.IN_PROGRESS) {
            return;
        }
        if (old.state() == seen.state()) {
            wrong(id, cause.name() + " changed the result of " + old.state());
            return;
        }
        if (!ALLOWED.getOrDefault(old.state(), Set.of()).contains(seen.state())) {
            wrong(id, cause.name() + " led from " + old.state() + " to " + seen.state());
        }
        Move move = cause.of(id);
        boolean adopted = cause == Cause.ADOPTION && seen.state() == State.UNKNOWN;
        if (!adopted && (move == null || move.fence() != old.status().fence())) {
            wrong(id, cause.name() + " under another fence led from " + old.state() + " to " + seen.state());
        }
        if (move != null && move.change().onlyIfOver()) {
            lost(id, kept, old, now);
        }
        outcome(id, kept, seen);
    }

    /** Checks the result of a granted message: its attempt is counted once, when it ends or when it begins. */
    private void counted(RecordId id, Kept kept, Row seen, Cause cause) {
        int before = kept.attemptsBefore;
        int attempt = seen.status().attempt();
        if (seen.state() == State.QUEUED && attempt != before) {
            wrong(id, "handed back, and its attempt " + attempt + " is spent");
        }
        boolean ran = EnumSet.of(State.COMPLETED, State.FAILED_RETRYABLE, State.IN_PROGRESS)
                .contains(seen.state());
        if (cause != Cause.ADOPTION && (attempt < before || attempt > before + 1 || ran && attempt == before)) {
            wrong(id, cause.name() + " left " + seen.state() + " with " + attempt + " attempts after " + before);
        }
    }

    private void lost(RecordId id, Kept kept, Row old, long now) {
        if (old.status().at() > now) {
            wrong(id, "given up before its lease was over");
        } else if (rules.repeatable(kept.header.operation()) && old.status().attempt() < rules.maxAttempts()) {
            wrong(id, "given up although it may be run again");
        }
    }

    private void outcome(RecordId id, Kept kept, Row seen) {
        if (!kept.step && seen.state() != State.QUEUED) {
            changes.add(new Change(id, seen.status().fence(), seen.state(), false));
        }
    }
}
