-- Semel's schema for PostgreSQL: from version 2 to version 3.
-- Nodes of version 2 that are running keep working. Every statement can be repeated.
-- Writers of semel_record wait while the index is built. For a large ledger, build it before, with CREATE INDEX CONCURRENTLY and this
-- name: it is kept.

-- All that one correlation id caused. A B-tree on random ids would cost every first call 80 to 110 bytes of log; this costs nothing
-- in new pages. In pages that are used again after a purge each insert rewrites the filter of its range, so ranges are small.
DO $$
BEGIN
    IF to_regclass('semel_record_correlation') IS NOT NULL THEN
        RETURN;
    END IF;
    IF current_setting('server_version_num')::integer >= 140000 THEN
        CREATE INDEX semel_record_correlation ON semel_record
            USING brin (correlation text_bloom_ops (n_distinct_per_range = 100)) WITH (pages_per_range = 4);
        IF NOT EXISTS (SELECT FROM semel_record) THEN
            -- The first range exists from the start. Like all others it is made by VACUUM, once it is full.
            PERFORM brin_desummarize_range('semel_record_correlation', 0);
        END IF;
    ELSE
        CREATE INDEX semel_record_correlation ON semel_record (correlation);
    END IF;
END
$$;

UPDATE semel_meta SET schema_version = 3;
