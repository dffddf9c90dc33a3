package dev.semel.jdbc.sqlite;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.ReservationRule;
import dev.semel.jdbc.shared.Rows;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.LookupResult;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.RecordWrite;
import dev.semel.store.Renewal;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.store.Transactions;
import dev.semel.time.TimeSource;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The rows of the ledger inside a write transaction. SQLite has one writer, so what is read here stands until the transaction
 * ends: each change looks, decides in Java, and writes.
 */
final class SqliteRecords {
    private static final String FIND = "SELECT " + Rows.WITH_LINE + " FROM semel_record WHERE id = ?";
    private static final String FIND_SMALL =
            "SELECT " + Rows.withoutLargePayload("", "length", "?2") + " FROM semel_record WHERE id = ?1";
    // The driver reads all column names again for each query, so the query for an absent record has one column.
    private static final String IS_THERE = "SELECT 1 FROM semel_record WHERE id = ?";
    private static final String STATUS = "SELECT " + Rows.STATUS + " FROM semel_record WHERE id = ?";

    // A statement that begins with INSERT makes the driver ask for the generated key each time; a comment in front does
    // not.
    private static final String INSERT = "/* row */ INSERT INTO semel_record (" + Rows.RECORD
            + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String AUDIT = "/* event */ INSERT INTO semel_audit (at, type, tenant, operation, record,"
            + " fingerprint, correlation, policy, fence, attempt, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private static final String GRANT = """
            UPDATE semel_record SET state = 1, fence = ?, attempt = ?, at = ?, keep = 0, owner = ?, result = NULL
            WHERE id = ?""";
    private static final String MOVE = """
            UPDATE semel_record SET state = ?, attempt = ?, at = ?, keep = ?, result = ?, failure = ? WHERE id = ?""";
    private static final String RENEW = "UPDATE semel_record SET at = ? WHERE id = ? AND fence = ? AND state = 1";
    private static final String LEAVE = """
            UPDATE semel_record SET state = ?, attempt = ?, at = ?, keep = ?, result = ?, failure = ?, turn = NULL
            WHERE id = ?""";
    private static final String REMOVE = "DELETE FROM semel_record WHERE id = ? RETURNING turn, lane";
    private static final String REMOVE_STEPS = "DELETE FROM semel_record WHERE parent = ? AND place IS NULL";
    private static final String DISOWN =
            "UPDATE semel_record SET state = 5, at = ?, keep = 0 WHERE state = 1 AND " + Rows.NO_STEP;
    private static final String RUNNING =
            "SELECT " + Rows.WITH_LINE + " FROM semel_record WHERE state = 1 AND " + Rows.NO_STEP + " ORDER BY at, n";

    private static final String DOOMED = """
            CREATE TEMP TABLE IF NOT EXISTS semel_doomed (n INTEGER PRIMARY KEY, id BLOB NOT NULL, tenant TEXT NOT NULL)""";
    private static final String DOOM = """
            INSERT INTO semel_doomed SELECT n, id, tenant FROM semel_record
            WHERE state = ? AND at <= ? AND (turn IS NULL OR turn NOT IN (1, 2)) LIMIT ?""";
    private static final String DOOM_RETRYABLE = """
            INSERT INTO semel_doomed SELECT n, id, tenant FROM semel_record
            WHERE state = 3 AND at <= ?2 AND keep > 0 AND at <= ?2 - keep AND ?1 = 3
                AND (turn IS NULL OR turn NOT IN (1, 2)) LIMIT ?3""";
    private static final String PURGE_STEPS =
            "DELETE FROM semel_record WHERE parent IN (SELECT id FROM semel_doomed) AND place IS NULL";
    private static final String PURGE = "DELETE FROM semel_record WHERE n IN (SELECT n FROM semel_doomed)";
    private static final String PURGED = "SELECT tenant, count(*) FROM semel_doomed GROUP BY tenant";

    private final SqliteSession session;
    private final SqliteFences fences;
    private final TimeSource time;
    private final SqliteLanes places;
    private final SqliteEnqueue arrivals;

    SqliteRecords(SqliteSession session, SqliteFences fences, TimeSource time) {
        this.session = session;
        this.fences = fences;
        this.time = time;
        this.places = new SqliteLanes(session, fences);
        this.arrivals = new SqliteEnqueue(session, fences, time, this);
    }

    SqliteEnqueue arrivals() {
        return arrivals;
    }

    Reserved reserve(long modesVersion, Reservation reservation) throws SQLException {
        long now = time.millis();
        if (reservation.parent() != null && !held(reservation.parent())) {
            return new Reserved.ParentLost();
        }
        Row own = findUnlikely(reservation.identity().id());
        Row found = live(own, reservation.identity(), now);
        if (found == null && !reservation.grant().mayBeOf(null)) {
            return new Reserved.Absent();
        }
        ReservationRule verdict = found == null ? ReservationRule.REPLACE : ReservationRule.of(reservation, found, now);
        if (found != null && verdict == ReservationRule.OWN) {
            return new Reserved.Granted(found.status().fence(), found.status().attempt(), false);
        }
        boolean neighbour = found != null && found != own;
        if (found != null && (neighbour || verdict == ReservationRule.LEAVE)) {
            return new Reserved.Existing(found, now);
        }
        if (modesVersion != fences.modes()) {
            return new Reserved.ModesChanged();
        }
        if (found == null && own != null) {
            remove(own.id());
        }
        return grant(reservation, found, now);
    }

    private Reserved grant(Reservation reservation, @Nullable Row found, long now) throws SQLException {
        boolean takenOver = found != null && found.state() == State.IN_PROGRESS;
        int attempt = found == null ? 1 : found.status().attempt() + 1;
        Reservation.Grant grant = reservation.grant();
        long fence = fences.nextFence();
        long at = after(now, grant.leaseMillis());
        if (found == null) {
            Status status = new Status(State.IN_PROGRESS, fence, attempt, at, 0, grant.owner());
            insert(new Row(
                    reservation.identity().id(), reservation.header(), status, reservation.payload(), null, null));
        } else {
            session.update(GRANT, statement -> {
                statement.setLong(1, fence);
                statement.setInt(2, attempt);
                statement.setLong(3, at);
                statement.setLong(4, grant.owner());
                statement.setBytes(5, reservation.identity().id().bytes());
            });
        }
        if (takenOver) {
            append(reservation.takenOver(), fence, attempt);
        }
        return new Reserved.Granted(fence, attempt, takenOver);
    }

    private boolean held(Reservation.Parent parent) throws SQLException {
        return status(parent.id())
                .filter(status -> status.state() == State.IN_PROGRESS && status.fence() == parent.fence())
                .isPresent();
    }

    /** The lanes that were left get their new heads once all have moved. */
    List<Moved> move(List<Move> batch) throws SQLException {
        List<Moved> answers = new ArrayList<>(batch.size());
        Set<Long> lanes = new LinkedHashSet<>();
        for (Move each : batch) {
            Moved answer = move(each);
            Move.Place place = each.change().place();
            if (place != null && place.lane() != null && answer instanceof Moved.Applied) {
                lanes.add(place.lane());
            }
            answers.add(answer);
        }
        for (long lane : lanes) {
            places.promote(lane);
        }
        return answers;
    }

    private Moved move(Move move) throws SQLException {
        Status old = status(move.id()).orElse(null);
        Move.Change change = move.change();
        long now = time.millis();
        boolean applies = old != null
                && old.fence() == move.fence()
                && move.from().contains(old.state())
                && (!change.onlyIfOver() || old.at() <= now)
                && (move.to() == null || !old.expired(now) || holdsLane(move.id()));
        if (old == null || !applies) {
            return ReservationRule.notApplied(move, old);
        }
        State to = move.to();
        int attempt = change.attempt() < 0 ? old.attempt() : change.attempt();
        if (to == null) {
            remove(move.id());
        } else {
            Move.Place place = change.place();
            boolean leaves = place != null && place.then() == Move.Then.LEAVE;
            session.update(leaves ? LEAVE : MOVE, statement -> {
                statement.setInt(1, to.code());
                statement.setInt(2, attempt);
                statement.setLong(3, after(now, change.delayMillis()));
                statement.setLong(4, change.keepMillis());
                statement.setBytes(5, change.result());
                statement.setBytes(6, change.failure());
                statement.setBytes(7, move.id().bytes());
            });
            boolean stays = place != null && place.then() == Move.Then.KEEP_OR_JOIN && holdsLane(move.id());
            if (place != null && !leaves && !stays) {
                places.join(move.id());
            }
        }
        for (AuditEntry event : move.events()) {
            append(event, old.fence(), attempt);
        }
        return new Moved.Applied();
    }

    private boolean holdsLane(RecordId id) throws SQLException {
        return find(session, id).map(Row::holdsLane).orElse(false);
    }

    boolean renew(Renewal renewal) throws SQLException {
        long at = after(time.millis(), renewal.leaseMillis());
        return session.update(RENEW, statement -> {
                    statement.setLong(1, at);
                    statement.setBytes(2, renewal.id().bytes());
                    statement.setLong(3, renewal.fence());
                })
                == 1;
    }

    /** @param absent receives the id if it has no row at all, not even an expired one */
    LookupResult lookUp(long modesVersion, Identity identity, Consumer<RecordId> absent) throws SQLException {
        long now = time.millis();
        Row own = findUnlikely(identity.id());
        if (own == null) {
            absent.accept(identity.id());
        }
        Row found = live(own, identity, now);
        boolean runnable = found == null || ReservationRule.free(found, now);
        if (runnable && modesVersion != Transactions.ANY_MODES && modesVersion != fences.modes()) {
            return new LookupResult.ModesChanged();
        }
        return found == null ? new LookupResult.Free() : new LookupResult.Found(found, now);
    }

    /** @param absent that it was in this transaction when it was opened; then it is not looked for again */
    void write(RecordWrite write, boolean absent) throws SQLException {
        if (absent) {
            try {
                write(write);
                return;
            } catch (SQLException e) {
                if (SqliteErrors.code(e) != SqliteErrors.CONSTRAINT) {
                    throw e;
                }
            }
        }
        clear(write);
        write(write);
    }

    private void clear(RecordWrite write) throws SQLException {
        Row old = find(session, write.id()).orElse(null);
        if (old == null) {
            return;
        }
        if (!ReservationRule.free(old, time.millis())) {
            throw new SemelException.LeaseLost(
                    write.header().operation() + "/" + write.id() + " (tenant "
                            + write.header().tenant() + "): another run left it " + old.state()
                            + "; nothing was committed; repeat the call to get its answer.",
                    old.status().fence());
        }
        remove(write.id());
    }

    private void write(RecordWrite write) throws SQLException {
        long now = time.millis();
        long fence = fences.nextFence();
        RecordWrite.WriteTimes times = write.times();
        Status status = new Status(
                write.state(), fence, times.attempt(), after(now, times.delayMillis()), times.keepMillis(), 0);
        insert(new Row(
                write.id(),
                write.header(),
                status,
                null,
                write.outcome().result(),
                write.outcome().failure()));
        append(write.event(), fence, times.attempt());
    }

    Map<String, Integer> purge(int limit, Function<Map<String, Integer>, List<AuditEntry>> events) throws SQLException {
        long now = time.millis();
        session.execute(DOOMED);
        session.execute("DELETE FROM semel_doomed");
        int doomed = 0;
        for (State state : State.values()) {
            if (doomed < limit && (state.finished() || state == State.FAILED_RETRYABLE)) {
                doomed += doom(state, now, limit - doomed);
            }
        }
        Map<String, Integer> removed = new TreeMap<>();
        if (doomed > 0) {
            session.execute(PURGE_STEPS);
            session.execute(PURGE);
            session.all(PURGED, SqliteSession.NOTHING, row -> removed.put(row.getString(1), row.getInt(2)));
            for (AuditEntry event : events.apply(removed)) {
                append(event, event.fence(), event.attempt());
            }
        }
        return removed;
    }

    private int doom(State state, long now, int limit) throws SQLException {
        return session.update(state.finished() ? DOOM : DOOM_RETRYABLE, statement -> {
            statement.setInt(1, state.code());
            statement.setLong(2, now);
            statement.setInt(3, limit);
        });
    }

    /** Turns every running record into UNKNOWN, due at once; says how many. */
    int disown(Function<Row, AuditEntry> forRecord) throws SQLException {
        List<Row> running = session.all(RUNNING, SqliteSession.NOTHING, row -> Rows.withLine(row, 1));
        long now = time.millis();
        session.update(DISOWN, statement -> statement.setLong(1, now));
        for (Row row : running) {
            append(forRecord.apply(row), row.status().fence(), row.status().attempt());
        }
        return running.size();
    }

    void append(@Nullable AuditEntry entry, long fence, int attempt) throws SQLException {
        if (entry == null) {
            return;
        }
        AuditEntry.Subject subject = entry.subject();
        RecordId record = subject.record();
        long now = time.millis();
        session.update(AUDIT, statement -> {
            statement.setLong(1, now);
            statement.setInt(2, entry.type());
            statement.setString(3, subject.tenant());
            statement.setString(4, subject.operation());
            statement.setBytes(5, record == null ? null : record.bytes());
            statement.setBytes(6, subject.fingerprint());
            statement.setString(7, subject.correlationId());
            statement.setString(8, entry.policy());
            statement.setLong(9, fence);
            statement.setInt(10, attempt);
            statement.setString(11, entry.body());
        });
    }

    /** The row that counts as the record's: its own, or else a neighbour's; never an expired one. */
    private @Nullable Row live(@Nullable Row own, Identity identity, long now) throws SQLException {
        Row row = own;
        for (int i = 0; i < identity.neighbours().size() && (row == null || row.expired(now)); i++) {
            row = findUnlikely(identity.neighbours().get(i));
        }
        return row == null || row.expired(now) ? null : row;
    }

    static Optional<Row> find(SqliteSession session, RecordId id) throws SQLException {
        return session.first(FIND, statement -> statement.setBytes(1, id.bytes()), row -> Rows.withLine(row, 1));
    }

    /** @param inline payloads of more bytes are left out */
    static Optional<Row> find(SqliteSession session, RecordId id, int inline) throws SQLException {
        return session.first(
                FIND_SMALL,
                statement -> {
                    statement.setBytes(1, id.bytes());
                    statement.setInt(2, inline);
                },
                row -> Rows.claimed(row, 1));
    }

    /** Cheap when it is not there, as it mostly is where a call gets to the writer at all. */
    private @Nullable Row findUnlikely(RecordId id) throws SQLException {
        boolean there = session.first(IS_THERE, statement -> statement.setBytes(1, id.bytes()), row -> true)
                .orElse(false);
        return there ? find(session, id).orElse(null) : null;
    }

    private Optional<Status> status(RecordId id) throws SQLException {
        return session.first(STATUS, statement -> statement.setBytes(1, id.bytes()), row -> Rows.status(row, 1));
    }

    /** With its steps. If it was in a lane, the lane continues without it. */
    void remove(RecordId id) throws SQLException {
        Optional<OptionalLong> left =
                session.first(REMOVE, statement -> statement.setBytes(1, id.bytes()), row -> SqliteLanes.lane(row, 1));
        if (left.isPresent()) {
            session.update(REMOVE_STEPS, statement -> statement.setBytes(1, id.bytes()));
            if (left.get().isPresent()) {
                places.promote(left.get().getAsLong());
            }
        }
    }

    private void insert(Row row) throws SQLException {
        session.update(INSERT, statement -> bind(statement, row));
    }

    static void bind(PreparedStatement statement, Row row) throws SQLException {
        RecordId parent = row.header().parent();
        statement.setBytes(1, row.id().bytes());
        statement.setString(2, row.header().tenant());
        statement.setString(3, row.header().operation());
        statement.setBytes(4, Rows.key(row.header().key()));
        statement.setBytes(5, row.header().fingerprint().bytes());
        statement.setString(6, row.header().correlationId());
        statement.setBytes(7, parent == null ? null : parent.bytes());
        bindStatus(statement, row.status());
        statement.setBytes(14, row.payload());
        statement.setBytes(15, row.result());
        statement.setBytes(16, row.failure());
        statement.setString(17, row.header().origin());
    }

    private static void bindStatus(PreparedStatement statement, Status status) throws SQLException {
        statement.setInt(8, status.state().code());
        statement.setLong(9, status.fence());
        statement.setInt(10, status.attempt());
        statement.setLong(11, status.at());
        statement.setLong(12, status.keepMillis());
        statement.setLong(13, status.owner());
    }

    static long after(long now, long delayMillis) {
        return delayMillis >= Status.NEVER - now ? Status.NEVER : now + delayMillis;
    }
}
