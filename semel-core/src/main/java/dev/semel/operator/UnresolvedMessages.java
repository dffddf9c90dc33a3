package dev.semel.operator;

import dev.semel.Failure;
import dev.semel.execution.Failures;
import dev.semel.store.Ledger;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordFilter.Cursor;
import dev.semel.store.RecordSearch;
import dev.semel.store.Row;
import dev.semel.store.SearchedRecords;
import dev.semel.store.State;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages that need a person: dead letters, and those that are UNKNOWN, which may have taken effect. Listed, grouped by what went
 * wrong, walked through.
 */
public final class UnresolvedMessages {
    private static final int PAGE = 1_000;

    /** So many are looked at in one query. */
    private static final int LOOKED = 5_000;

    private final Ledger ledger;

    UnresolvedMessages(Ledger ledger) {
        this.ledger = ledger;
    }

    /**
     * Selects messages.
     *
     * @param category of the failure
     * @param exception class name, or the end of it
     * @param scope dead letters, messages with an unknown outcome, or both
     */
    public record MessageFilter(
            RecordFilter records,
            Failure.@Nullable Category category,
            @Nullable String exception,
            Scope scope) {
        /** All dead letters. */
        public static final MessageFilter ALL =
                new MessageFilter(new RecordFilter(null, null, true, Long.MAX_VALUE), null, null);

        /** Dead letters alone. */
        public MessageFilter(RecordFilter records, Failure.@Nullable Category category, @Nullable String exception) {
            this(records, category, exception, Scope.DEAD);
        }

        /** The same filter for others. */
        public MessageFilter with(Scope value) {
            return new MessageFilter(records, category, exception, value);
        }

        /** Whether the failure of a record passes. Says nothing about its tenant, operation and state. */
        public boolean matches(Row row) {
            Failure failure = failure(row);
            boolean sameCategory = category == null || failure != null && failure.category() == category;
            boolean sameException = exception == null
                    || failure != null
                            && failure.exception() != null
                            && failure.exception().endsWith(exception);
            return sameCategory && sameException;
        }

        /** What the store looks for; {@link #matches} decides. */
        public RecordSearch search() {
            return RecordSearch.of(records).withFailurePart(RecordSearch.inFailure(category, exception));
        }

        /** The same ones, without those that were granted after this fence. */
        MessageFilter upTo(long fence) {
            return new MessageFilter(
                    new RecordFilter(records.tenant(), records.operation(), records.queued(), fence),
                    category,
                    exception,
                    scope);
        }
    }

    /** Why a message needs a person. */
    public enum Scope {
        /** Failed for good: nothing of it took effect, or what did was known when it failed. */
        DEAD(State.FAILED_TERMINAL),
        /** It may have taken effect: to run it again may do so twice. */
        UNKNOWN(State.UNKNOWN),
        /** Both; those first whose outcome is unknown. */
        BOTH(State.UNKNOWN, State.FAILED_TERMINAL);

        private final List<State> states;

        Scope(State... states) {
            this.states = List.of(states);
        }

        List<State> states() {
            return states;
        }
    }

    /**
     * Messages that share what went wrong, and whether they are dead or UNKNOWN.
     *
     * @param reason the text that their messages share; what differs between them is left out
     * @param sample one of them
     */
    public record CauseGroup(
            String operation, Failure.Category category, String exception, String reason, long count, Row sample) {
        /** FAILED_TERMINAL or UNKNOWN. */
        public State state() {
            return sample.state();
        }
    }

    /** Up to so many, without their contents; of each state the newest first. */
    public List<Row> list(MessageFilter which, int limit) {
        List<Row> found = new ArrayList<>();
        each(which, limit, Integer.MAX_VALUE, row -> {
            found.add(row);
            return found.size() < limit;
        });
        return found;
    }

    /**
     * The newest of them by cause, the most frequent first.
     *
     * @param most how many records are looked at, matching or not
     */
    public CauseGroups groups(MessageFilter which, int most) {
        Causes causes = new Causes();
        long[] counted = new long[1];
        boolean complete = each(which, most, most, row -> {
            counted[0]++;
            causes.add(row, failure(row));
            return true;
        });
        return new CauseGroups(causes.groups(), counted[0], complete);
    }

    /**
     * Messages by cause.
     *
     * @param counted how many messages are in the groups
     * @param complete false when there are more messages than were looked at, and only the newest are in the groups
     */
    public record CauseGroups(List<CauseGroup> groups, long counted, boolean complete) {
        public CauseGroups {
            groups = List.copyOf(groups);
        }
    }

    /** How many there are, and the newest grant among them. Walks through all of them, page by page. */
    public Preview preview(MessageFilter which) {
        long[] seen = new long[2];
        each(which, PAGE, Integer.MAX_VALUE, row -> {
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
    public record Preview(MessageFilter which, long count) {}

    /** Returns whether to continue. */
    @FunctionalInterface
    interface Visitor {
        boolean visit(Row row);
    }

    /** @return whether there are no others behind those that were looked at */
    private boolean each(MessageFilter which, int atOnce, int most, Visitor visitor) {
        int left = most;
        for (State state : which.scope.states()) {
            Cursor behind = Cursor.START;
            while (behind != null) {
                if (left == 0) {
                    return false;
                }
                SearchedRecords page =
                        ledger.search(state, which.search(), behind, Math.min(atOnce, PAGE), Math.min(left, LOOKED));
                left -= page.looked();
                for (Row row : page.rows()) {
                    if (which.matches(row) && !visitor.visit(row)) {
                        return false;
                    }
                }
                behind = page.end();
            }
        }
        return true;
    }

    /**
     * A part of a walk.
     *
     * @param rows of the page that match
     * @param end where it ended; absent when there is nothing behind it
     */
    record MessagePage(List<Row> rows, @Nullable Cursor end) {}

    /** A page of those in the state that match, behind a cursor; without their contents. */
    MessagePage page(State state, MessageFilter which, Cursor behind, int limit) {
        SearchedRecords page = ledger.search(state, which.search(), behind, limit, LOOKED);
        return new MessagePage(page.rows().stream().filter(which::matches).toList(), page.end());
    }

    /** The last failure, if any. An unreadable one hides no other record from a list. */
    public static @Nullable Failure failure(Row row) {
        if (row.failure() == null) {
            return null;
        }
        try {
            return Failures.decode(row.failure());
        } catch (RuntimeException e) {
            return Failure.of(Failure.Category.UNKNOWN, "The stored failure cannot be read: " + e.getMessage());
        }
    }
}
