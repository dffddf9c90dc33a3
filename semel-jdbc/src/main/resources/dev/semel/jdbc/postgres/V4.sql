-- Semel's schema for PostgreSQL: from version 3 to version 4.
-- Nodes of version 3 that are running keep working. Every statement can be repeated.

-- Rate limits that hold for all nodes together. A bucket that is full again may be absent.
CREATE TABLE IF NOT EXISTS semel_permit (
    operation text,
    tenant text,
    used_until bigint NOT NULL,
    taken integer NOT NULL,
    PRIMARY KEY (operation, tenant)
);

COMMENT ON COLUMN semel_permit.tenant IS 'Empty for all tenants together.';
COMMENT ON COLUMN semel_permit.used_until IS 'The time until which its permits are used, in nanoseconds since 1970.';
COMMENT ON COLUMN semel_permit.taken IS 'How many permits were taken last.';

UPDATE semel_meta SET schema_version = 4;
