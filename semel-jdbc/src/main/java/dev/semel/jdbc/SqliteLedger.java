package dev.semel.jdbc;

import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Renewal;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

final class SqliteLedger implements Ledger {
    private static final String STEPS = "SELECT " + Rows.RECORD + " FROM semel_record WHERE parent = ? ORDER BY n";
    private static final String OVERDUE = "SELECT " + Rows.RECORD
            + " FROM semel_record WHERE state = ? AND at <= ? AND parent IS NULL AND operation IN (%s) ORDER BY at LIMIT ?";

    private final SqliteAccess access;

    SqliteLedger(SqliteAccess access) {
        this.access = access;
    }

    @Override
    public List<Reserved> reserve(long modesVersion, List<Reservation> batch) {
        return access.write(line -> {
            List<Reserved> answers = new ArrayList<>(batch.size());
            for (Reservation each : batch) {
                answers.add(line.records().reserve(modesVersion, each));
            }
            return answers;
        });
    }

    @Override
    public List<Moved> move(List<Move> batch) {
        return access.write(line -> {
            List<Moved> answers = new ArrayList<>(batch.size());
            for (Move each : batch) {
                answers.add(line.records().move(each));
            }
            return answers;
        });
    }

    @Override
    public List<Boolean> renew(List<Renewal> batch) {
        return access.write(line -> {
            List<Boolean> answers = new ArrayList<>(batch.size());
            for (Renewal each : batch) {
                answers.add(line.records().renew(each));
            }
            return answers;
        });
    }

    @Override
    public Map<RecordId, Row> find(Collection<RecordId> ids) {
        return access.read(session -> {
            Map<RecordId, Row> found = new HashMap<>();
            for (RecordId id : ids) {
                SqliteRecords.find(session, id).ifPresent(row -> found.put(id, row));
            }
            return found;
        });
    }

    @Override
    public List<Row> steps(RecordId parent) {
        return access.read(session ->
                session.all(STEPS, statement -> statement.setBytes(1, parent.bytes()), row -> Rows.record(row, 1)));
    }

    @Override
    public List<Row> overdue(State state, Collection<String> operations, int limit) {
        if (operations.isEmpty()) {
            return List.of();
        }
        long now = access.now();
        String marks = String.join(", ", Collections.nCopies(operations.size(), "?"));
        return access.read(session -> session.all(
                OVERDUE.formatted(marks),
                statement -> {
                    statement.setInt(1, state.code());
                    statement.setLong(2, now);
                    int position = 3;
                    for (String operation : operations) {
                        statement.setString(position++, operation);
                    }
                    statement.setInt(position, limit);
                },
                row -> Rows.record(row, 1)));
    }

    @Override
    public Map<String, Integer> purge(int limit, Function<Map<String, Integer>, List<AuditEntry>> events) {
        return access.write(line -> line.records().purge(limit, events));
    }
}
