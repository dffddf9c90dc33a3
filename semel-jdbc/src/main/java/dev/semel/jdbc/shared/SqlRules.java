package dev.semel.jdbc.shared;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides which SQL a handler may send on the connection of a Semel transaction: nothing that ends or changes the
 * transaction. SQL that changes the session beyond the transaction is a separate verdict, because others use the
 * session next. Thread-safe.
 *
 * <p>The rules of all engines are here; an engine adds its own statements by {@link #judgeStatement}.
 */
public abstract class SqlRules {
    private static final int CACHED_TEXTS = 512;
    private static final int LONGEST_CACHED = 2_000;

    /** Why a statement is refused that ends or begins a transaction. */
    protected static final String ENDS =
            "it would end or begin a transaction, and this one is Semel's, which commits the"
                    + " handler's writes together with its record. Return to commit, throw to roll back; use a savepoint to undo"
                    + " a part";

    private static final String RESERVED = "savepoints of this name are Semel's own: choose another name";
    private static final Set<String> RESERVED_NAMES = Set.of("SEMEL", "JDBC_SAVEPOINT");

    protected static final Set<String> TEMPORARY = Set.of("TEMP", "TEMPORARY");

    /**
     * The verdict on a text.
     *
     * @param refusal why it is refused; null when it is not
     * @param changesSession whether it leaves something behind on the connection that outlives the transaction
     * @param usesSavepoint whether it sets, releases or returns to a savepoint
     */
    public record Judgement(@Nullable String refusal, boolean changesSession, boolean usesSavepoint) {
        public static final Judgement FINE = new Judgement(null, false, false);
        public static final Judgement CHANGES_SESSION = new Judgement(null, true, false);
        static final Judgement USES_SAVEPOINT = new Judgement(null, false, true);

        public static Judgement refused(String why) {
            return new Judgement(why, false, false);
        }
    }

    private final SqlNotation notation;
    private final Map<String, Judgement> judged = new ConcurrentHashMap<>();

    protected SqlRules(SqlNotation notation) {
        this.notation = notation;
    }

    /** @param words of one statement: upper case, quoted names without their quotes; {@code =} and {@code (} are words, too */
    protected abstract Judgement judgeStatement(List<String> words);

    public final Judgement judge(String sql) {
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
        boolean changesSession = false;
        boolean usesSavepoint = false;
        for (List<String> statement : SqlText.statements(sql, notation)) {
            Judgement judgement = judgeStatement(statement);
            if (judgement.refusal != null) {
                return judgement;
            }
            changesSession |= judgement.changesSession;
            usesSavepoint |= judgement.usesSavepoint;
        }
        return new Judgement(null, changesSession, usesSavepoint);
    }

    protected static Judgement rollback(List<String> words) {
        int to = words.indexOf("TO");
        return to == 1 || to == 2 ? savepoint(words) : Judgement.refused(ENDS);
    }

    protected static Judgement savepoint(List<String> words) {
        String name = words.get(words.size() - 1);
        return isReserved(name) ? Judgement.refused(RESERVED) : Judgement.USES_SAVEPOINT;
    }

    /** Whether a savepoint of this name could be mistaken for one that Semel has set. */
    static boolean isReserved(String savepoint) {
        return RESERVED_NAMES.stream().anyMatch(name -> savepoint.regionMatches(true, 0, name, 0, name.length()));
    }

    protected static boolean createsTemporary(List<String> words) {
        int columns = words.indexOf("(");
        return words.get(0).equals("CREATE")
                && words.subList(1, Math.min(7, columns < 0 ? words.size() : columns)).stream()
                        .anyMatch(TEMPORARY::contains);
    }

    protected static boolean follows(List<String> words, String first, String second) {
        for (int i = 1; i < words.size(); i++) {
            if (words.get(i).equals(second) && words.get(i - 1).equals(first)) {
                return true;
            }
        }
        return false;
    }

    protected static String word(List<String> words, int at) {
        return at < words.size() ? words.get(at) : "";
    }
}
