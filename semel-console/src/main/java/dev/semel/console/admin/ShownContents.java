package dev.semel.console.admin;

import dev.semel.store.Row;
import java.util.Map;

/** Payloads of several records in one answer: as many as fit, one after the other, so that the answer stays small. */
final class ShownContents {
    /** All payloads of an answer together. */
    private static final int MOST = 1 << 20;

    private final AdminLedger ledger;
    private final TenantSight sight;
    private int left = MOST;

    ShownContents(AdminLedger ledger, TenantSight sight) {
        this.ledger = ledger;
        this.sight = sight;
    }

    /**
     * A record with its payload, or with its size where that does not fit.
     *
     * @param row without its payload
     */
    Map<String, Object> of(Row row) {
        if (!sight.seesContents() || row.withheld() == 0) {
            return RecordFacts.brief(row);
        }
        if (row.withheld() > left) {
            Map<String, Object> facts = RecordFacts.brief(row);
            facts.put("payload_bytes", row.withheld());
            return facts;
        }
        left -= row.withheld();
        return RecordFacts.full(FoundRecord.whole(ledger, row), sight);
    }
}
