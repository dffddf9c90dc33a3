package dev.semel.operator;

import dev.semel.Failure;
import dev.semel.execution.Failures;
import dev.semel.store.Ledger;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordFilter.Cursor;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Dead letters: listed, grouped by what went wrong, walked through. */
public final class Letters {
    private static final int PAGE = 500;

    private final Ledger ledger;

    Letters(Ledger ledger) {
        this.ledger = ledger;
    }

    /**
     * Which dead letters are meant.
     *
     * @param category of the failure
     * @param exception class name, or the end of it
     */
    public record Which(
            RecordFilter records,
            Failure.@Nullable Category category,
            @Nullable String exception) {
        public static final Which ALL = new Which(new RecordFilter(null, null, true, Long.MAX_VALUE), null, null);

        boolean matches(Row row) {
            Failure failure = failure(row);
            boolean sameCategory = category == null || failure != null && failure.category() == category;
            boolean sameException = exception == null
                    || failure != null
                            && failure.exception() != null
                            && failure.exception().endsWith(exception);
            return sameCategory && sameException;
        }

        /** The same ones, without those that were granted after this fence. */
        Which upTo(long fence) {
            return new Which(
                    new RecordFilter(records.tenant(), records.operation(), records.queued(), fence),
                    category,
                    exception);
        }
    }

    /**
     * Dead letters that share what went wrong.
     *
     * @param reason the text that their messages share; what differs between them is left out
     * @param sample one of them
     */
    public record Group(
            String operation, Failure.Category category, String exception, String reason, long count, Row sample) {}

    /** Up to so many, newest first. */
    public List<Row> list(Which which, int limit) {
        List<Row> found = new ArrayList<>();
        each(which, row -> {
            found.add(row);
            return found.size() < limit;
        });
        return found;
    }

    /** All of them by cause, the most frequent first. */
    public List<Group> groups(Which which) {
        Causes causes = new Causes();
        each(which, row -> {
            causes.add(row, failure(row));
            return true;
        });
        return causes.groups();
    }

    /** How many there are, and the newest grant among them. */
    public Preview preview(Which which) {
        long[] seen = new long[2];
        each(which, row -> {
            seen[0]++;
            seen[1] = Math.max(seen[1], row.status().fence());
            return true;
        });
        return new Preview(which.upTo(seen[1]), seen[0]);
    }

    /**
     * What a replay of many would do.
     *
     * @param which the same ones, without any that dies after this
     */
    public record Preview(Which which, long count) {}

    /** Says whether to go on. */
    @FunctionalInterface
    interface Visitor {
        boolean visit(Row row);
    }

    private void each(Which which, Visitor visitor) {
        Cursor behind = Cursor.START;
        while (true) {
            List<Row> page = ledger.list(State.FAILED_TERMINAL, which.records, behind, PAGE);
            for (Row row : page) {
                if (which.matches(row) && !visitor.visit(row)) {
                    return;
                }
            }
            if (page.size() < PAGE) {
                return;
            }
            behind = Cursor.behind(page.get(page.size() - 1));
        }
    }

    /** A page of those that match, behind a cursor; the visitor is told where the page ended. */
    List<Row> page(Which which, Cursor behind, int limit, Consumer<Cursor> next) {
        List<Row> page = ledger.list(State.FAILED_TERMINAL, which.records, behind, limit);
        if (page.size() == limit) {
            next.accept(Cursor.behind(page.get(limit - 1)));
        }
        return page.stream().filter(which::matches).toList();
    }

    /** What went wrong last, if anything did. */
    public static @Nullable Failure failure(Row row) {
        return row.failure() == null ? null : Failures.decode(row.failure());
    }
}
