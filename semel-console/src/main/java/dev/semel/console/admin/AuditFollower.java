package dev.semel.console.admin;

import dev.semel.console.live.LiveEvent;
import dev.semel.console.live.LiveSource;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import dev.semel.store.AuditRow.Position;
import java.util.ArrayList;
import java.util.List;

/** New events of the audit that match, for one stream. It is asked every second, and asks the store every other time. */
final class AuditFollower implements LiveSource {
    private static final int PAGE = 500;
    /** In one call: all streams are fed by one thread. */
    private static final int MOST_PAGES = 20;

    private final AuditLog audit;
    private final AuditFilter filter;
    private final TenantSight sight;
    private Position at;
    private boolean resting;

    AuditFollower(AuditLog audit, AuditFilter filter, TenantSight sight, Position from) {
        this.audit = audit;
        this.filter = filter;
        this.sight = sight;
        this.at = from;
    }

    @Override
    public List<LiveEvent> poll() {
        resting = !resting;
        if (!resting) {
            return List.of();
        }
        List<LiveEvent> found = new ArrayList<>();
        boolean more = true;
        for (int pages = 0; more && pages < MOST_PAGES && found.size() < PAGE; pages++) {
            List<AuditRow> page = audit.behindHorizon(at, PAGE);
            for (AuditRow row : page) {
                at = row.position();
                if (filter.matches(row.entry())) {
                    found.add(new LiveEvent("audit", PageCursor.of(at), AuditResource.fields(row, sight)));
                }
            }
            more = page.size() == PAGE;
        }
        return found;
    }
}
