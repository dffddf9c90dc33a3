package dev.semel.operator;

import dev.semel.key.RecordId;
import dev.semel.store.Ledger;
import dev.semel.store.Row;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A record with all that came of it, without payloads and results.
 *
 * @param steps of a leased run, by age
 * @param sent the messages it sent, each with what came of it in turn
 * @param cut whether there is more than is shown
 */
public record Tree(Row record, List<Row> steps, List<Tree> sent, boolean cut) {
    private static final int WIDEST = 200;
    private static final int DEEPEST = 20;

    /** So many records are in a tree at most, beside their steps. */
    private static final int MOST = 500;

    public Tree {
        steps = List.copyOf(steps);
        sent = List.copyOf(sent);
    }

    static Tree of(Ledger ledger, Row row) {
        return of(ledger, row, 1, new HashSet<>());
    }

    private static Tree of(Ledger ledger, Row row, int depth, Set<RecordId> seen) {
        if (depth > DEEPEST || seen.size() == MOST || !seen.add(row.id())) {
            return new Tree(row, List.of(), List.of(), true);
        }
        List<Row> children = ledger.sentBy(row.id(), WIDEST);
        List<Row> steps = ledger.stepSummaries(row.id(), WIDEST);
        List<Tree> sent = new ArrayList<>();
        children.forEach(child -> sent.add(of(ledger, child, depth + 1, seen)));
        return new Tree(row, steps, sent, children.size() == WIDEST || steps.size() == WIDEST);
    }
}
