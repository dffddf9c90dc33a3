package dev.semel.cli;

import dev.semel.operator.Operator;
import dev.semel.operator.Tree;
import dev.semel.store.Row;
import dev.semel.store.Store;
import java.nio.charset.Charset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "tree",
        header = "Shows a record with its steps and the messages that it sent.",
        description = {"Read-only.", "Exits with 1 when there is no such record."},
        mixinStandardHelpOptions = true)
final class OpsTree implements Callable<Integer> {
    private static final Branches DRAWN = new Branches("├─ ", "└─ ", "│  ");
    private static final Branches TYPED = new Branches("|- ", "`- ", "|  ");

    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Mixin
    private RecordOption record = new RecordOption();

    /** @param past the prefix of lines beside a later branch */
    private record Branches(String middle, String last, String past) {}

    @Override
    public Integer call() {
        Tree tree;
        try (Store opened = ledger.open()) {
            Operator operator = Operator.on(opened);
            tree = operator.tree(record.find(operator));
        }
        ledger.tell(() -> facts(tree), screen -> print(screen, tree));
        return Exit.OK.code();
    }

    private static void print(Screen screen, Tree tree) {
        String encoding =
                System.getProperty("stdout.encoding", Charset.defaultCharset().name());
        boolean drawn = Charset.forName(encoding).newEncoder().canEncode(DRAWN.middle);
        screen.line(name(screen, tree.record()));
        print(screen, drawn ? DRAWN : TYPED, tree, "");
    }

    private static Map<String, Object> facts(Tree tree) {
        Map<String, Object> facts = new LinkedHashMap<>(RecordFacts.brief(tree.record()));
        facts.put("steps", tree.steps().stream().map(OpsTree::step).toList());
        facts.put("sent", tree.sent().stream().map(OpsTree::facts).toList());
        facts.put("cut", tree.cut());
        return facts;
    }

    private static Map<String, Object> step(Row row) {
        Map<String, Object> facts = RecordFacts.brief(row);
        facts.put("step", row.header().key());
        return facts;
    }

    private static void print(Screen screen, Branches branches, Tree tree, String indent) {
        int count = tree.steps().size() + tree.sent().size() + (tree.cut() ? 1 : 0);
        int printed = 0;
        for (Row step : tree.steps()) {
            printed++;
            screen.line(indent + (printed == count ? branches.last : branches.middle) + "step "
                    + Screen.plain(step.header().key()) + "  " + end(screen, step));
        }
        for (Tree child : tree.sent()) {
            printed++;
            boolean last = printed == count;
            screen.line(indent + (last ? branches.last : branches.middle) + name(screen, child.record()));
            print(screen, branches, child, indent + (last ? "   " : branches.past));
        }
        if (tree.cut()) {
            screen.line(indent + branches.last + "... and more");
        }
    }

    private static String name(Screen screen, Row row) {
        return row.header().operation() + "/" + row.id().prefix() + "  " + end(screen, row);
    }

    private static String end(Screen screen, Row row) {
        String why = RecordFacts.why(row);
        return screen.state(row.state()) + (why.isEmpty() ? "" : "  " + why);
    }
}
