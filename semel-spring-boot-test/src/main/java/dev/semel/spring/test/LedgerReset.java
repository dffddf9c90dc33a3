package dev.semel.spring.test;

import dev.semel.store.Line;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Empties the ledger of a test: removes all its records, so that every key is new again. Modes, pauses and the audit stay. A bean of
 * every test context with Semel; {@link AutoConfigureSemel} calls it for each test.
 */
public final class LedgerReset {
    private static final int BATCH = 500;
    private static final Set<State> ALL = EnumSet.allOf(State.class);

    /** The ledgers that this JVM has opened, and whether they were empty then. */
    private static final Map<String, Boolean> OPENED = new ConcurrentHashMap<>();

    private final Store store;
    private final String ledger;

    /** @param ledger names the ledger: the URL of its database */
    LedgerReset(Store store, String ledger) {
        this.store = store;
        this.ledger = ledger;
        OPENED.computeIfAbsent(ledger, first -> isEmpty());
    }

    private boolean isEmpty() {
        return ALL.stream().allMatch(state -> list(state).isEmpty());
    }

    /** Whether every record in the ledger is from a test: it is in memory, or it was empty when this JVM first opened it. */
    public boolean isTestLedger() {
        return store.name().startsWith("memory:") || Boolean.TRUE.equals(OPENED.get(ledger));
    }

    /**
     * Removes all records. Call it outside transactions, and when channel handlers have ended.
     *
     * @throws IllegalStateException when the ledger has records that are not from tests; nothing is removed
     */
    public void reset() {
        if (!isTestLedger()) {
            throw new IllegalStateException("Reset rejected; nothing was removed: the ledger " + ledger
                    + " had records before the first test, so it may not be a test's. Give the tests an empty database,"
                    + " or use @AutoConfigureSemel(reset = ANY_LEDGER) if every record in it may be lost.");
        }
        resetAny();
    }

    /** As {@link #reset}, whatever ledger it is. */
    void resetAny() {
        for (State state : ALL) {
            for (List<Row> rows = list(state); !rows.isEmpty(); rows = list(state)) {
                List<Moved> moved = store.ledger()
                        .move(rows.stream().map(LedgerReset::removal).toList());
                if (moved.stream().noneMatch(Moved.Applied.class::isInstance)) {
                    Row first = rows.get(0);
                    throw new IllegalStateException("Reset failed: the record "
                            + first.header().operation() + "/" + first.header().key() + " in the ledger " + ledger
                            + " is locked by a transaction. Let transactions and handlers end before the test ends.");
                }
            }
        }
    }

    private List<Row> list(State state) {
        return store.ledger().list(state, RecordFilter.ALL, RecordFilter.Cursor.START, BATCH);
    }

    private static Move removal(Row row) {
        Line line = row.line();
        Long lane = line == null || line.lane() == null ? null : line.lane().number();
        Move.Change change =
                line == null ? Move.Change.NONE : Move.Change.NONE.at(new Move.Place(lane, Move.Then.LEAVE));
        return new Move(row.id(), row.status().fence(), ALL, null, change, List.of());
    }
}
