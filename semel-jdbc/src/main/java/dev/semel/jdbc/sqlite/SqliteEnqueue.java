package dev.semel.jdbc.sqlite;

import dev.semel.jdbc.shared.Rows;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.Line;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.time.TimeSource;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Messages that arrive, inside a write transaction. */
final class SqliteEnqueue {
    // The last parameter says that it is not due yet: then it takes its place in its lane later.
    static final String INSERT = String.format(Locale.ROOT, """
            /* row */ INSERT INTO semel_record (%s)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                CASE WHEN ?19 IS NULL THEN 0 WHEN ?22 THEN 4
                    WHEN EXISTS (SELECT 1 FROM semel_record WHERE lane = ?19 AND %s) THEN 2 ELSE 1 END,
                ?18, ?19, ?20, ?21)
            ON CONFLICT (id) DO NOTHING""", Rows.WITH_LINE, SqliteLanes.STANDING);

    private final SqliteSession session;
    private final SqliteFences fences;
    private final TimeSource time;
    private final SqliteRecords records;

    SqliteEnqueue(SqliteSession session, SqliteFences fences, TimeSource time, SqliteRecords records) {
        this.session = session;
        this.fences = fences;
        this.time = time;
        this.records = records;
    }

    List<Enqueued> enqueue(List<Arrival> batch) throws SQLException {
        List<Enqueued> answers = new ArrayList<>(batch.size());
        for (Arrival arrival : batch) {
            answers.add(enqueue(arrival));
        }
        return answers;
    }

    private Enqueued enqueue(Arrival arrival) throws SQLException {
        long now = time.millis();
        long place = fences.nextFence();
        if (!insert(arrival, place, now)) {
            Row found = SqliteRecords.find(session, arrival.id())
                    .orElseThrow(() -> new SQLException("Record " + arrival.id()
                            + " was rejected as a duplicate, but the lookup did not find it."));
            if (!found.expired(now)) {
                return new Enqueued.Existing(found);
            }
            records.remove(arrival.id());
            insert(arrival, place, now);
        }
        records.append(arrival.event(), 0, 0);
        return new Enqueued.Made();
    }

    private boolean insert(Arrival arrival, long place, long now) throws SQLException {
        Arrival.ArrivalTimes times = arrival.times();
        long at = Math.max(SqliteRecords.after(now, times.delayMillis()), times.start());
        Status status = new Status(State.QUEUED, 0, 0, at, 0, 0);
        Row row = new Row(arrival.id(), arrival.header(), status, arrival.payload(), null, null);
        Line.Lane lane = arrival.lane();
        return session.update(INSERT, statement -> {
                    SqliteRecords.bind(statement, row);
                    statement.setLong(18, place);
                    if (lane == null) {
                        statement.setNull(19, Types.BIGINT);
                        statement.setNull(20, Types.VARCHAR);
                    } else {
                        statement.setLong(19, lane.number());
                        statement.setString(20, lane.key());
                    }
                    if (times.deadline() == Status.NEVER) {
                        statement.setNull(21, Types.BIGINT);
                    } else {
                        statement.setLong(21, times.deadline());
                    }
                    statement.setBoolean(22, at > now);
                })
                == 1;
    }
}
