package dev.semel.examples.demo;

import dev.semel.audit.EventType;
import dev.semel.audit.Sealer;
import dev.semel.audit.Verification;
import dev.semel.key.RecordId;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.Row;
import dev.semel.store.Store;
import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.Event.Ending;
import dev.semel.testkit.history.Event.Grant;
import dev.semel.testkit.history.Event.Reception;
import dev.semel.testkit.history.History;
import dev.semel.testkit.history.HistoryChecker;
import dev.semel.testkit.history.Judgement;
import dev.semel.time.TimeSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What happened to an example, for the history checker: what was sent to it and acknowledged, and what reached the outside, are written
 * down; the ledger and the audit are read afterwards. Thread-safe, except for {@link #judge}.
 */
public final class LedgerHistory {
    private final History history = History.inMemory("outside", TimeSource.system());
    private final Map<RecordId, String> names = new HashMap<>();

    /** What a record of the ledger is called here. */
    public synchronized void name(RecordId id, String record) {
        names.put(id, record);
    }

    /**
     * Something is sent to the example.
     *
     * @param delivery throws unless it was acknowledged
     */
    public <T> T delivered(String record, Callable<T> delivery) throws Exception {
        long call = history.invoke(record, null);
        T answer = delivery.call();
        history.end(record, call, Ending.ACCEPTED, Grant.NONE, null);
        return answer;
    }

    /** Something was asked for by the example itself and reached the outside, or was committed as an effect. */
    public void applied(String record, Event.@Nullable Place place) {
        history.append(stamp -> new Event.Delivered(stamp, record, Grant.NONE, null, Reception.APPLIED, place));
    }

    /** The outside recognised it by its key and did nothing. */
    public void repeated(String record) {
        history.append(stamp -> new Event.Delivered(stamp, record, Grant.NONE, null, Reception.REPEATED, null));
    }

    /** A worker ran it, without a caller that could be told of an end. */
    public void worked(String record) {
        long call = history.invoke(record, null);
        history.end(record, call, Ending.BUSY, Grant.NONE, null);
    }

    /**
     * Judges what was written down together with the ledger and the audit as they are now.
     *
     * @param executions the records whose execution, as the audit tells it, is a call of its own
     */
    public synchronized Judgement judge(Store store, Predicate<String> executions) {
        readLedger(store);
        readAudit(store, executions);
        return HistoryChecker.check(history.events());
    }

    private void readLedger(Store store) {
        Map<RecordId, Row> rows =
                store.ledger().find(List.copyOf(names.keySet())).rows();
        rows.forEach((id, row) -> {
            String record = Objects.requireNonNull(names.get(id));
            history.append(stamp -> new Event.Left(stamp, record, row.state().name(), null, false));
        });
    }

    private void readAudit(Store store, Predicate<String> executions) {
        new Sealer(store.audit()).sealAll();
        Verification.VerificationReport report = new Verification(store.audit()).verify(null);
        history.append(stamp -> new Event.Chained(
                stamp,
                report.intact(),
                report.damage().map(Verification.Damage::sentence).orElse("")));
        for (AuditRow row : store.audit().newest(AuditFilter.ALL, Integer.MAX_VALUE)) {
            RecordId id = row.entry().subject().record();
            String record = id == null ? null : names.get(id);
            if (record != null) {
                String type = EventType.of(row.entry().type()).orElseThrow().publicName();
                Grant grant = new Grant(row.entry().fence(), row.entry().attempt());
                history.append(stamp -> new Event.Audited(stamp, record, type, grant));
                if (type.equals("operation.executed") && executions.test(record)) {
                    long call = history.invoke(record, null);
                    history.end(record, call, Ending.EXECUTED, grant, null);
                }
            }
        }
    }
}
