package dev.semel.jdbc.postgres;

import dev.semel.store.Claim;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Finds out whose turn it is: the tenants of an operation that have something due, from the one after the last on, round. */
final class PostgresTenants {
    /** Served in one claim. */
    private static final int MOST = 64;

    /** Looked at in one claim, for those that have something due. */
    private static final int MOST_VISITED = 1000;

    /** Records that follow nobody. */
    static final String FREE = "r.turn = 0 AND r.state IN (0, 3)";

    /** Records by which a lane is found. */
    static final String LANES = "r.turn IN (1, 3, 4) AND r.state IN (0, 3)";

    /**
     * Goes from one tenant to the next by the index, over all that waits for one. A subquery that yields a single value
     * cannot be turned into a scan of everything, as EXISTS can.
     */
    private static final String FIND = """
            WITH RECURSIVE c AS MATERIALIZED (SELECT %1$s AS now)
            , p AS MATERIALIZED (SELECT ?::text AS operation, ?::text AS after)
            , u(tenant, visited) AS (
                SELECT (SELECT after FROM p), 0
                UNION ALL
                SELECT (SELECT r.tenant FROM semel_record r
                    WHERE r.operation = (SELECT operation FROM p) AND r.tenant > u.tenant AND %2$s
                    ORDER BY r.operation, r.tenant LIMIT 1), u.visited + 1
                FROM u WHERE u.tenant IS NOT NULL AND u.visited < %3$s)
            , v(tenant, visited) AS (
                SELECT '', 0
                UNION ALL
                SELECT (SELECT r.tenant FROM semel_record r
                    WHERE r.operation = (SELECT operation FROM p) AND r.tenant > v.tenant
                        AND r.tenant <= (SELECT after FROM p) AND %2$s
                    ORDER BY r.operation, r.tenant LIMIT 1), v.visited + 1
                FROM v WHERE v.tenant IS NOT NULL AND v.visited < %3$s)
            SELECT t.tenant, d.again FROM (
                SELECT tenant FROM u WHERE visited > 0
                UNION ALL SELECT tenant FROM v WHERE visited > 0) AS t
            CROSS JOIN LATERAL (
                SELECT (SELECT true FROM semel_record r WHERE r.operation = (SELECT operation FROM p)
                        AND r.tenant = t.tenant AND %2$s AND r.state = 0 AND r.at <= (SELECT now FROM c) LIMIT 1) AS fresh,
                    (SELECT true FROM semel_record r WHERE r.operation = (SELECT operation FROM p)
                        AND r.tenant = t.tenant AND %2$s AND r.state = 3 AND r.at <= (SELECT now FROM c) LIMIT 1) AS again
                OFFSET 0) AS d
            WHERE t.tenant IS NOT NULL AND t.tenant <> ALL(?::text[]) AND (d.fresh OR d.again)
            LIMIT %4$s""";

    /** Whether one tenant has something due: two probes of the index, whatever waits for others. */
    private static final String FIND_ONE = """
            WITH c AS MATERIALIZED (SELECT %1$s AS now)
            , p AS MATERIALIZED (SELECT ?::text AS operation, ?::text AS tenant)
            SELECT p.tenant, d.again FROM p CROSS JOIN LATERAL (
                SELECT (SELECT true FROM semel_record r WHERE r.operation = (SELECT operation FROM p)
                        AND r.tenant = (SELECT tenant FROM p) AND %2$s AND r.state = 0
                        AND r.at <= (SELECT now FROM c) LIMIT 1) AS fresh,
                    (SELECT true FROM semel_record r WHERE r.operation = (SELECT operation FROM p)
                        AND r.tenant = (SELECT tenant FROM p) AND %2$s AND r.state = 3
                        AND r.at <= (SELECT now FROM c) LIMIT 1) AS again
                OFFSET 0) AS d
            WHERE d.fresh OR d.again""";

    /**
     * The tenants of a claim, from parameters that {@link #bind} fills; continues from a CTE named c, which knows the
     * time. If requested, unknown tenants between the known ones are added: by ranges of the index that leave out the
     * known ones' entries. Each tenant gets an equal share of the amount.
     */
    static final String SHARES = """
            , p AS MATERIALIZED (SELECT ?::text AS operation, ?::bigint AS most, ?::bigint AS retries)
            , known AS MATERIALIZED (SELECT * FROM unnest(?::int[], ?::text[], ?::bigint[]) AS t(n, tenant, floor))
            , gaps AS (
                SELECT b.tenant AS low, lead(b.tenant) OVER (ORDER BY b.tenant) AS high
                FROM (SELECT tenant FROM known UNION ALL SELECT '') AS b WHERE ?::int = 1)
            , t AS MATERIALIZED (
                SELECT n, tenant, floor FROM known
                UNION ALL
                SELECT 1000 + (row_number() OVER ())::int, g.tenant, -9223372036854775808 FROM (
                    SELECT CASE WHEN gaps.high IS NULL THEN
                        (SELECT r.tenant FROM semel_record r
                        WHERE r.operation = (SELECT operation FROM p) AND r.tenant > gaps.low AND %1$s
                        ORDER BY r.operation, r.tenant LIMIT 1)
                    ELSE
                        (SELECT r.tenant FROM semel_record r
                        WHERE r.operation = (SELECT operation FROM p) AND r.tenant > gaps.low AND r.tenant < gaps.high
                            AND %1$s
                        ORDER BY r.operation, r.tenant LIMIT 1)
                    END AS tenant FROM gaps) AS g
                WHERE g.tenant <> ALL(?::text[]) AND (
                    SELECT true FROM semel_record r WHERE r.operation = (SELECT operation FROM p)
                        AND r.tenant = g.tenant AND %1$s AND r.state = 0 AND r.at <= (SELECT now FROM c) LIMIT 1))
            , e AS MATERIALIZED (
                SELECT greatest(1, ((SELECT most FROM p) + count(*) - 1) / greatest(1, count(*))) AS each FROM t)
            """;

    /** Whether there is anything at all in lanes, and whether a lease of the operation is over. */
    private static final String BEYOND = """
            WITH c AS MATERIALIZED (SELECT %1$s AS now)
            , p AS MATERIALIZED (SELECT ?::text AS operation%4$s)
            SELECT (SELECT true FROM semel_record r
                    WHERE r.operation = (SELECT operation FROM p)%5$s AND %2$s LIMIT 1),
                (SELECT true FROM semel_record r WHERE r.state = 1 AND r.at <= (SELECT now FROM c)
                    AND r.operation = (SELECT operation FROM p) AND r.turn IN (0, 1) AND r.attempt < ?
                    AND %3$s LIMIT 1)""";

    private static final String INDEXED = "SELECT " + PostgresSql.BY_INDEX + "; ";
    private static final String FIND_FREE = INDEXED
            + String.format(Locale.ROOT, FIND, PostgresSql.NOW, FREE, MOST_VISITED, MOST)
            + "; "
            + String.format(Locale.ROOT, BEYOND, PostgresSql.NOW, LANES, "r.tenant <> ALL(?::text[])", "", "");
    private static final String OF_ONE = "r.tenant = (SELECT tenant FROM p)";
    private static final String FIND_FREE_OF_ONE = INDEXED
            + String.format(Locale.ROOT, FIND_ONE, PostgresSql.NOW, FREE)
            + "; "
            + String.format(
                    Locale.ROOT, BEYOND, PostgresSql.NOW, LANES, OF_ONE, ", ?::text AS tenant", " AND " + OF_ONE);
    private static final String FIND_LANES_OF_ONE =
            INDEXED + String.format(Locale.ROOT, FIND_ONE, PostgresSql.NOW, LANES);
    private static final String FIND_LANES =
            INDEXED + String.format(Locale.ROOT, FIND, PostgresSql.NOW, LANES, MOST_VISITED, MOST);

    /**
     * @param floor the search starts here: older records are claimed already, and their dead index entries would be
     *     read again and again
     */
    record Tenant(String name, long floor) {}

    /**
     * @param retries whether a retry is due
     * @param lanes whether something is in lanes
     * @param over whether a lease is over
     */
    record Found(List<Tenant> tenants, boolean retries, boolean lanes, boolean over) {}

    /**
     * What a claim looks through.
     *
     * @param searched whether these are all there are, or all that are asked for; otherwise others are looked for between them
     * @param most of all tenants together
     * @param retries of these
     */
    record Share(List<Tenant> tenants, boolean searched, int most, int retries) {}

    /** Where the next search may begin: not before the first that was found this time. */
    static final class Floors {
        private final Map<String, Long> floors = new LinkedHashMap<>();
        private final Set<String> seen = new HashSet<>();

        Floors(Share share) {
            share.tenants.forEach(tenant -> floors.put(tenant.name, tenant.floor));
        }

        /** In the order of their times. */
        void seen(String tenant, long at) {
            if (seen.add(tenant)) {
                floors.put(tenant, at);
            }
        }

        List<Tenant> tenants() {
            return floors.entrySet().stream()
                    .map(each -> new Tenant(each.getKey(), each.getValue()))
                    .toList();
        }
    }

    private PostgresTenants() {}

    /** Fills {@link #SHARES}. */
    static PostgresBinder bind(PostgresBinder binder, Claim claim, Share share) throws SQLException {
        List<Integer> places = IntStream.range(0, share.tenants.size()).boxed().toList();
        return binder.text(claim.operation())
                .number((long) share.most)
                .number((long) share.retries)
                .ints(places, place -> place)
                .texts(share.tenants, Tenant::name)
                .longs(share.tenants, Tenant::floor)
                .number(share.searched ? 0L : 1L)
                .texts(List.copyOf(claim.turns().except()), tenant -> tenant);
    }

    static Found free(Connection connection, @Nullable Long now, Claim claim, String after) throws SQLException {
        String only = claim.turns().only();
        try (PreparedStatement statement = connection.prepareStatement(only == null ? FIND_FREE : FIND_FREE_OF_ONE)) {
            boolean takesOver = claim.grant().repeatable() && claim.amount().takeovers() > 0;
            long attempts = takesOver ? claim.grant().maxAttempts() : 0;
            PostgresBinder binder =
                    bind(statement, now, claim, after).number(now).text(claim.operation());
            if (only == null) {
                binder.number(attempts).texts(List.copyOf(claim.turns().except()), tenant -> tenant);
            } else {
                binder.text(only).number(attempts);
            }
            Found found = found(statement);
            statement.getMoreResults();
            try (ResultSet beyond = statement.getResultSet()) {
                beyond.next();
                return new Found(found.tenants, found.retries, beyond.getBoolean(1), beyond.getBoolean(2));
            }
        }
    }

    static Found lanes(Connection connection, @Nullable Long now, Claim claim, String after) throws SQLException {
        boolean all = claim.turns().only() == null;
        try (PreparedStatement statement = connection.prepareStatement(all ? FIND_LANES : FIND_LANES_OF_ONE)) {
            bind(statement, now, claim, after);
            return found(statement);
        }
    }

    private static PostgresBinder bind(PreparedStatement statement, @Nullable Long now, Claim claim, String after)
            throws SQLException {
        PostgresBinder binder = new PostgresBinder(statement).number(now).text(claim.operation());
        String only = claim.turns().only();
        return only != null
                ? binder.text(only)
                : binder.text(after).texts(List.copyOf(claim.turns().except()), tenant -> tenant);
    }

    private static Found found(PreparedStatement statement) throws SQLException {
        List<Tenant> tenants = new ArrayList<>();
        boolean retries = false;
        try (ResultSet found = PostgresLedger.second(statement)) {
            while (found.next()) {
                tenants.add(new Tenant(found.getString(1), Long.MIN_VALUE));
                retries |= found.getBoolean(2);
            }
        }
        return new Found(tenants, retries, false, false);
    }
}
