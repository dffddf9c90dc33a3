package dev.semel.console.admin;

import dev.semel.SemelException;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.key.RecordId;
import dev.semel.store.Row;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Finds records by their id or its first digits, among those that exist for a person, without their payloads and results. */
final class FoundRecord {
    private static final int AT_ONCE = 10;

    /** So many digits are shown to people, and two records hardly ever share them. */
    private static final int ENOUGH_DIGITS = 12;

    private static final int WIDEST = 200;

    private FoundRecord() {}

    /**
     * Up to a few. For a person of one tenant more digits are needed: few would be shared with records of others, which must not
     * show.
     */
    static List<Row> search(AdminLedger ledger, TenantSight sight, String digits) throws ApiProblem {
        if (!sight.seesAll() && digits.length() < ENOUGH_DIGITS) {
            throw AdminCall.invalid("id", "must have at least " + ENOUGH_DIGITS + " digits");
        }
        List<RecordId> range = RecordId.range(digits.toLowerCase(Locale.ROOT));
        int limit = sight.seesAll() ? AT_ONCE : WIDEST;
        return ledger.store().ledger().range(range.get(0), range.get(1), limit).stream()
                .filter(sight::sees)
                .limit(AT_ONCE)
                .toList();
    }

    /** @throws ApiProblem when there is none, or more than one */
    static Row one(AdminLedger ledger, TenantSight sight, String digits) throws ApiProblem {
        List<Row> found = search(ledger, sight, digits);
        if (found.isEmpty()) {
            throw new ApiProblem(ApiCode.NOT_FOUND, "No record has an id that begins with " + digits + ".");
        }
        if (found.size() > 1) {
            String which = found.stream()
                    .map(row -> row.id().hex().substring(0, Math.min(64, digits.length() + 4)) + " ("
                            + row.header().operation() + ", tenant "
                            + row.header().tenant() + ")")
                    .collect(Collectors.joining(", "));
            throw new ApiProblem(ApiCode.INVALID, "Ambiguous id " + digits + ": " + which + ". Give more digits.");
        }
        return found.get(0);
    }

    /** As it is now, with payload and result; the same row if it is gone. */
    static Row whole(AdminLedger ledger, Row row) {
        Row now = ledger.store().ledger().find(List.of(row.id())).get(row.id());
        return now == null ? row : now;
    }

    /** As it is now, after an action that was carried out; the same row if it is gone or cannot be read. */
    static Row again(AdminLedger ledger, Row row) {
        try {
            return whole(ledger, row);
        } catch (SemelException.StoreUnavailable e) {
            return row;
        }
    }
}
