package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.SqlNotation;
import dev.semel.jdbc.shared.SqlRules;
import java.util.List;
import java.util.Set;

/** Which statements a handler may not send on PostgreSQL, and which change the session beyond the transaction. */
final class PostgresSqlRules extends SqlRules {
    private static final SqlNotation NOTATION =
            new SqlNotation("\"", true, true, true, "\n\r", PostgresSqlRules::beginsFunction);

    static final SqlRules RULES = new PostgresSqlRules();

    private static final String CHANGES_TRANSACTION =
            "the transaction's isolation and access mode are Semel's: leave them as they are";

    private static final Set<String> SESSION_COMMANDS =
            Set.of("RESET", "DISCARD", "LISTEN", "UNLISTEN", "LOAD", "DEALLOCATE", "PREPARE", "DO");

    private static final Set<String> SESSION_FUNCTIONS = Set.of(
            "PG_ADVISORY_LOCK", "PG_ADVISORY_LOCK_SHARED", "PG_TRY_ADVISORY_LOCK", "PG_TRY_ADVISORY_LOCK_SHARED");

    private PostgresSqlRules() {
        super(NOTATION);
    }

    /** BEGIN ATOMIC. */
    private static boolean beginsFunction(List<String> words) {
        int last = words.size() - 1;
        return last > 0
                && words.get(last).equals("ATOMIC")
                && words.get(last - 1).equals("BEGIN");
    }

    @Override
    protected Judgement judgeStatement(List<String> words) {
        String first = words.get(0);
        switch (first) {
            case "COMMIT", "END", "BEGIN", "START", "ABORT":
                return Judgement.refused(ENDS);
            case "ROLLBACK":
                return rollback(words);
            case "SAVEPOINT", "RELEASE":
                return savepoint(words);
            case "SET":
                return set(words);
            default:
                break;
        }
        if (first.equals("PREPARE") && word(words, 1).equals("TRANSACTION")) {
            return Judgement.refused(ENDS);
        }
        boolean changes = SESSION_COMMANDS.contains(first)
                || words.stream().anyMatch(SESSION_FUNCTIONS::contains)
                || setsForTheSession(words)
                || first.equals("DECLARE") && follows(words, "WITH", "HOLD")
                || (createsTemporary(words) || TEMPORARY.stream().anyMatch(temp -> follows(words, "INTO", temp)))
                        && !follows(words, "COMMIT", "DROP");
        return changes ? Judgement.CHANGES_SESSION : Judgement.FINE;
    }

    /** {@code set_config} with the literal true at its end is for the transaction alone, as SET LOCAL is. */
    private static boolean setsForTheSession(List<String> words) {
        int at = words.indexOf("SET_CONFIG");
        while (at >= 0) {
            List<String> behind = words.subList(at + 1, words.size());
            int next = behind.indexOf("SET_CONFIG");
            List<String> arguments = next < 0 ? behind : behind.subList(0, next);
            if (!arguments.contains("TRUE") || arguments.contains("FALSE")) {
                return true;
            }
            at = next < 0 ? -1 : at + 1 + next;
        }
        return false;
    }

    private static Judgement set(List<String> words) {
        boolean scoped = Set.of("LOCAL", "SESSION").contains(word(words, 1));
        String what = word(words, scoped ? 2 : 1);
        if (what.startsWith("TRANSACTION") || what.equals("CHARACTERISTICS")) {
            return Judgement.refused(CHANGES_TRANSACTION);
        }
        boolean forTransaction = word(words, 1).equals("LOCAL") || what.equals("CONSTRAINTS");
        return forTransaction ? Judgement.FINE : Judgement.CHANGES_SESSION;
    }
}
