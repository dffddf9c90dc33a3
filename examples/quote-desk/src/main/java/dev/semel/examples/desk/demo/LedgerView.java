package dev.semel.examples.desk.demo;

import dev.semel.operator.Operator;
import dev.semel.store.RecordFilter;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Looks at the ledger of a desk from outside, as the command line does. */
public final class LedgerView implements AutoCloseable {
    private final Store store;

    /** Opens a ledger that is there. */
    public LedgerView(Path file) {
        store = Stores.open("sqlite:" + file, StoreProvider.Options.EXISTING);
    }

    /** Whether nothing waits and nothing runs. */
    public boolean isQuiet() {
        return Stream.of(State.QUEUED, State.IN_PROGRESS, State.FAILED_RETRYABLE)
                .allMatch(state -> Operator.on(store)
                        .list(state, RecordFilter.ALL, RecordFilter.Cursor.START, 1)
                        .isEmpty());
    }

    @Override
    public void close() {
        store.close();
    }
}
