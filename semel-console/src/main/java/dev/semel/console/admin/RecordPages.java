package dev.semel.console.admin;

import dev.semel.console.admin.PageCursor.RecordPosition;
import dev.semel.console.rest.ApiProblem;
import dev.semel.store.Ledger;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordSearch;
import dev.semel.store.Row;
import dev.semel.store.SearchedRecords;
import dev.semel.store.State;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lists records page by page, state by state, behind the last record of the page before. A request looks at a bounded number of records:
 * with a filter that few pass, a page may hold less than was asked for, or nothing, and still have a next one.
 *
 * @param states in the order in which they are listed
 * @param search what the store looks for
 * @param matches what it does not
 */
record RecordPages(Ledger ledger, List<State> states, RecordSearch search, Predicate<Row> matches) {
    private static final int MOST_LOOKED = 5_000;
    private static final int MOST_AT_ONCE = 1_000;

    /** @param cursor null for the first page */
    Map<String, Object> page(@Nullable String cursor, int limit) throws ApiProblem {
        RecordPosition from = cursor == null ? null : PageCursor.record(cursor);
        if (from != null && !states.contains(from.state())) {
            throw AdminCall.invalid("cursor", "belongs to a list of other states: use it with the same filters");
        }
        List<Map<String, Object>> found = new ArrayList<>();
        int left = MOST_LOOKED;
        int ask = limit;
        for (State state : from == null ? states : states.subList(states.indexOf(from.state()), states.size())) {
            RecordFilter.Cursor behind =
                    from != null && from.state() == state ? from.behind() : RecordFilter.Cursor.START;
            while (behind != null) {
                if (found.size() == limit || left <= 0) {
                    return page(found, new RecordPosition(state, behind));
                }
                SearchedRecords part = ledger.search(state, search, behind, Math.max(1, ask), left);
                left -= part.looked();
                behind = part.end();
                int before = found.size();
                for (Row row : part.rows()) {
                    if (matches.test(row)) {
                        found.add(RecordFacts.brief(row));
                    }
                    if (found.size() == limit
                            && row != part.rows().get(part.rows().size() - 1)) {
                        return page(found, new RecordPosition(state, RecordFilter.Cursor.behind(row)));
                    }
                }
                // Where the store could not seek what is wanted, few questions for many are cheaper than many for few.
                ask = found.size() - before < part.rows().size() ? MOST_AT_ONCE : limit - found.size();
            }
        }
        return page(found, null);
    }

    /** The same page of records that are known already, in the same order. */
    Map<String, Object> pageOf(List<Row> known, @Nullable String cursor, int limit) throws ApiProblem {
        Comparator<Row> order = Comparator.<Row>comparingInt(row -> states.indexOf(row.state()))
                .thenComparing(row -> row.status().at(), Comparator.reverseOrder())
                .thenComparing(Row::id, Comparator.reverseOrder());
        RecordPosition from = cursor == null ? null : PageCursor.record(cursor);
        List<Row> rest = known.stream()
                .filter(row -> states.contains(row.state()) && search.matches(row) && matches.test(row))
                .filter(row -> from == null || isBehind(row, from))
                .sorted(order)
                .toList();
        List<Row> shown = rest.subList(0, Math.min(limit, rest.size()));
        RecordPosition next = shown.size() == rest.size()
                ? null
                : new RecordPosition(
                        shown.get(shown.size() - 1).state(), RecordFilter.Cursor.behind(shown.get(shown.size() - 1)));
        return page(shown.stream().map(RecordFacts::brief).toList(), next);
    }

    private boolean isBehind(Row row, RecordPosition from) {
        int order = states.indexOf(row.state()) - states.indexOf(from.state());
        if (order != 0) {
            return order > 0;
        }
        int later = Long.compare(row.status().at(), from.behind().at());
        return later < 0 || later == 0 && row.id().compareTo(from.behind().id()) < 0;
    }

    private static Map<String, Object> page(List<Map<String, Object>> records, @Nullable RecordPosition next) {
        Map<String, Object> page = new LinkedHashMap<>();
        page.put("records", records);
        if (next != null) {
            page.put("next", PageCursor.of(next));
        }
        return page;
    }
}
