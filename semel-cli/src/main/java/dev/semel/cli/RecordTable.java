package dev.semel.cli;

import java.util.List;

/** Prints records as a table. */
final class RecordTable {
    private RecordTable() {}

    static void print(Screen screen, List<Facts> records, long now) {
        Table table = new Table("RECORD", "STATE", "OPERATION", "TENANT", "ATTEMPT", "WHEN", "WHY");
        for (Facts record : records) {
            table.row(
                    RecordFacts.prefix(record),
                    screen.state(RecordFacts.state(record)),
                    record.text("operation"),
                    record.text("tenant"),
                    record.number("attempt"),
                    when(record, now),
                    RecordFacts.why(record));
        }
        table.print(screen);
    }

    private static String when(Facts record, long now) {
        boolean behind = record.object("line").text("turn").equals("WAITING")
                && !RecordFacts.state(record).finished();
        return behind ? "behind its lane's head" : Screen.attention(record, now);
    }
}
