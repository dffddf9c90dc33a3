package dev.semel.jdbc.sqlite;

import dev.semel.jdbc.shared.SqlNotation;
import dev.semel.jdbc.shared.SqlRules;
import java.util.List;
import java.util.Set;

/** Which statements a handler may not send on SQLite: all handlers share one connection, so nothing may change it. */
final class SqliteSqlRules extends SqlRules {
    private static final SqlNotation NOTATION =
            new SqlNotation("\"`[", false, false, false, "\n", SqliteSqlRules::beginsTrigger);

    static final SqlRules RULES = new SqliteSqlRules();

    private static final String PRAGMA = "the setting would stay on the connection, which the next caller uses. Set it"
            + " outside of Semel, on a connection of your own";
    private static final String ATTACH =
            "databases would be attached or detached for the next caller, too. Do it outside"
                    + " of Semel, on a connection of your own";

    /** Pragmas that only read, with any argument, or whose effect belongs to the transaction or the file's data. */
    private static final Set<String> HARMLESS_PRAGMAS = Set.of(
            "TABLE_INFO",
            "TABLE_XINFO",
            "TABLE_LIST",
            "INDEX_INFO",
            "INDEX_XINFO",
            "INDEX_LIST",
            "FOREIGN_KEY_LIST",
            "FOREIGN_KEY_CHECK",
            "INTEGRITY_CHECK",
            "QUICK_CHECK",
            "DEFER_FOREIGN_KEYS",
            "USER_VERSION",
            "APPLICATION_ID");

    /** Pragmas that act although nothing is given to them. */
    private static final Set<String> ACTING_PRAGMAS =
            Set.of("INCREMENTAL_VACUUM", "OPTIMIZE", "WAL_CHECKPOINT", "SHRINK_MEMORY");

    private SqliteSqlRules() {
        super(NOTATION);
    }

    private static boolean beginsTrigger(List<String> words) {
        return words.get(words.size() - 1).equals("BEGIN")
                && words.subList(0, Math.min(3, words.size())).contains("TRIGGER");
    }

    @Override
    protected Judgement judgeStatement(List<String> words) {
        return switch (words.get(0)) {
            case "COMMIT", "END", "BEGIN" -> Judgement.refused(ENDS);
            case "ROLLBACK" -> rollback(words);
            case "SAVEPOINT", "RELEASE" -> savepoint(words);
            case "PRAGMA" -> pragma(words);
            case "ATTACH", "DETACH" -> Judgement.refused(ATTACH);
            case "CREATE" -> createsTemporary(words) ? Judgement.CHANGES_SESSION : Judgement.FINE;
            default -> Judgement.FINE;
        };
    }

    /** PRAGMA [schema.]name, with or without a value. */
    private static Judgement pragma(List<String> words) {
        int value = words.indexOf("=") < 0 ? words.indexOf("(") : words.indexOf("=");
        String name = value > 0 ? words.get(value - 1) : words.get(words.size() - 1);
        boolean harmless = value > 0 ? HARMLESS_PRAGMAS.contains(name) : !ACTING_PRAGMAS.contains(name);
        return harmless ? Judgement.FINE : Judgement.refused(PRAGMA);
    }
}
