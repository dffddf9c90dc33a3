package dev.semel.jdbc.sqlite;

import dev.semel.jdbc.shared.BatchParts;
import dev.semel.jdbc.shared.CensusRows;
import dev.semel.jdbc.shared.NotAllMoved;
import dev.semel.jdbc.shared.Rows;
import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.CompletedMessage;
import dev.semel.store.FoundRecords;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.OutsideGrant;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordSearch;
import dev.semel.store.Renewal;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.SearchedRecords;
import dev.semel.store.State;
import dev.semel.store.StateCensus;
import dev.semel.store.StateCount;
import dev.semel.store.Status;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

final class SqliteLedger implements Ledger {
    /** So few that a caller who comes meanwhile hardly notices. */
    private static final int LARGEST_PURGE = 200;

    private static final String STEPS =
            "SELECT " + Rows.WITH_LINE + " FROM semel_record WHERE parent = ? AND place IS NULL ORDER BY n";
    private static final String OVERDUE = "SELECT " + Rows.WITH_LINE
            + " FROM semel_record WHERE state = ? AND at <= ? AND (at, id) > (?, ?) AND (parent IS NULL OR place IS NOT NULL)"
            + " AND operation IN (%s) ORDER BY at, id LIMIT ?";

    private static final String OVERDUE_OUTSIDE = "SELECT "
            + Rows.withoutLargePayload("", "length", "0")
            + " FROM semel_record WHERE state = 1 AND at <= ?1 AND (at, id) > (?2, ?3) AND owner < 0 AND (owner >= "
            + OutsideGrant.FIRST_NOT_REPEATABLE
            + " OR at <= ?1 - ?5) AND parent IS NULL AND place IS NULL ORDER BY at, id LIMIT ?4";

    private static final String LIST = "SELECT " + Rows.WITH_LINE
            + " FROM semel_record WHERE state = ?1 AND (at, id) < (?2, ?3) AND fence <= ?4"
            + " AND (parent IS NULL OR place IS NOT NULL) AND (?5 IS NULL OR tenant = ?5)"
            + " AND (?6 IS NULL OR operation = ?6) AND (?7 = 0 OR place IS NOT NULL) ORDER BY at DESC, id DESC LIMIT ?8";
    private static final String TALLY = "SELECT count(*), coalesce(min(at - coalesce(keep, 0)), " + Status.NEVER
            + ") FROM (SELECT at, keep FROM semel_record WHERE state = ?1 AND fence <= ?2"
            + " AND (parent IS NULL OR place IS NOT NULL) AND (?3 IS NULL OR tenant = ?3)"
            + " AND (?4 IS NULL OR operation = ?4) AND (?5 = 0 OR place IS NOT NULL) ORDER BY at LIMIT ?6)";
    /** The number of those looked at does not depend on the tenant, so that the cost is bounded. */
    static final String CENSUS = """
            SELECT operation, count(*), count(place), count(*) FILTER (WHERE turn = 1), min(at), min(at - coalesce(keep, 0)),
                counted FROM (
                SELECT operation, place, turn, at, keep,
                    (?4 IS NULL OR tenant = ?4) AND (parent IS NULL OR place IS NOT NULL) AS counted
                FROM semel_record WHERE state = ?1 AND at <= ?2 ORDER BY at LIMIT ?3)
            GROUP BY counted, operation ORDER BY operation""";

    private static final String SUMMARY = Rows.summary("", "length");
    private static final String STEP_SUMMARIES =
            "SELECT " + SUMMARY + " FROM semel_record WHERE parent = ? AND place IS NULL ORDER BY n LIMIT ?";

    private static final String COMPLETED = "SELECT id, place, fence, coalesce(length(payload), 0) FROM semel_record"
            + " WHERE state = 2 AND fence <= ?1 AND (?2 IS NULL OR tenant = ?2) AND (?3 IS NULL OR operation = ?3)"
            + " AND place > ?4 ORDER BY place LIMIT ?5";
    private static final String RANGE =
            "SELECT " + SUMMARY + " FROM semel_record WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?";
    private static final String BY_CORRELATION = "SELECT " + SUMMARY
            + " FROM semel_record WHERE correlation = ? AND " + Rows.NO_STEP + " AND tenant = ?"
            + " ORDER BY place IS NOT NULL, coalesce(place, fence), id LIMIT ?";
    private static final String SENT_BY =
            "SELECT " + SUMMARY + " FROM semel_record WHERE parent = ? AND place IS NOT NULL ORDER BY place LIMIT ?";

    private final SqliteAccess access;
    private final SqliteBackground background;

    SqliteLedger(SqliteAccess access, SqliteBackground background) {
        this.access = access;
        this.background = background;
    }

    @Override
    public List<Reserved> reserve(long modesVersion, List<Reservation> batch) {
        return access.writeEach(
                batch,
                db -> part -> {
                    List<Reserved> answers = new ArrayList<>(part.size());
                    for (Reservation each : part) {
                        answers.add(db.records().reserve(modesVersion, each));
                    }
                    return answers;
                },
                BatchParts::notReserved);
    }

    @Override
    public List<Moved> move(List<Move> batch) {
        return access.writeEach(batch, db -> db.records()::move, BatchParts::notMoved);
    }

    @Override
    public Moved moveTogether(List<Move> batch) {
        return NotAllMoved.answer(
                () -> access.write(db -> NotAllMoved.demandAll(db.records().move(batch))));
    }

    @Override
    public List<Boolean> renew(List<Renewal> batch) {
        return access.write(db -> {
            List<Boolean> answers = new ArrayList<>(batch.size());
            for (Renewal each : batch) {
                answers.add(db.records().renew(each));
            }
            return answers;
        });
    }

    @Override
    public FoundRecords find(Collection<RecordId> ids) {
        long now = access.now();
        return access.read(session -> {
            Map<RecordId, Row> found = new HashMap<>();
            for (RecordId id : ids) {
                SqliteRecords.find(session, id).ifPresent(row -> found.put(id, row));
            }
            return new FoundRecords(found, now);
        });
    }

    @Override
    public FoundRecords find(Collection<RecordId> ids, int inline) {
        long now = access.now();
        return access.read(session -> {
            Map<RecordId, Row> found = new HashMap<>();
            for (RecordId id : ids) {
                SqliteRecords.find(session, id, inline).ifPresent(row -> found.put(id, row));
            }
            return new FoundRecords(found, now);
        });
    }

    @Override
    public List<Row> steps(RecordId parent) {
        return access.read(session ->
                session.all(STEPS, statement -> statement.setBytes(1, parent.bytes()), row -> Rows.withLine(row, 1)));
    }

    @Override
    public List<Row> stepSummaries(RecordId parent, int limit) {
        return access.read(session -> session.all(
                STEP_SUMMARIES,
                statement -> {
                    statement.setBytes(1, parent.bytes());
                    statement.setInt(2, limit);
                },
                row -> Rows.claimed(row, 1)));
    }

    @Override
    public List<Row> overdue(State state, Collection<String> operations, RecordFilter.Cursor behind, int limit) {
        if (operations.isEmpty()) {
            return List.of();
        }
        long now = access.now();
        String marks = String.join(", ", Collections.nCopies(operations.size(), "?"));
        return access.read(session -> session.all(
                String.format(Locale.ROOT, OVERDUE, marks),
                statement -> {
                    statement.setInt(1, state.code());
                    statement.setLong(2, now);
                    statement.setLong(3, behind.at());
                    statement.setBytes(4, behind.id().bytes());
                    int position = 5;
                    for (String operation : operations) {
                        statement.setString(position++, operation);
                    }
                    statement.setInt(position, limit);
                },
                row -> Rows.withLine(row, 1)));
    }

    @Override
    public List<Row> overdueOutside(long patienceMillis, RecordFilter.Cursor behind, int limit) {
        long now = access.now();
        return access.read(session -> session.all(
                OVERDUE_OUTSIDE,
                statement -> {
                    statement.setLong(1, now);
                    statement.setLong(2, behind.at());
                    statement.setBytes(3, behind.id().bytes());
                    statement.setInt(4, limit);
                    statement.setLong(5, patienceMillis);
                },
                row -> Rows.claimed(row, 1)));
    }

    @Override
    public List<Row> list(State state, RecordFilter filter, RecordFilter.Cursor behind, int limit) {
        return access.read(session -> session.all(
                LIST,
                statement -> {
                    statement.setInt(1, state.code());
                    statement.setLong(2, behind.at());
                    statement.setBytes(3, behind.id().bytes());
                    statement.setLong(4, filter.fence());
                    statement.setString(5, filter.tenant());
                    statement.setString(6, filter.operation());
                    statement.setInt(7, filter.queued() ? 1 : 0);
                    statement.setInt(8, limit);
                },
                row -> Rows.withLine(row, 1)));
    }

    @Override
    public SearchedRecords search(State state, RecordSearch search, RecordFilter.Cursor behind, int limit, int most) {
        return access.read(new SqliteSearch(state, search, behind, limit, most)::run);
    }

    @Override
    public StateCount tally(State state, RecordFilter filter, int most) {
        return access.read(session -> session.first(
                        TALLY,
                        statement -> {
                            statement.setInt(1, state.code());
                            statement.setLong(2, filter.fence());
                            statement.setString(3, filter.tenant());
                            statement.setString(4, filter.operation());
                            statement.setInt(5, filter.queued() ? 1 : 0);
                            statement.setInt(6, most);
                        },
                        row -> new StateCount(row.getLong(1), row.getLong(2), access.now()))
                .orElseThrow());
    }

    @Override
    public StateCensus census(State state, @Nullable String tenant, long until, int most) {
        return access.read(session -> {
            CensusRows rows = new CensusRows();
            session.all(
                    CENSUS,
                    statement -> {
                        statement.setInt(1, state.code());
                        statement.setLong(2, until);
                        statement.setInt(3, most + 1);
                        statement.setString(4, tenant);
                    },
                    rows::add);
            return rows.census(most, access.now());
        });
    }

    @Override
    public List<CompletedMessage> completedMessages(RecordFilter filter, long behind, int limit) {
        return access.read(session -> session.all(
                COMPLETED,
                statement -> {
                    statement.setLong(1, filter.fence());
                    statement.setString(2, filter.tenant());
                    statement.setString(3, filter.operation());
                    statement.setLong(4, behind);
                    statement.setInt(5, limit);
                },
                row -> new CompletedMessage(Rows.id(row, 1), row.getLong(2), row.getLong(3), row.getInt(4))));
    }

    @Override
    public List<Row> range(RecordId first, RecordId last, int limit) {
        return access.read(session -> session.all(
                RANGE,
                statement -> {
                    statement.setBytes(1, first.bytes());
                    statement.setBytes(2, last.bytes());
                    statement.setInt(3, limit);
                },
                row -> Rows.claimed(row, 1)));
    }

    @Override
    public List<Row> findByCorrelation(String tenant, String correlationId, int limit) {
        return access.read(session -> session.all(
                BY_CORRELATION,
                statement -> {
                    statement.setString(1, correlationId);
                    statement.setString(2, tenant);
                    statement.setInt(3, limit);
                },
                row -> Rows.claimed(row, 1)));
    }

    @Override
    public List<Row> sentBy(RecordId record, int limit) {
        return access.read(session -> session.all(
                SENT_BY,
                statement -> {
                    statement.setBytes(1, record.bytes());
                    statement.setInt(2, limit);
                },
                row -> Rows.claimed(row, 1)));
    }

    @Override
    public Map<String, Integer> purge(int limit, Function<Map<String, Integer>, List<AuditEntry>> events) {
        return background.write(db -> db.records().purge(Math.min(limit, LARGEST_PURGE), events));
    }
}
