package dev.semel.jdbc;

import dev.semel.jdbc.SqlText.Dialect;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a handler may say to the database on the connection of a Semel transaction: nothing that ends or changes the
 * transaction. What changes the session beyond the transaction is told apart, because somebody else uses the session next.
 */
final class SqlRules {
    static final SqlRules SQLITE = new SqlRules(Dialect.SQLITE);
    static final SqlRules POSTGRESQL = new SqlRules(Dialect.POSTGRESQL);

    private static final int CACHED_TEXTS = 512;
    private static final int LONGEST_CACHED = 2_000;

    private static final String ENDS = "it would end or begin a transaction, and this one is Semel's, which commits the"
            + " handler's writes together with its record. Return to commit, throw to roll back; use a savepoint to undo"
            + " a part";
    private static final String CHANGES_TRANSACTION =
            "the transaction's isolation and access mode are Semel's: leave them as they are";
    private static final String RESERVED = "savepoints of this name are Semel's own: choose another name";
    private static final String PRAGMA = "the setting would stay on the connection, which the next caller uses. Set it"
            + " outside of Semel, on a connection of your own";
    private static final String ATTACH =
            "databases would be attached or detached for the next caller, too. Do it outside"
                    + " of Semel, on a connection of your own";

    private static final Set<String> RESERVED_NAMES = Set.of("SEMEL", "JDBC_SAVEPOINT");

    /** Pragmas that only read, whatever is given to them, or whose effect belongs to the transaction or the file's data. */
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

    private static final Set<String> SESSION_COMMANDS =
            Set.of("RESET", "DISCARD", "LISTEN", "UNLISTEN", "LOAD", "DEALLOCATE", "PREPARE", "DO");

    private static final Set<String> SESSION_FUNCTIONS = Set.of(
            "PG_ADVISORY_LOCK", "PG_ADVISORY_LOCK_SHARED", "PG_TRY_ADVISORY_LOCK", "PG_TRY_ADVISORY_LOCK_SHARED");

    private static final Set<String> TEMPORARY = Set.of("TEMP", "TEMPORARY");

    /**
     * What is to be said of a text.
     *
     * @param refusal why it is refused; null when it is not
     * @param changesSession whether it leaves something behind on the connection that outlives the transaction
     */
    record Judgement(@Nullable String refusal, boolean changesSession) {
        private static final Judgement FINE = new Judgement(null, false);
        private static final Judgement CHANGES_SESSION = new Judgement(null, true);

        private static Judgement refused(String why) {
            return new Judgement(why, false);
        }
    }

    private final Dialect dialect;
    private final Map<String, Judgement> judged = new ConcurrentHashMap<>();

    private SqlRules(Dialect dialect) {
        this.dialect = dialect;
    }

    Judgement judge(String sql) {
        Judgement known = judged.get(sql);
        if (known != null) {
            return known;
        }
        Judgement judgement = judgeAll(sql);
        if (sql.length() <= LONGEST_CACHED) {
            if (judged.size() >= CACHED_TEXTS) {
                judged.clear();
            }
            judged.put(sql, judgement);
        }
        return judgement;
    }

    private Judgement judgeAll(String sql) {
        Judgement worst = Judgement.FINE;
        for (List<String> statement : SqlText.statements(sql, dialect)) {
            Judgement judgement = dialect == Dialect.SQLITE ? onSqlite(statement) : onPostgres(statement);
            if (judgement.refusal != null) {
                return judgement;
            }
            worst = judgement.changesSession ? judgement : worst;
        }
        return worst;
    }

    private static Judgement onSqlite(List<String> words) {
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

    private static Judgement onPostgres(List<String> words) {
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

    private static Judgement rollback(List<String> words) {
        int to = words.indexOf("TO");
        return to == 1 || to == 2 ? savepoint(words) : Judgement.refused(ENDS);
    }

    private static Judgement savepoint(List<String> words) {
        String name = words.get(words.size() - 1);
        return isReserved(name) ? Judgement.refused(RESERVED) : Judgement.FINE;
    }

    /** Whether a savepoint of this name could be mistaken for one that Semel has set. */
    static boolean isReserved(String savepoint) {
        return RESERVED_NAMES.stream().anyMatch(name -> savepoint.regionMatches(true, 0, name, 0, name.length()));
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

    /** PRAGMA [schema.]name, with or without a value. */
    private static Judgement pragma(List<String> words) {
        int value = words.indexOf("=") < 0 ? words.indexOf("(") : words.indexOf("=");
        String name = value > 0 ? words.get(value - 1) : words.get(words.size() - 1);
        boolean harmless = value > 0 ? HARMLESS_PRAGMAS.contains(name) : !ACTING_PRAGMAS.contains(name);
        return harmless ? Judgement.FINE : Judgement.refused(PRAGMA);
    }

    private static boolean createsTemporary(List<String> words) {
        int columns = words.indexOf("(");
        return words.get(0).equals("CREATE")
                && words.subList(1, Math.min(7, columns < 0 ? words.size() : columns)).stream()
                        .anyMatch(TEMPORARY::contains);
    }

    private static boolean follows(List<String> words, String first, String second) {
        for (int i = 1; i < words.size(); i++) {
            if (words.get(i).equals(second) && words.get(i - 1).equals(first)) {
                return true;
            }
        }
        return false;
    }

    private static String word(List<String> words, int at) {
        return at < words.size() ? words.get(at) : "";
    }
}
