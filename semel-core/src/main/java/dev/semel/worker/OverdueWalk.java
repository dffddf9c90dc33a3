package dev.semel.worker;

import dev.semel.store.Ledger;
import dev.semel.store.RecordFilter.Cursor;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Goes through the overdue records of a state, longest overdue first, some pages in a round. A round goes on behind the record
 * at which the one before ended, so records that nobody here can do anything about hide none behind them; after the last one it
 * begins with the first again.
 */
final class OverdueWalk {
    private static final int PAGE = 100;
    private static final int PAGES = 10;

    private final Ledger ledger;
    private final State state;
    private volatile Cursor behind = Cursor.OLDEST;

    OverdueWalk(Ledger ledger, State state) {
        this.ledger = ledger;
        this.state = state;
    }

    /** @param each what it throws ends the round; the next one goes on behind the page */
    void round(Collection<String> operations, Consumer<Row> each) {
        boolean more = !operations.isEmpty();
        for (int pages = 0; pages < PAGES && more; pages++) {
            List<Row> page = ledger.overdue(state, operations, behind, PAGE);
            more = page.size() == PAGE;
            behind = more ? Cursor.behind(page.get(PAGE - 1)) : Cursor.OLDEST;
            page.forEach(each);
        }
    }
}
