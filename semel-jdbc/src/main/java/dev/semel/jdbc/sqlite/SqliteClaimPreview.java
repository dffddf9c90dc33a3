package dev.semel.jdbc.sqlite;

import dev.semel.store.Claim;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a claim may expect, as read beside the writer: the claim itself looks again.
 *
 * @param modes the version of the modes
 * @param over whether somebody's lease is over
 * @param tenants those that have something due, whose turn it is first
 * @param more whether there are more of them
 */
record SqliteClaimPreview(long modes, boolean over, List<String> tenants, boolean more) {
    /** As many tenants as one claim serves. */
    static final int TENANTS = 64;

    private static final String MODES = "SELECT modes FROM semel_meta";

    // From tenant to tenant through the index, independent of the number of waiting records.
    static final String DUE = String.format(Locale.ROOT, """
            WITH RECURSIVE next (name) AS (
                SELECT (SELECT tenant FROM semel_record WHERE %1$s AND tenant > ?2 ORDER BY tenant LIMIT 1)
                UNION ALL
                SELECT (SELECT tenant FROM semel_record WHERE %1$s AND tenant > name ORDER BY tenant LIMIT 1)
                FROM next WHERE name IS NOT NULL AND (?3 IS NULL OR name <= ?3))
            SELECT name FROM next WHERE name IS NOT NULL AND (?3 IS NULL OR name <= ?3)
                AND (EXISTS (SELECT 1 FROM semel_record WHERE %1$s AND tenant = name AND state = 0 AND at <= ?4)
                    OR ?5 AND EXISTS (SELECT 1 FROM semel_record
                        WHERE %1$s AND tenant = name AND state = 3 AND at <= ?4))""", SqliteClaim.CLAIMABLE);

    /** Of one tenant: no search from tenant to tenant. */
    static final String DUE_OF_ONE = String.format(Locale.ROOT, """
            SELECT ?2 WHERE EXISTS (SELECT 1 FROM semel_record WHERE %1$s AND tenant = ?2 AND state = 0 AND at <= ?3)
                OR ?4 AND EXISTS (SELECT 1 FROM semel_record WHERE %1$s AND tenant = ?2 AND state = 3 AND at <= ?3)""", SqliteClaim.CLAIMABLE);

    boolean nothing() {
        return !over && tenants.isEmpty();
    }

    static SqliteClaimPreview of(SqliteSession session, Claim claim, long now) throws SQLException {
        long modes = session.first(MODES, SqliteSession.NOTHING, row -> row.getLong(1))
                .orElse(-1L);
        boolean over = claim.grant().repeatable()
                && claim.amount().takeovers() > 0
                && !SqliteClaim.over(session, claim, now, 1).isEmpty();
        boolean retries = new SqliteBudget(session, claim).left(now) > 0;
        String only = claim.turns().only();
        if (only != null) {
            boolean due = isDue(session, claim, only, now, retries);
            return new SqliteClaimPreview(modes, over, due ? List.of(only) : List.of(), false);
        }
        String after = claim.turns().after();
        List<String> tenants = new ArrayList<>();
        Round behind = new Round(claim, after, null, now, retries);
        boolean more = behind.collect(session, tenants);
        if (!more && !after.isEmpty()) {
            more = new Round(claim, "", after, now, retries).collect(session, tenants);
        }
        return new SqliteClaimPreview(modes, over, tenants, more);
    }

    private static boolean isDue(SqliteSession session, Claim claim, String tenant, long now, boolean retries)
            throws SQLException {
        return session.first(
                        DUE_OF_ONE,
                        statement -> {
                            statement.setString(1, claim.operation());
                            statement.setString(2, tenant);
                            statement.setLong(3, now);
                            statement.setBoolean(4, retries);
                        },
                        row -> true)
                .isPresent();
    }

    /**
     * A part of the tenants in the order of their names.
     *
     * @param upTo no bound when absent
     * @param retries whether retries may begin
     */
    private record Round(
            Claim claim, String after, @Nullable String upTo, long now, boolean retries) {
        /** Says whether there are more than a claim serves. */
        boolean collect(SqliteSession session, List<String> tenants) throws SQLException {
            return session.first(
                            DUE,
                            statement -> {
                                statement.setString(1, claim.operation());
                                statement.setString(2, after);
                                statement.setString(3, upTo);
                                statement.setLong(4, now);
                                statement.setBoolean(5, retries);
                            },
                            row -> {
                                do {
                                    if (claim.turns().except().contains(row.getString(1))) {
                                        continue;
                                    }
                                    if (tenants.size() == TENANTS) {
                                        return true;
                                    }
                                    tenants.add(row.getString(1));
                                } while (row.next());
                                return false;
                            })
                    .orElse(false);
        }
    }
}
