package dev.semel.store;

import dev.semel.key.RecordId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The records that a read of the ledger found.
 *
 * @param rows the records that exist, expired ones too
 * @param now the store's clock at that moment or just before, in its milliseconds: no other clock says what is
 *     expired
 */
public record FoundRecords(Map<RecordId, Row> rows, long now) {
    public FoundRecords {
        rows = Map.copyOf(rows);
    }

    /** The record as it is kept, expired or not. */
    public @Nullable Row get(RecordId id) {
        return rows.get(id);
    }

    /** The record as a caller would meet it: none if it is expired. */
    public @Nullable Row live(RecordId id) {
        Row row = rows.get(id);
        return row == null || row.expired(now) ? null : row;
    }
}
