-- Semel on SQLite: from schema version 1 to version 2.
-- Additive only: a process of version 1 that has the file open goes on working.

-- The store's time, which all processes share: a time that it has reached, and what is added to a process's clock to get it.
ALTER TABLE semel_meta ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;
ALTER TABLE semel_meta ADD COLUMN ahead INTEGER NOT NULL DEFAULT 0;
-- Which file on which machine issued the newest fences: a copy takes a new epoch.
ALTER TABLE semel_meta ADD COLUMN copy TEXT;
-- Who asked for the record, as JSON: actor, trace id, source, request id. Events of its later runs repeat it.
ALTER TABLE semel_record ADD COLUMN origin TEXT;

UPDATE semel_meta SET version = 2;
