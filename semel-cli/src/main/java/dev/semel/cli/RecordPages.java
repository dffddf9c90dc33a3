package dev.semel.cli;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a list of records to its end, or up to a number of them. */
final class RecordPages {
    private static final int LARGEST_PAGE = 200;

    private RecordPages() {}

    static List<Facts> read(OperatedLedger ledger, String path, CommandInput input, long most) {
        List<Facts> records = new ArrayList<>();
        @Nullable String cursor = null;
        do {
            input.with("limit", Math.min(LARGEST_PAGE, most - records.size())).with("cursor", cursor);
            Facts page = ledger.get(path, input);
            records.addAll(page.list("records"));
            cursor = page.find("next");
        } while (cursor != null && records.size() < most);
        return records;
    }
}
