package dev.semel.cli;

import java.nio.charset.Charset;
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
        Facts tree;
        try (OperatedLedger opened = ledger.open()) {
            tree = opened.get(record.path(opened) + "/tree", CommandInput.none());
        }
        ledger.tell(() -> facts(tree), screen -> print(screen, tree));
        return Exit.OK.code();
    }

    private static void print(Screen screen, Facts tree) {
        String encoding =
                System.getProperty("stdout.encoding", Charset.defaultCharset().name());
        boolean drawn = Charset.forName(encoding).newEncoder().canEncode(DRAWN.middle);
        screen.line(name(screen, tree));
        print(screen, drawn ? DRAWN : TYPED, tree, "");
    }

    private static Map<String, Object> facts(Facts tree) {
        Map<String, Object> facts = RecordFacts.brief(tree);
        facts.put("steps", tree.list("steps").stream().map(RecordFacts::brief).toList());
        facts.put("sent", tree.list("sent").stream().map(OpsTree::facts).toList());
        return facts;
    }

    private static void print(Screen screen, Branches branches, Facts tree, String indent) {
        int count = tree.list("steps").size() + tree.list("sent").size() + (tree.flag("cut") ? 1 : 0);
        int printed = 0;
        for (Facts step : tree.list("steps")) {
            printed++;
            screen.line(indent + (printed == count ? branches.last : branches.middle) + "step "
                    + Screen.plain(step.text("step")) + "  " + end(screen, step));
        }
        for (Facts child : tree.list("sent")) {
            printed++;
            boolean last = printed == count;
            screen.line(indent + (last ? branches.last : branches.middle) + name(screen, child));
            print(screen, branches, child, indent + (last ? "   " : branches.past));
        }
        if (tree.flag("cut")) {
            screen.line(indent + branches.last + "... and more");
        }
    }

    private static String name(Screen screen, Facts record) {
        return record.text("operation") + "/" + RecordFacts.prefix(record) + "  " + end(screen, record);
    }

    private static String end(Screen screen, Facts record) {
        String why = RecordFacts.why(record);
        return screen.state(RecordFacts.state(record)) + (why.isEmpty() ? "" : "  " + why);
    }
}
