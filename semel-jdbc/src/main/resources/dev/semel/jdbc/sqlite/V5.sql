-- Semel on SQLite: from schema version 4 to version 5.
-- Additive only: a process of version 4 that has the file open goes on working.

-- What happened when, in counts, for the overview. Each process writes rows of its own, and replaces them as its counts grow. Step and
-- began are in milliseconds. The tenant is empty for all tenants together.
CREATE TABLE semel_activity (
    step      INTEGER NOT NULL,
    tenant    TEXT    NOT NULL,
    began     INTEGER NOT NULL,
    operation TEXT    NOT NULL,
    node      INTEGER NOT NULL,
    counts    TEXT    NOT NULL,
    PRIMARY KEY (step, tenant, began, operation, node)
) STRICT, WITHOUT ROWID;

-- For removing what is old, of all tenants.
CREATE INDEX semel_activity_age ON semel_activity (step, began);

UPDATE semel_meta SET version = 5;
