package dev.semel.jdbc.fault;

import dev.semel.audit.EventType;
import dev.semel.audit.Sealer;
import dev.semel.audit.Verification;
import dev.semel.key.RecordId;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.Row;
import dev.semel.store.Store;
import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.Event.Grant;
import dev.semel.testkit.history.Event.Reception;
import dev.semel.testkit.history.History;
import dev.semel.testkit.history.HistoryChecker;
import dev.semel.testkit.history.Judgement;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Combines the histories of the processes with the state afterwards, and runs the checker. */
final class RunVerdict {
    private final RunDatabases place;
    private final List<Event> events;
    private final Map<RecordId, String> names = new HashMap<>();
    private final Set<String> accepted = new HashSet<>();
    private final History found = History.inMemory("judge", TimeSource.system());

    private RunVerdict(RunDatabases place, List<Event> events, Function<String, RecordId> ids) {
        this.place = place;
        this.events = events;
        for (String record : records(events)) {
            names.put(ids.apply(record), record);
        }
        for (Event event : events) {
            if (event instanceof Event.Ended ended && ended.ending() == Event.Ending.ACCEPTED) {
                accepted.add(event.record());
            }
        }
    }

    static Judgement judge(RunDatabases place, Collection<Path> histories) throws IOException, SQLException {
        return judge(place, History.read(histories));
    }

    static Judgement judge(RunDatabases place, List<Event> events) throws SQLException {
        return judge(
                place, events, record -> WorkKind.Item.of(record).identity().id());
    }

    /** @param ids of records by their names */
    static Judgement judge(RunDatabases place, List<Event> events, Function<String, RecordId> ids) throws SQLException {
        RunVerdict judge = new RunVerdict(place, events, ids);
        judge.readEffects();
        judge.readOutside();
        try (Store store = place.open()) {
            judge.readLedger(store);
            judge.readAudit(store);
        }
        List<Event> all = new ArrayList<>(events);
        all.addAll(judge.found.events());
        return HistoryChecker.check(all);
    }

    static Set<String> records(List<Event> events) {
        Set<String> records = new TreeSet<>();
        events.forEach(event -> records.add(event.record()));
        return records;
    }

    private void readEffects() throws SQLException {
        try (Connection connection = place.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT record, payload FROM applied")) {
            while (row.next()) {
                delivered(row.getString(1), Grant.NONE, row.getString(2), Reception.APPLIED, null);
            }
        }
    }

    private void readOutside() throws SQLException {
        try (Connection connection = place.connectOutside();
                Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery("SELECT record, payload FROM printed")) {
                while (row.next()) {
                    delivered(row.getString(1), Grant.NONE, row.getString(2), Reception.APPLIED, null);
                }
            }
            try (ResultSet row = statement.executeQuery(
                    "SELECT record, payload, fence, attempt, reception, lane, number" + " FROM received ORDER BY n")) {
                while (row.next()) {
                    Grant grant = new Grant(row.getLong(3), row.getInt(4));
                    String lane = row.getString(6);
                    Event.Place where = lane == null ? null : new Event.Place(lane, row.getLong(7));
                    delivered(row.getString(1), grant, row.getString(2), Reception.valueOf(row.getString(5)), where);
                }
            }
        }
    }

    private void delivered(
            String record, Grant grant, String payload, Reception reception, Event.@Nullable Place where) {
        String hash = History.hash(WorkKind.bytes(payload));
        found.append(stamp -> new Event.Delivered(stamp, record, grant, hash, reception, where));
    }

    private void readLedger(Store store) {
        List<RecordId> ids = new ArrayList<>(names.keySet());
        for (int i = 0; i < ids.size(); i += 200) {
            Map<RecordId, Row> rows = store.ledger()
                    .find(ids.subList(i, Math.min(i + 200, ids.size())))
                    .rows();
            rows.forEach((id, row) -> found.append(stamp ->
                    new Event.Left(stamp, names.get(id), row.state().name(), History.hash(row.result()), false)));
        }
    }

    private void readAudit(Store store) {
        new Sealer(store.audit()).sealAll();
        Verification.VerificationReport report = new Verification(store.audit()).verify(null);
        String finding = report.damage().map(Verification.Damage::sentence).orElse("");
        found.append(stamp -> new Event.Chained(stamp, report.intact(), finding));
        for (AuditRow row : store.audit().newest(AuditFilter.ALL, Integer.MAX_VALUE)) {
            RecordId id = row.entry().subject().record();
            String record = id == null ? null : names.get(id);
            if (record != null) {
                String type = EventType.of(row.entry().type()).orElseThrow().publicName();
                Grant grant = new Grant(row.entry().fence(), row.entry().attempt());
                found.append(stamp -> new Event.Audited(stamp, record, type, grant));
                if (type.equals("operation.executed") && accepted.contains(record)) {
                    executedLater(record, grant);
                }
            }
        }
    }

    /** An accepted message has no caller who gets its result: the ledger has it. */
    private void executedLater(String record, Grant grant) {
        long call = found.invoke(record, null);
        found.end(record, call, Event.Ending.EXECUTED, grant, null);
    }
}
