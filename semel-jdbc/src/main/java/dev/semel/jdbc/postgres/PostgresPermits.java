package dev.semel.jdbc.postgres;

import dev.semel.store.Permits;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Locale;

/** Rate limits of all nodes: one row for each bucket, and one statement for each chunk of permits. */
final class PostgresPermits implements Permits {
    private static final String TIME = PostgresSql.NOW + " * 1000000";

    /** How many permits of those wanted there are when so many nanoseconds of the bucket are used. */
    private static final String GIVEN =
            "CASE WHEN c.anyway <> 0 THEN c.wanted ELSE least(c.wanted, greatest(c.room - u.used, 0) / c.step) END";

    private static final String TAKE =
            String.format(Locale.ROOT, """
            WITH c AS MATERIALIZED (SELECT %1$s AS now, ?::bigint AS step, ?::bigint AS room, ?::bigint AS wanted,
                ?::bigint AS anyway, %4$s)
            INSERT INTO semel_permit AS p (operation, tenant, used_until, taken)
            SELECT ?, ?, c.now + g.n * c.step, g.n FROM c, (VALUES (0::bigint)) AS u (used), LATERAL (SELECT %2$s AS n) g
            ON CONFLICT (operation, tenant) DO UPDATE SET (used_until, taken) = (
                SELECT c.now + u.used + g.n * c.step, g.n
                FROM c, LATERAL (SELECT least(greatest(p.used_until - c.now, 0), %3$d * c.room) AS used) u,
                    LATERAL (SELECT %2$s AS n) g)
            RETURNING taken, used_until, (SELECT now FROM c)""", TIME, GIVEN, MOST_OVERDRAWN, PostgresSql.BOUNDED_WAIT);

    /** So few that nobody waits for long. */
    private static final int CHUNK = 10_000;

    /** What is locked is in use. */
    private static final String REMOVE_FULL = String.format(Locale.ROOT, """
            WITH f AS MATERIALIZED (SELECT operation, tenant FROM semel_permit WHERE used_until <= %s
                LIMIT %d FOR UPDATE SKIP LOCKED)
            DELETE FROM semel_permit p USING f WHERE p.operation = f.operation AND p.tenant = f.tenant""", TIME, CHUNK);

    private final PostgresSessions sessions;

    PostgresPermits(PostgresSessions sessions) {
        this.sessions = sessions;
    }

    @Override
    public Taken take(Take take) {
        return sessions.once("taking permits of a rate limit", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(TAKE)) {
                new PostgresBinder(statement)
                        .number(sessions.now())
                        .number(take.stepNanos())
                        .number(take.roomNanos())
                        .number((long) take.wanted())
                        .number(take.anyway() ? 1L : 0L)
                        .text(take.operation())
                        .text(take.tenant());
                try (ResultSet taken = statement.executeQuery()) {
                    taken.next();
                    return take.taken(taken.getInt(1), taken.getLong(2), taken.getLong(3));
                }
            }
        });
    }

    @Override
    public int removeFull() {
        int all = 0;
        int removed;
        do {
            removed = sessions.once("removing unused rate limits", connection -> {
                try (PreparedStatement statement = connection.prepareStatement(REMOVE_FULL)) {
                    new PostgresBinder(statement).number(sessions.now());
                    return statement.executeUpdate();
                }
            });
            all += removed;
        } while (removed == CHUNK);
        return all;
    }
}
