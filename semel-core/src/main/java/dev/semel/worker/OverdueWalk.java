package dev.semel.worker;

import dev.semel.key.RecordId;
import dev.semel.store.Ledger;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordFilter.Cursor;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the overdue records of a state, longest overdue first, some pages in a round. A round continues behind the record
 * at which the one before ended, so records that cannot be handled here hide none behind them. A pass that takes more than one
 * round ends at what was overdue when its second round began, however much becomes overdue meanwhile; then it begins with the
 * first again. One thread at a time.
 */
final class OverdueWalk {
    private static final int PAGE = 100;
    private static final int PAGES = 10;

    private final Ledger ledger;
    private final State state;
    private final OverduePages pages;
    private volatile Cursor behind = Cursor.OLDEST;
    private volatile long until = Long.MAX_VALUE;
    private volatile @Nullable RecordId unfinished;

    OverdueWalk(Ledger ledger, State state, OverduePages pages) {
        this.ledger = ledger;
        this.state = state;
        this.pages = pages;
    }

    /** Reads overdue records of the state. */
    @FunctionalInterface
    interface OverduePages {
        /** In the order of {@link Ledger#overdue}. */
        List<Row> behind(Cursor behind, int limit);
    }

    /**
     * @param each an exception ends the round; the next round starts with the same record, and if that throws again,
     *     the round after it continues behind it
     */
    void round(Consumer<Row> each) {
        if (until == Long.MAX_VALUE && behind != Cursor.OLDEST) {
            until = ledger.tally(state, RecordFilter.ALL, 1).now();
        }
        boolean more = true;
        for (int read = 0; read < PAGES && more; read++) {
            more = page(pages.behind(behind, PAGE), each);
        }
    }

    /** Whether there is more to do in this round. */
    private boolean page(List<Row> page, Consumer<Row> each) {
        for (Row row : page) {
            if (row.status().at() > until) {
                beginAgain();
                return true;
            }
            handle(row, each);
        }
        if (page.size() < PAGE) {
            beginAgain();
            return false;
        }
        return true;
    }

    private void handle(Row row, Consumer<Row> each) {
        if (row.id().equals(unfinished)) {
            behind = Cursor.behind(row);
        }
        unfinished = row.id();
        each.accept(row);
        unfinished = null;
        behind = Cursor.behind(row);
    }

    private void beginAgain() {
        behind = Cursor.OLDEST;
        until = Long.MAX_VALUE;
    }
}
