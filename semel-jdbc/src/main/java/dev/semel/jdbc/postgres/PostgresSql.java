package dev.semel.jdbc.postgres;

import dev.semel.jdbc.shared.BatchParts;
import java.util.Locale;

/** Pieces that the statements share. */
final class PostgresSql {
    /** The time: a given one, else the server's clock. Never now(), which stands still in a transaction. */
    static final String NOW = "coalesce(?::bigint, floor(date_part('epoch', clock_timestamp()) * 1000)::bigint)";

    /** The columns of semel_meta that make up {@link #HIGH}. */
    static final String EPOCH = "epoch, server_start, copy, tableoid AS of_table";

    /**
     * Whether the row m of semel_meta is of the copy of the tables for which the epoch was raised: the numbers of its
     * table and of its database, which is part of the path of its file. A restored backup has others, also on a
     * server that keeps running.
     */
    private static final String IS_COPY = "split_part(m.copy, '/', 2) = m.of_table::text"
            + " AND strpos(pg_relation_filepath(m.of_table), '/' || split_part(m.copy, '/', 1) || '/') > 0";

    /**
     * The high bits of a fence. On a server that was started again, or is another one, and in a copy of the tables it is a
     * division by zero ({@link PostgresErrors#otherServer}): nothing is granted there before the epoch is raised. It is worked out
     * where a fence is issued, and not for a replay.
     */
    static final String HIGH =
            "(m.epoch / (m.server_start = pg_postmaster_start_time() AND " + IS_COPY + ")::int)::bigint << 48";

    /**
     * The LIMIT is for the planner, which expects a boolean key to match half of the table and multiplies all other
     * estimates by that.
     */
    static final String META =
            "(SELECT modes_version, " + EPOCH + ", tx_base FROM semel_meta WHERE single LIMIT 1) AS m";

    /** The first CTE of a statement that writes: one parameter, the time or null. */
    static final String COMMON = String.format(Locale.ROOT, """
            WITH c AS MATERIALIZED (SELECT %s AS now, %s AS high, m.tx_base, m.modes_version FROM %s)
            """, NOW, HIGH, META);

    /** Whether a record r counts as existing: it is not expired, or its lane cannot continue without it. */
    static final String KEPT = "(r.state IN (0, 1, 5) OR r.at > c.now"
            + " OR r.state = 3 AND (r.keep IS NULL OR r.at > c.now - r.keep) OR r.turn IN (1, 2))";

    /** In place of now + delay, which would overflow for a delay of "never". */
    static final String AT = "c.now + least(i.delay, 9223372036854775807 - c.now)";

    /**
     * Events travel as further columns of the items they go with, so that no join is needed to bring them together: a join of
     * two lists is planned for ten rows, and takes the square of their length.
     */
    static final String EVENT_ARRAYS =
            ", ?::int[], ?::text[], ?::text[], ?::bytea[], ?::bytea[], ?::text[], ?::text[], ?::text[]";

    static final String EVENT_NAMES =
            ", e_type, e_tenant, e_operation, e_record, e_fingerprint, e_correlation, e_policy, e_body";

    /** Inserts the events of the changes in a CTE named w (n, fence, attempt, and the columns of the event). */
    static final String WRITE_EVENTS = String.format(Locale.ROOT, """
            INSERT INTO semel_audit (tx, at, fence, attempt, type, tenant, operation, record, fingerprint, correlation,
                policy, body)
            SELECT pg_current_xact_id()::text::bigint + c.tx_base, c.now, w.fence, w.attempt%s
            FROM c, w WHERE w.e_type >= 0 ORDER BY w.n
            """, EVENT_NAMES);

    /**
     * A FROM of the records r by a list of ids. A plan for "id = ANY" that was made while the table was small, and is kept,
     * reads the whole table; OFFSET 0 keeps this a lookup of each by the index.
     */
    static final String EACH_BY_ID = "unnest(?::bytea[]) AS i(each_id) CROSS JOIN LATERAL"
            + " (SELECT * FROM semel_record WHERE id = i.each_id OFFSET 0) AS r";

    /**
     * A transaction of the ledger's own waits for a lock no longer than this: its owner may be paused, and a waiting
     * transaction holds up others. A batch whose wait timed out is taken apart, see {@link BatchParts}, and then has
     * {@link #LOCK_WAIT} say how long. Local to the transaction, because the connection may be the application's.
     */
    static final String BOUNDED_WAIT =
            "set_config('lock_timeout', coalesce(nullif(current_setting('semel.lock_wait', true),"
                    + " ''), '1000'), true)";

    /** The same in a transaction with a handler or caller, whose own bound is kept for afterwards. */
    static final String THEIR_WAIT_KEPT =
            "set_config('semel.their_lock_wait', current_setting('lock_timeout'), true), " + BOUNDED_WAIT;

    /** In front of a statement in such a transaction. */
    static final String WAIT_IN_TRANSACTION = "SELECT " + THEIR_WAIT_KEPT + "; ";

    /** Behind such a statement. */
    static final String WAIT_AS_BEFORE =
            "; SELECT set_config('lock_timeout', current_setting('semel.their_lock_wait'), true)";

    /** The name of the setting that gives {@link #BOUNDED_WAIT} another bound. */
    static final String LOCK_WAIT = "semel.lock_wait";

    /**
     * Sent before a batch in the same round trip. The plans of batches are kept for long: they must be those for a large
     * table, by its indexes, also when the table was small at first; and a claim is planned once, not each time, which costs
     * more than a small claim itself. Every scan must have an index then (semel_meta: WHERE single): the price of a forbidden
     * scan blurs all others, and calls in the just-in-time compiler.
     */
    static final String BY_INDEX = BOUNDED_WAIT
            + ", set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),"
            + " set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true),"
            + " set_config('plan_cache_mode', 'force_generic_plan', true)";

    /**
     * Goes through at READ COMMITTED and fails at any other level, because that cannot be changed by a statement that has begun
     * ({@link PostgresErrors#otherIsolation}).
     */
    static final String IS_READ_COMMITTED = "set_config('transaction_isolation', 'read committed', true)";

    /** Grants hold it shared, a change of modes alone: after the change no grant of the old modes can still commit. */
    static final long MODES_LOCK = 0x53454d454c_4d4f44L;

    /** Held while the schema is installed or the epoch is raised. */
    static final long INSTALL_LOCK = 0x53454d454c_494e53L;

    /** To be sent behind {@link #BOUNDED_WAIT}, and before the statement that reads the version of the modes. */
    static final String SHARE_MODES = "pg_advisory_xact_lock_shared(" + MODES_LOCK + ")";

    private PostgresSql() {}
}
