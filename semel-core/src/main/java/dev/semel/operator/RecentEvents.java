package dev.semel.operator;

import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import java.util.List;
import java.util.function.Consumer;

/** Events since a moment, newest first. Looks at a bounded number of events, however few of them match. */
final class RecentEvents {
    /** So many events are looked at, matching or not. */
    static final int MOST = 20_000;

    private static final int PAGE = 10_000;

    private RecentEvents() {}

    /**
     * Reads without a filter in the store, which would seek matching events through all that there are.
     *
     * @return whether there are no further ones since then that were not looked at
     */
    static boolean forEach(AuditLog audit, AuditFilter filter, long since, Consumer<AuditRow> use) {
        AuditRow.Position before = AuditRow.Position.END;
        for (int looked = 0; looked < MOST; looked += PAGE) {
            List<AuditRow> page = audit.older(AuditFilter.ALL, before, PAGE);
            for (AuditRow row : page) {
                if (row.at() < since) {
                    return true;
                }
                if (filter.matches(row.entry())) {
                    use.accept(row);
                }
            }
            if (page.size() < PAGE) {
                return true;
            }
            before = page.get(page.size() - 1).position();
        }
        return false;
    }
}
