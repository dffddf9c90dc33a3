-- Semel's schema for PostgreSQL: from version 4 to version 5.
-- Nodes of version 4 that are running keep working. Every statement can be repeated.

-- What happened when, in counts, for the overview. Each node writes rows of its own, and replaces them as its counts grow.
CREATE TABLE IF NOT EXISTS semel_activity (
    step bigint,
    tenant text,
    began bigint,
    operation text,
    node bigint,
    counts text NOT NULL,
    PRIMARY KEY (step, tenant, began, operation, node)
) WITH (fillfactor = 70);

-- For removing what is old, of all tenants.
CREATE INDEX IF NOT EXISTS semel_activity_age ON semel_activity (step, began);

COMMENT ON COLUMN semel_activity.step IS 'How long the time of the row is, in milliseconds.';
COMMENT ON COLUMN semel_activity.tenant IS 'Empty for all tenants together.';
COMMENT ON COLUMN semel_activity.began IS 'When the time of the row began, in milliseconds since 1970.';
COMMENT ON COLUMN semel_activity.counts IS 'Names and counts.';

UPDATE semel_meta SET schema_version = 5;
