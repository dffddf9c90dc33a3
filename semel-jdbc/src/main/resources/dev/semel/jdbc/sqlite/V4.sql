-- Semel on SQLite: from schema version 3 to version 4.
-- Additive only: a process of version 3 that has the file open goes on working.

-- Rate limits that hold for all processes together: the time until which the permits are used, in nanoseconds since 1970. A bucket
-- that is full again may be absent. The tenant is empty for all tenants together.
CREATE TABLE semel_permit (
    operation  TEXT    NOT NULL,
    tenant     TEXT    NOT NULL,
    used_until INTEGER NOT NULL,
    PRIMARY KEY (operation, tenant)
) STRICT;

UPDATE semel_meta SET version = 4;
