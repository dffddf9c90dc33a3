package dev.semel.examples.demo;

import dev.semel.audit.AuditEvent;
import dev.semel.operator.Operator;
import dev.semel.store.AuditFilter;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Looks at the ledger of an example from outside, as the command line does. Thread-safe. */
public final class LedgerView implements AutoCloseable {
    private static final int MOST = 10_000;

    private final Store store;
    private final Operator operator;

    /** Opens a ledger that is there, by its URL. */
    public LedgerView(String url) {
        store = Stores.open(url, StoreProvider.Options.EXISTING);
        operator = Operator.on(store);
    }

    /** Whether nothing waits and nothing runs. */
    public boolean isQuiet() {
        return Stream.of(State.QUEUED, State.IN_PROGRESS, State.FAILED_RETRYABLE)
                .allMatch(state -> operator.list(state, RecordFilter.ALL, RecordFilter.Cursor.START, 1)
                        .isEmpty());
    }

    /** The records of an operation or channel in a state. */
    public List<Row> rows(State state, String operation) {
        return operator.list(state, RecordFilter.ALL, RecordFilter.Cursor.START, MOST).stream()
                .filter(row -> row.header().operation().equals(operation))
                .toList();
    }

    /** The audit of an operation or channel, oldest first, each event by the names of its fields. */
    public List<Map<String, Object>> audit(String operation) {
        List<Map<String, Object>> events = new ArrayList<>(store.audit().newest(AuditFilter.ALL, MOST).stream()
                .map(row -> new AuditEvent(row).fields())
                .filter(fields -> operation.equals(fields.get("operation")))
                .toList());
        Collections.reverse(events);
        return events;
    }

    /** Of these, those of a type. */
    public List<Map<String, Object>> audit(String operation, String type) {
        return audit(operation).stream()
                .filter(fields -> type.equals(fields.get("type")))
                .toList();
    }

    /** The delays before the retries of an operation or channel, in milliseconds, in the order of its failures. */
    public List<Long> delays(String operation) {
        return audit(operation, "retry.attempt").stream()
                .map(event -> (Long) event.get("delay_ms"))
                .toList();
    }

    /** What operators may do. */
    public Operator operator() {
        return operator;
    }

    /** The ledger itself. */
    public Store store() {
        return store;
    }

    @Override
    public void close() {
        store.close();
    }
}
