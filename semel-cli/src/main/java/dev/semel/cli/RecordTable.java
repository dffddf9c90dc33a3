package dev.semel.cli;

import dev.semel.store.Line;
import dev.semel.store.Row;
import java.util.List;

/** Prints records as a table. */
final class RecordTable {
    private RecordTable() {}

    static void print(Screen screen, List<Row> rows, long now) {
        Table table = new Table("RECORD", "STATE", "OPERATION", "TENANT", "ATTEMPT", "WHEN", "WHY");
        for (Row row : rows) {
            table.row(
                    row.id().prefix(),
                    screen.state(row.state()),
                    row.header().operation(),
                    row.header().tenant(),
                    row.status().attempts(),
                    when(row, now),
                    RecordFacts.why(row));
        }
        table.print(screen);
    }

    private static String when(Row row, long now) {
        boolean behind = row.line() != null
                && row.line().turn() == Line.Turn.WAITING
                && !row.state().finished();
        return behind ? "behind its lane's head" : Screen.attention(row.status(), now);
    }
}
