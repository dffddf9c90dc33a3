package dev.semel.console.admin;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;

/**
 * Fills a ledger in bulk, beside what is in it: half of the records are completed calls and messages, each other state has its part, one
 * tenant and one category are rare. Failures, fingerprints and the contents of events are copies of real ones.
 */
final class FilledLedger {
    /** Of every number the state, by its last digit. Few are in progress, however many there are. */
    private static final String STATE =
            "CASE n %% 10 WHEN 5 THEN 0 WHEN 6 THEN 3 WHEN 7 THEN 4 WHEN 8 THEN 5 WHEN 9 THEN"
                    + " CASE WHEN n < 200 THEN 1 WHEN n %% 20 = 9 THEN 6 ELSE 7 END ELSE 2 END";

    private static final String RECORDS = """
            INSERT INTO semel_record (fence, at, keep, owner, place, lane, deadline, attempt, state, turn, id, tenant, operation, key,
                fingerprint, correlation, parent, payload, result, failure, lane_key, origin)
            SELECT n, CASE state WHEN 2 THEN %1$s + n * 10 WHEN 3 THEN %1$s + n * 10 WHEN 4 THEN %1$s + 2592000000 + n
                    WHEN 1 THEN %1$s + 30000 ELSE %1$s - n * 10 END,
                CASE state WHEN 2 THEN 86400000 WHEN 4 THEN 2592000000 ELSE 0 END, 1,
                CASE WHEN message THEN n END, CASE WHEN laned THEN n / 10 %% 1000 END, NULL, 1 + n %% 4, state,
                CASE WHEN NOT message OR state IN (1, 2, 6, 7) THEN NULL
                    WHEN state IN (0, 3) THEN CASE WHEN NOT laned THEN 0 WHEN n < 10000 THEN 1 ELSE 2 END
                    WHEN laned AND n / 10 %% 50 = 0 THEN 1 END,
                %2$s, CASE WHEN n / 10 %% 1000 = 7 THEN 'tiny' WHEN n / 10 %% 2 = 0 THEN 'acme' ELSE 'globex' END,
                CASE WHEN NOT message THEN 'order' WHEN laned THEN 'crm' WHEN n / 10 %% 3 = 1 THEN 'mail' ELSE 'fax' END,
                %3$s, fingerprint, 'c-' || (n / 20), CASE WHEN n %% 10 = 5 THEN %6$s END, %4$s,
                CASE WHEN state = 2 THEN %5$s END,
                CASE WHEN state IN (3, 4, 5) THEN %5$s END,
                CASE WHEN laned THEN 'l-' || (n / 10 %% 1000) END, NULL
            FROM (SELECT n, state, message, message AND n / 10 %% 3 = 0 AS laned FROM (
                    SELECT n, %7$s AS state, n %% 10 > 2 AS message FROM numbers) AS s) AS r,
                (SELECT fingerprint FROM semel_record WHERE operation = 'mail' LIMIT 1) AS f""";

    private static final String FAILURE = "CASE WHEN n / 10 % 500 = 3"
            + " THEN '{\"category\":\"mapping\",\"reason\":\"The CRM knows no stage s-' || n || '.\"}'"
            + " WHEN n / 10 % 3 = 0 THEN '{\"category\":\"timeout\",\"reason\":\"no answer within 30 s from host-' || (n % 40) ||"
            + " '\",\"exception\":\"java.net.SocketTimeoutException\"}'"
            + " ELSE '{\"category\":\"network\",\"reason\":\"refused by 10.0.0.' || (n % 200) || '\",\"exception\":"
            + "\"java.net.ConnectException\"}' END";

    private final String url;

    FilledLedger(String url) {
        this.url = url;
    }

    private boolean isPostgres() {
        return url.startsWith("jdbc:postgresql:");
    }

    /** The id of a record that was filled in. */
    static String id(int n) {
        return String.format(Locale.ROOT, "%08x%056x", n * 2_654_435_761L & 0xffffffffL, n);
    }

    /** Adds the records and events of these numbers, the last one not included. */
    void fill(int from, int until) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            if (!isPostgres()) {
                connection.setAutoCommit(false);
            }
            statement.execute(numbers(from, until) + records());
            statement.execute(numbers(from, until) + events());
            if (!isPostgres()) {
                connection.commit();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What the server does by itself when a ledger has grown. */
    void analyse() {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(isPostgres() ? "VACUUM ANALYZE" : "ANALYZE");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private String numbers(int from, int until) {
        return isPostgres()
                ? "WITH numbers AS (SELECT generate_series(" + from + "::bigint, " + (until - 1) + ") AS n) "
                : "WITH RECURSIVE numbers (n) AS (SELECT " + from + " UNION ALL SELECT n + 1 FROM numbers WHERE n < "
                        + (until - 1) + ") ";
    }

    private String id(String number) {
        String first = "(" + number + ") * 2654435761 & 4294967295";
        return isPostgres()
                ? "decode(lpad(to_hex(" + first + "), 8, '0') || lpad(to_hex(" + number + "), 56, '0'), 'hex')"
                : "unhex(printf('%08x%056x', " + first + ", " + number + "))";
    }

    private String bytes(String text) {
        return isPostgres() ? "convert_to(" + text + ", 'UTF8')" : "CAST(" + text + " AS BLOB)";
    }

    private String now() {
        return isPostgres()
                ? "(SELECT floor(date_part('epoch', now()) * 1000)::bigint)"
                : "(SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER))";
    }

    private String records() {
        return String.format(
                Locale.ROOT,
                RECORDS,
                now(),
                id("n"),
                bytes("'k-' || n"),
                bytes("'{\"order\":\"o-' || n || '\",\"to\":\"ann\",\"text\":\"" + "x".repeat(200) + "\"}'"),
                bytes(FAILURE),
                id("n - 5"),
                String.format(Locale.ROOT, STATE));
    }

    /** Of the events that are there, in turn. */
    private String events() {
        String at = now() + " - 10000000 + n * 10";
        String columns = "at, fence, attempt, type, tenant, operation, record, fingerprint, correlation, policy, body";
        String position = isPostgres() ? "tx, seq, " : "";
        String values = isPostgres() ? "1 + n / 10000, n, " : "";
        return "INSERT INTO semel_audit (" + position + columns + ") SELECT " + values + at
                + ", n, 1, e.type, CASE WHEN n / 10 % 1000 = 7 THEN 'tiny' WHEN n / 10 % 2 = 0 THEN 'acme' ELSE 'globex' END,"
                + " e.operation, " + id("n") + ", e.fingerprint, 'c-' || (n / 20), e.policy, e.body FROM numbers JOIN"
                + " (SELECT row_number() OVER () - 1 AS k, a.* FROM (SELECT * FROM semel_audit ORDER BY seq LIMIT 10) AS a) AS e"
                + " ON e.k = numbers.n % 10";
    }
}
